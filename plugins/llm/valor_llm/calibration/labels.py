"""Human labels of items, and their pairs with the judge's scores."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from valor_core.errors import ReadError, short_repr
from valor_core.results import ItemRow
from valor_core.specs import Range
from valor_llm.calibration.record import LEAST_LABELS, Pair

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
    where : str
        File and line, for errors.
    """

    uid: str
    value: float
    verdict: int | None = None
    metric: str | None = None
    where: str = ""


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
    first_at: dict[tuple[Any, ...], str] = {}
    for where, row in rows(text, str(path)):
        label = _label(row, where)
        if label is None:
            continue
        about = (label.uid, label.verdict, label.metric)
        if about in first_at:
            raise ReadError(
                f"{where}: expected one label of {short_repr(label.uid)}, another is at "
                f"{first_at[about]}",
                "Keep the one that humans agreed on.",
            )
        first_at[about] = where
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
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{where}: expected a line of JSON, found {error}", _REMEDY) from error
        if not isinstance(row, dict):
            raise ReadError(f"{where}: expected a table, found {short_repr(row)}", _REMEDY)
        yield where, row


def _label(row: Mapping[str, Any], where: str) -> Label | None:
    for name in ("uid", "label"):
        if row.get(name) is None and name not in row:
            raise ReadError(f"{where}: {name}: expected a column of this name, found none", _REMEDY)
    if row["label"] is None or row["label"] == "":
        return None
    uid, verdict, metric = row["uid"], row.get("verdict"), row.get("metric")
    if isinstance(uid, bool) or not isinstance(uid, (str, int)) or uid == "":
        raise ReadError(f"{where}: uid: expected a text or a whole number, found {short_repr(uid)}")
    number = None if verdict is None or verdict == "" else _number(verdict, where)
    value = _value(row["label"], f"{where}: label")
    if number is not None and value not in (0.0, 1.0):
        raise ReadError(
            f"{where}: label: expected yes or no of a verdict, found {short_repr(row['label'])}"
        )
    return Label(str(uid), value, number, str(metric) if metric else None, where)


def _number(value: Any, where: str) -> int:
    try:
        number = int(value) if not isinstance(value, float) else -1
    except (TypeError, ValueError):
        number = -1
    if number < 1 or isinstance(value, bool):
        raise ReadError(f"{where}: verdict: expected a number from 1, found {short_repr(value)}")
    return number


def _value(value: Any, where: str) -> float:
    if isinstance(value, str) and value.strip().casefold() in _WORDS:
        return _WORDS[value.strip().casefold()]
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ReadError(
            f"{where}: expected a number, yes or no, found {short_repr(value)}", _REMEDY
        )
    return number


@frozen
class JudgedItem:
    """Score and verdicts of a judge on one item.

    Parameters
    ----------
    uid : str
        The item's name.
    item : str
        A digest of its content.
    score : float
        Its score.
    verdicts : tuple of bool
        For each verdict, whether it is yes.
    """

    uid: str
    item: str
    score: float
    verdicts: tuple[bool, ...] = ()

    @property
    def is_share(self) -> bool:
        """True if the score is the share of verdicts that are yes."""
        count = len(self.verdicts)
        return bool(count) and math.isclose(self.score, sum(self.verdicts) / count, abs_tol=1e-9)


def judged_items(rows: Iterable[ItemRow]) -> list[JudgedItem]:
    """Return the items that have a score."""
    return [
        JudgedItem(
            str(row.uid),
            str(row.details.get("item", row.uid)),
            row.value,
            verdicts_of(row.details),
        )
        for row in rows
        if isinstance(row.value, float)
    ]


def verdicts_of(details: Mapping[str, Any]) -> tuple[bool, ...]:
    """Return whether each verdict of an item is yes; empty if the item was scored several times."""
    return tuple(row.get("verdict") == "yes" for row in details.get("verdicts", ()))


def are_shares(items: Sequence[JudgedItem]) -> bool:
    """Return whether the scores of all items with verdicts are their shares of yes."""
    judged = [item for item in items if item.verdicts]
    return bool(judged) and all(item.is_share for item in judged)


@define
class Pairs:
    """Labels of one metric, paired with the judge's scores.

    Parameters
    ----------
    items : list of Pair
        Scores of items.
    verdicts : list of Pair
        Verdicts on items.
    unscored : int
        Number of labelled items without a score.
    """

    items: list[Pair] = field(factory=list)
    verdicts: list[Pair] = field(factory=list)
    unscored: int = 0

    @property
    def labelled(self) -> int:
        """Number of items with a label and a score."""
        return len({pair.item for pair in (*self.items, *self.verdicts)})

    def check_enough(self, metric: str) -> None:
        """Raise a `ReadError` if there are not enough labels."""
        if self.labelled < LEAST_LABELS:
            without = f", {self.unscored} more have no score" if self.unscored else ""
            raise ReadError(
                f"{metric}: expected labels of at least {LEAST_LABELS} items, found "
                f"{self.labelled}{without}",
                f"Label {LEAST_LABELS - self.labelled} more items, drawn at random from the data.",
            )


def paired(labels: Sequence[Label], judged: Mapping[str, JudgedItem | None], range: Range) -> Pairs:
    """Pair labels with the judge's scores of the same items.

    All verdicts of an item together are its score too, if that is their share of yes and has no
    separate label.

    Parameters
    ----------
    labels : sequence of Label
        The labels of one metric.
    judged : mapping of str to JudgedItem or None
        The items of the data by uid; None of one without a score.
    range : Range
        Range of the scores.

    Raises
    ------
    ReadError
        If a label names an unknown item or verdict, or is outside the range.
    """
    found = Pairs()
    unscored = set()
    scored: set[str] = set()
    verdicts: dict[str, dict[int, float]] = {}
    for label in labels:
        if label.uid not in judged:
            raise ReadError(
                f"{label.where}: uid: expected an item of the data, found {short_repr(label.uid)}",
                "Label items that the config reads, or take the line out.",
            )
        item = judged[label.uid]
        if item is None:
            unscored.add(label.uid)
        elif label.verdict is None:
            if label.value not in range:
                raise ReadError(
                    f"{label.where}: label: expected a score of {range}, found {label.value:g}"
                )
            found.items.append(Pair(item.item, item.score, label.value))
            scored.add(label.uid)
        else:
            _check_verdict(label, item)
            verdicts.setdefault(label.uid, {})[label.verdict] = label.value
    for uid, labelled in verdicts.items():
        item = judged[uid]
        assert item is not None
        for number, value in sorted(labelled.items()):
            said = float(item.verdicts[number - 1])
            found.verdicts.append(Pair(item.item, said, value))
        if uid not in scored and item.is_share and len(labelled) == len(item.verdicts):
            share = sum(labelled.values()) / len(labelled)
            found.items.append(Pair(item.item, item.score, share))
    found.unscored = len(unscored)
    return found


def _check_verdict(label: Label, item: JudgedItem) -> None:
    assert label.verdict is not None
    if label.verdict > len(item.verdicts):
        there = f"of {len(item.verdicts)}" if item.verdicts else "of none"
        raise ReadError(
            f"{label.where}: verdict: expected one {there} of item {short_repr(label.uid)}, found "
            f"{label.verdict}",
            "Number the verdicts in the order of a report with: items: true; label items "
            "without verdicts, or of several judges and repeats, by their score",
        )
