"""Values that are drawn but have no table, detected by their structure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from valor_core.results.result import is_number
from valor_report.tables.structures import Point, count_of, number_of

_BIN_NAMES = {
    "confidence": ("confidence", "mean_confidence", "mean_score", "score"),
    "accuracy": ("accuracy", "mean_accuracy", "precision", "frequency", "fraction_of_positives"),
    "count": ("count", "size", "n"),
    "low": ("low", "lower", "from"),
    "high": ("high", "upper", "to"),
}


@frozen
class Bin:
    """Bin of a reliability diagram.

    Parameters
    ----------
    confidence, accuracy : float
        Mean score, and share of correct predictions.
    count : float
        Number of scores.
    low, high : float, optional
        Edges of the bin.
    measure : str
        Name of `accuracy` in the value, such as ``"precision"`` for detections.
    """

    confidence: float
    accuracy: float
    count: float
    low: float | None = None
    high: float | None = None
    measure: str = "accuracy"

    @property
    def hits(self) -> float:
        """Number of scores of correct predictions; a whole number if the number of scores is."""
        hits = self.count * self.accuracy
        return round(hits) if isinstance(self.count, int) else hits


@frozen
class ThresholdCounts:
    """Counts of one kind of hits or errors by score threshold, summed over labels.

    Parameters
    ----------
    kind : str
        Name of the kind.
    points : tuple of pairs of float
        Thresholds and counts.
    """

    kind: str
    points: tuple[Point, ...]


def tallies(value: Any) -> tuple[ThresholdCounts, ...]:
    """Sum a value's counts of hits and errors over labels; empty for other values.

    Examples
    --------
    >>> def at(count):
    ...     kinds = {"hallucinations": {"count": count}}
    ...     return {"fp": {"total": count, "observations": kinds}}
    >>> tallies({"cat": {"0.5": at(3), "0.75": at(1)}, "dog": {"0.5": at(1), "0.75": at(0)}})
    (ThresholdCounts(kind='fp, hallucinations', points=((0.5, 4.0), (0.75, 1.0))),)
    """
    if not isinstance(value, Mapping):
        return ()
    counts: dict[str, dict[float, float]] = {}
    for by_threshold in value.values():
        for threshold, sides in _members(by_threshold):
            for side, held in _members(sides):
                for kind, entry in _members(_member(held, "observations")):
                    count, at = count_of(entry), number_of(threshold)
                    if count is None or at is None:
                        return ()
                    sums = counts.setdefault(f"{side}, {kind.replace('_', ' ')}", {})
                    sums[at] = sums.get(at, 0.0) + count
    return tuple(ThresholdCounts(name, tuple(sorted(at.items()))) for name, at in counts.items())


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _members(value: Any) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, Mapping) else ()


def bins(value: Any) -> tuple[Bin, ...]:
    """Bins of a reliability diagram in a value, without empty bins."""
    entries = value.get("bins") if isinstance(value, Mapping) else None
    if not isinstance(entries, (list, tuple)):
        return ()
    found = []
    for entry in entries:
        numbers = {name: _first(entry, names) for name, names in _BIN_NAMES.items()}
        confidence, accuracy = numbers["confidence"], numbers["accuracy"]
        count = 1.0 if numbers["count"] is None else numbers["count"]
        if confidence is not None and accuracy is not None and count:
            named = (name for name in ("precision", "frequency") if name in entry)
            measure = next(named, "accuracy")
            edges = numbers["low"], numbers["high"]
            found.append(Bin(confidence, accuracy, count, *edges, measure))
    return tuple(found)


def _first(entry: Any, names: Iterable[str]) -> float | None:
    if not isinstance(entry, Mapping):
        return None
    return next((entry[name] for name in names if is_number(entry.get(name))), None)
