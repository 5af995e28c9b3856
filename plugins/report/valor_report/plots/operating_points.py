"""Numbers of labels by score threshold, and the thresholds that were chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from attrs import frozen

from valor_core.results import Result
from valor_core.results.result import is_number
from valor_report.plots.charts import Point
from valor_report.tables.structures import number_of

ALL_LABELS: Final = "all labels together"

_MEASURES: Final = {"precision": "precision", "recall": "recall", "f1": "F1", "f1_score": "F1"}
_MOST_LABELS: Final = 2
"""Maximum number of labels with a separate chart of thresholds."""
_COUNTS: Final = ("tp", "fp", "fn")


@frozen
class ThresholdCurve:
    """Measures of one label at each score threshold.

    Parameters
    ----------
    label : str
        The label, or `ALL_LABELS`.
    measures : mapping of str to tuple of pairs of float
        Thresholds and values by name of the measure.
    """

    label: str
    measures: Mapping[str, tuple[Point, ...]]


@frozen
class ChosenPoint:
    """Score threshold that a metric chose, and the measures there.

    Parameters
    ----------
    label : str
        The label, or `ALL_LABELS`.
    threshold : float
        The threshold.
    measures : mapping of str to float
        Measures at the threshold: ``"precision"``, ``"recall"``, ``"F1"``, ``"specificity"``.
    result : Result
        Result with the threshold.
    """

    label: str
    threshold: float
    measures: Mapping[str, float]
    result: Result

    def belongs_to(self, other: Result) -> bool:
        """Return True if the point is of the same data and settings as another result."""
        mine, others = self.result.parameters, other.parameters
        shared = (mine.keys() & others.keys()) - {"label", "average"}
        return self.result.slice == other.slice and all(mine[key] == others[key] for key in shared)


def chosen_points(results: Iterable[Result]) -> list[ChosenPoint]:
    """Thresholds that metrics such as ``BestThreshold`` chose.

    Examples
    --------
    >>> value = {"threshold": 0.4, "precision": 0.5, "recall": 1.0, "f1": 0.75}
    >>> best = Result(type="BestThreshold", parameters={"label": "cat"}, value=value)
    >>> [(one.label, one.threshold) for one in chosen_points([best])]
    [('cat', 0.4)]
    """
    found = []
    for result in results:
        if not {"label", "average"} & result.parameters.keys():
            continue
        value = result.content
        if not isinstance(value, Mapping) or not is_number(value.get("threshold")):
            continue
        names = {**_MEASURES, "specificity": "specificity"}
        measures = {names[key]: value[key] for key in names if is_number(value.get(key))}
        label = str(result.parameters.get("label", ALL_LABELS))
        found.append(ChosenPoint(label, value["threshold"], measures, result))
    return found


def threshold_curves(value: Any, labels: Collection[str] | None = None) -> list[ThresholdCurve]:
    """Measures by score threshold of labels in a value; empty for other values.

    Parameters
    ----------
    value : object
        Value of a result.
    labels : collection of str, optional
        Labels of the curves, with `ALL_LABELS` for sums of counts. Defaults to the sums, or to the
        labels of a value with at most two.

    Examples
    --------
    >>> cat = {"0.5": {"precision": 0.5, "recall": 1.0}, "0.9": {"precision": 1, "recall": 0.25}}
    >>> [curve] = threshold_curves({"cat": cat})
    >>> curve.measures["recall"]
    ((0.5, 1.0), (0.9, 0.25))
    """
    if not isinstance(value, Mapping):
        return []
    rows = {str(label): _rows(entry) for label, entry in value.items()}
    if not rows or not all(rows.values()):
        return []
    if labels is None:
        labels = rows.keys() if len(rows) <= _MOST_LABELS else {ALL_LABELS}
    curves = [ThresholdCurve(one, _measures(rows[one])) for one in rows if one in labels]
    summed = _summed(list(rows.values())) if ALL_LABELS in labels else None
    return curves if summed is None else [summed, *curves]


_Row = tuple[float, Mapping[str, Any]]


def _rows(entry: Any) -> list[_Row]:
    """Thresholds with their numbers, in order; empty for other entries."""
    if not isinstance(entry, Mapping) or not all(map(_is_point, entry.values())):
        return []
    rows = [(_threshold(str(key)), row) for key, row in entry.items()]
    valid = [(at, row) for at, row in rows if at is not None]
    return sorted(valid, key=_first) if len(valid) == len(rows) else []


_first = itemgetter(0)
_threshold = lru_cache(1000)(number_of)  # the labels of a curve have the same thresholds


def _is_point(row: Any) -> bool:
    return isinstance(row, Mapping) and "precision" in row and "recall" in row


def _measures(rows: Sequence[_Row]) -> dict[str, tuple[Point, ...]]:
    measures = {}
    for key, name in _MEASURES.items():
        points = tuple(_points(rows, key))
        if points:
            measures[name] = points
    return measures


def _points(rows: Sequence[_Row], key: str) -> Iterator[Point]:
    for at, row in rows:
        # Without predictions, precision is 0/0, and its value in the row is not a point.
        is_defined = key != "precision" or row.get("tp") is None or row["tp"] or row.get("fp")
        if is_number(row.get(key)) and is_defined:
            yield at, float(row[key])


def _summed(labels: Sequence[Sequence[_Row]]) -> ThresholdCurve | None:
    """Curve of the counts of all labels; None without counts, or with different thresholds."""
    sums: list[_Row] = []
    for rows in zip(*labels, strict=False):
        ats = {at for at, _ in rows}
        if len(ats) != 1 or not all(is_number(row.get(key)) for _, row in rows for key in _COUNTS):
            return None
        tp, fp, fn = (sum(row[key] for _, row in rows) for key in _COUNTS)
        ratios = {
            "precision": (tp, tp + fp),
            "recall": (tp, tp + fn),
            "f1": (2 * tp, 2 * tp + fp + fn),
        }
        values = {key: above / below if below else None for key, (above, below) in ratios.items()}
        sums.append((ats.pop(), values))
    return ThresholdCurve(ALL_LABELS, _measures(sums))
