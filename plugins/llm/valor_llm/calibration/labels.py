"""Human labels of items, read from CSV or JSON Lines."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import ReadError, shown

_COLUMNS = ("uid", "label", "verdict", "metric")
_WORDS: Mapping[str, float] = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0, "idk": 0.0}
_REMEDY = (
    "Write a line for each label: uid, label (a number, yes or no), and where there are several, "
    "verdict (its number, from 1) and metric"
)


@frozen
class Label:
    """Human label of an item, or of one verdict on it.

    Parameters
    ----------
    uid : str
        The item.
    value : float
        The score; for a verdict, 1 for yes and 0 otherwise.
    verdict : int, optional
        Number of the verdict, from 1, if the label is of a verdict.
    metric : str, optional
        The metric, if the file names it.
    place : str
        File and line, for errors.
    """

    uid: str
    value: float
    verdict: int | None = None
    metric: str | None = None
    place: str = ""


def read_labels(path: Path) -> tuple[Label, ...]:
    """Read the labels of a file, without lines whose label is empty.

    Parameters
    ----------
    path : Path
        A file in CSV, with names of columns in its first line, or in JSON Lines. Columns other than
        uid, label, verdict and metric are ignored.

    Raises
    ------
    ReadError
        If the file cannot be read, or a line is not a label.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"{path}: expected text in UTF-8", "Save the file in UTF-8.") from error
    except OSError as error:
        raise ReadError(f"{path}: expected a readable file, found: {error.strerror}") from error
    rows = _csv_rows if path.suffix.lower() == ".csv" else _json_rows
    labels = []
    known: dict[tuple[Any, ...], str] = {}
    for place, row in rows(text, str(path)):
        label = _label(row, place)
        if label is None:
            continue
        about = (label.uid, label.verdict, label.metric)
        if about in known:
            raise ReadError(
                f"{place}: expected one label of {shown(label.uid)}, another is at {known[about]}",
                "Keep the one that humans agreed on.",
            )
        known[about] = place
        labels.append(label)
    return tuple(labels)


def _csv_rows(text: str, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    reader = csv.DictReader(text.splitlines(keepends=True), strict=True)
    try:
        for row in reader:
            yield f"{path}:{reader.line_num}", row
    except csv.Error as error:
        raise ReadError(f"{path}:{reader.line_num}: expected CSV, found {error}") from error


def _json_rows(text: str, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{place}: expected a line of JSON, found {error}", _REMEDY) from error
        if not isinstance(row, dict):
            raise ReadError(f"{place}: expected a table, found {shown(row)}", _REMEDY)
        yield place, row


def _label(row: Mapping[str, Any], place: str) -> Label | None:
    for name in ("uid", "label"):
        if row.get(name) is None and name not in row:
            raise ReadError(f"{place}: {name}: expected a column of this name, found none", _REMEDY)
    if row["label"] is None or row["label"] == "":
        return None
    uid, verdict, metric = row["uid"], row.get("verdict"), row.get("metric")
    if isinstance(uid, bool) or not isinstance(uid, (str, int)) or uid == "":
        raise ReadError(f"{place}: uid: expected a text or a whole number, found {shown(uid)}")
    number = None if verdict is None or verdict == "" else _number(verdict, place)
    value = _value(row["label"], f"{place}: label")
    if number is not None and value not in (0.0, 1.0):
        raise ReadError(
            f"{place}: label: expected yes or no of a verdict, found {shown(row['label'])}"
        )
    return Label(str(uid), value, number, str(metric) if metric else None, place)


def _number(value: Any, place: str) -> int:
    try:
        number = int(value) if not isinstance(value, float) else -1
    except (TypeError, ValueError):
        number = -1
    if number < 1 or isinstance(value, bool):
        raise ReadError(f"{place}: verdict: expected a number from 1, found {shown(value)}")
    return number


def _value(value: Any, place: str) -> float:
    if isinstance(value, str) and value.strip().casefold() in _WORDS:
        return _WORDS[value.strip().casefold()]
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ReadError(f"{place}: expected a number, yes or no, found {shown(value)}", _REMEDY)
    return number
