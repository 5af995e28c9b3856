"""Record of a calibration, and the judge that it is restricted to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from valor_core.errors import ResourceError
from valor_core.parameters import parameter_values
from valor_core.resources.bound import BoundResource
from valor_core.results import ItemRow
from valor_core.specs import MetricSpec

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
class Fingerprint:
    """Configuration and models that produced the scores of a metric.

    Parameters
    ----------
    metric : str
        Name and version of the metric.
    parameters : mapping
        Its parameters.
    judge : mapping
        Parameters of the judge that can change a number: client, endpoint, sampling settings.
    models : tuple of str
        The models that answered, as the endpoint calls them.
    steps : mapping of str to tuple of str
        By step, version and digest of the prompts and of the replies' form.
    """

    metric: str
    parameters: Mapping[str, Any]
    judge: Mapping[str, Any]
    models: tuple[str, ...]
    steps: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(
        cls, spec: MetricSpec, parameters: Any, judge: BoundResource, rows: Iterable[ItemRow]
    ) -> Fingerprint:
        """Return the fingerprint of rows.

        Parameters
        ----------
        spec, parameters
            The metric.
        judge : BoundResource
            The judge of the config.
        rows : iterable of ItemRow
            Rows whose details name the models and the prompts.
        """
        models: set[str] = set()
        steps: dict[str, set[str]] = {}
        for row in rows:
            for step in row.details.get("steps", ()):
                models.add(step["model"])
                steps.setdefault(step["step"], set()).add(step["prompt"])
        identity = dict(judge.identity())
        # Files of prompts may move; the digests of the steps identify their content.
        identity.pop("prompts", None)
        return cls(
            spec.identity,
            parameter_values(parameters),
            identity,
            tuple(sorted(models)),
            {name: tuple(sorted(steps[name])) for name in sorted(steps)},
        )

    def differences(self, other: Fingerprint) -> list[str]:
        """Describe the differences from another fingerprint; empty if the judge is the same.

        Steps that the other items did not need make no difference.
        """
        found = [
            change
            for name in ("judge", "metric", "parameters")
            for change in _apart(name, getattr(self, name), getattr(other, name))
        ]
        if not {*other.models} <= {*self.models}:
            found.append(f"model {_listed(self.models)} became {_listed(other.models)}")
        for name, prompts in other.steps.items():
            former = self.steps.get(name, ())
            if not {*prompts} <= {*former}:
                found.append(f"step {name} {_listed(former)} became {_listed(prompts)}")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Convert to the form of a record."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Fingerprint:
        """Restore a fingerprint from the form of `to_dict`.

        Raises
        ------
        KeyError, TypeError, AttributeError
            If the record is malformed.
        """
        return cls(
            str(record["metric"]),
            dict(record["parameters"]),
            dict(record["judge"]),
            tuple(map(str, record["models"])),
            {str(name): tuple(map(str, prompts)) for name, prompts in record["steps"].items()},
        )


def _apart(path: str, one: Any, other: Any) -> Iterator[str]:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted({*one, *other}):
            yield from _apart(f"{path}.{key}", one.get(key), other.get(key))
    elif one != other:
        yield f"{path} {_worded(one)} became {_worded(other)}"


def _worded(value: Any) -> str:
    return "none" if value is None else str(value)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names) or "none"


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
