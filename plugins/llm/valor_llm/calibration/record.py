"""Record of a calibration, saved for later reports."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import ResourceError
from valor_llm.calibration.fingerprint import Fingerprint

LEAST_LABELS = 20
"""Minimum number of labelled items for a calibration."""

_KIND = "valor judge calibration"
_VERSION = 1


@frozen
class Pair:
    """Judge's and human's score of one item, or of one verdict on it.

    Parameters
    ----------
    item : str
        The item, by a digest of its content.
    judge, human : float
        The scores; for a verdict, 1 for yes and 0 otherwise.
    """

    item: str
    judge: float
    human: float


@frozen
class Calibration:
    """Labels and the judge's scores on one metric.

    Parameters
    ----------
    fingerprint : Fingerprint
        Configuration that produced the judge's scores.
    items : tuple of Pair
        Scores of items.
    verdicts : tuple of Pair
        Verdicts on items.
    """

    fingerprint: Fingerprint
    items: tuple[Pair, ...]
    verdicts: tuple[Pair, ...] = ()

    @property
    def is_binary(self) -> bool:
        """True if all scores are yes or no."""
        return all({pair.judge, pair.human} <= {0.0, 1.0} for pair in self.items)


@frozen
class Record:
    """Calibrations of one judge, each on another metric; no judged text is in it.

    Parameters
    ----------
    calibrations : tuple of Calibration
        By the order of the metrics in the config.
    """

    calibrations: tuple[Calibration, ...]

    def of(self, metric: str, parameters: Mapping[str, Any]) -> Calibration | None:
        """The calibration on a metric, first of all one with its parameters."""
        name = metric.partition("@")[0]
        found = [
            one for one in self.calibrations if one.fingerprint.metric.partition("@")[0] == name
        ]
        same = [one for one in found if dict(one.fingerprint.parameters) == dict(parameters)]
        return next(iter(same or found), None)

    def save(self, path: Path) -> None:
        """Write the record in JSON.

        Raises
        ------
        ResourceError
            If the file cannot be written.
        """
        record = {
            "kind": _KIND,
            "version": _VERSION,
            "calibrations": [_to_dict(one) for one in self.calibrations],
        }
        text = json.dumps(record, ensure_ascii=False, indent=1)
        unfinished = path.with_name(f"{path.name}.part")
        try:
            unfinished.write_text(f"{text}\n", encoding="utf-8", newline="\n")
            os.replace(unfinished, path)
        except OSError as error:
            raise ResourceError(
                f"{path}: cannot be written, {error.strerror}",
                "Name a file in a folder that may be written to: -o RECORD",
            ) from error

    @classmethod
    def load(cls, path: Path) -> Record:
        """The record that `save` wrote.

        Raises
        ------
        ResourceError
            If the file is missing or invalid.
        """
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise ResourceError(
                f"judge.calibration: {path}: expected the record of a calibration, found no file",
                _REMEDY,
            ) from error
        except OSError as error:
            raise ResourceError(
                f"judge.calibration: {path}: cannot be read, {error.strerror}", _REMEDY
            ) from error
        except (ValueError, RecursionError) as error:
            raise _damaged(path, "no JSON") from error
        if not isinstance(record, dict) or record.get("kind") != _KIND:
            raise _damaged(path, "another file")
        if record.get("version") != _VERSION:
            raise _damaged(path, f"version {record.get('version')}, expected {_VERSION}")
        try:
            return cls(tuple(map(_read, record["calibrations"])))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise _damaged(path, f"{type(error).__name__}: {error}") from error


_REMEDY = "Make it with: valor judge calibrate CONFIG --labels FILE -o RECORD"


def _damaged(path: Path, found: str) -> ResourceError:
    return ResourceError(
        f"judge.calibration: {path}: expected the record of a calibration, found {found}", _REMEDY
    )


def _to_dict(one: Calibration) -> dict[str, Any]:
    return {
        "fingerprint": one.fingerprint.to_dict(),
        "items": [_entry(pair) for pair in one.items],
        "verdicts": [_entry(pair) for pair in one.verdicts],
    }


def _entry(pair: Pair) -> list[Any]:
    return [pair.item, pair.judge, pair.human]


def _read(record: Mapping[str, Any]) -> Calibration:
    return Calibration(
        Fingerprint.from_dict(record["fingerprint"]),
        _pairs(record["items"]),
        _pairs(record["verdicts"]),
    )


def _pairs(entries: Iterable[Any]) -> tuple[Pair, ...]:
    pairs = []
    for item, judge, human in entries:
        if not isinstance(item, str) or not all(map(_is_number, (judge, human))):
            raise TypeError(f"expected an item and two numbers, found {[item, judge, human]}")
        pairs.append(Pair(item, float(judge), float(human)))
    return tuple(pairs)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
