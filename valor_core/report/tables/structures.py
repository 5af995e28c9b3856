"""Curves, matrices and breakdowns: what a result's value holds beyond single numbers.

A value is recognized by its form, not by the metric's name, so that a stranger's curve is drawn
like ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from valor_core.metrics.result import is_number

NO_PREDICTION = "(no prediction)"
NO_GROUND_TRUTH = "(no ground truth)"

Point = tuple[float, float]

_PAIRS = (
    ("roc", "fpr", "tpr"),
    ("precision_recall", "recall", "precision"),
    ("precision_recall", "recalls", "precisions"),
)


@frozen
class Curve:
    """Points of one label, in order.

    Parameters
    ----------
    kind : str
        ``"roc"`` or ``"precision_recall"``.
    label : str
        Whose curve it is; empty where the value holds one only.
    points : tuple of pairs of float
        x and y.
    """

    kind: str
    label: str
    points: tuple[Point, ...]

    @property
    def area(self) -> float:
        """Area below the points, by trapezoids; tells which curves to bring forward."""
        pairs = zip(self.points, self.points[1:], strict=False)
        return abs(sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairs))


@frozen
class Matrix:
    """Numbers by two labels.

    Parameters
    ----------
    rows, columns : tuple of str
        Their labels; ground truths in rows and predictions in columns where `confusion`.
    numbers : tuple of tuple of float
        One row per label.
    confusion : bool
        Whether it counts pairs of ground truth and prediction.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: tuple[tuple[float, ...], ...]
    confusion: bool

    @property
    def size(self) -> int:
        """The larger number of labels on a side."""
        return max(len(self.rows), len(self.columns))

    def off_diagonal(self) -> list[tuple[str, str, float]]:
        """Row, column and number wherever the labels differ, largest first."""
        found = [
            (row, column, value)
            for row, values in zip(self.rows, self.numbers, strict=True)
            for column, value in zip(self.columns, values, strict=True)
            if row != column and value
        ]
        return sorted(found, key=lambda entry: -entry[2])


@frozen
class Breakdown:
    """The same few numbers of each of several kinds.

    Parameters
    ----------
    kinds : tuple of str
        What the rows are.
    columns : tuple of str
        What the numbers are.
    numbers : tuple of tuple of float or None
        One row per kind.
    by : str
        What the kinds are values of, where the value says so: ``"noise_ratio"``.
    """

    kinds: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: tuple[tuple[float | None, ...], ...]
    by: str = ""

    @property
    def places(self) -> tuple[float, ...] | None:
        """The kinds as numbers, where all of them are; then it is a curve.

        Examples
        --------
        >>> Breakdown(("0.0", "0.5"), ("accuracy",), ((1.0,), (0.75,))).places
        (0.0, 0.5)
        """
        numbers = tuple(map(number_of, self.kinds))
        known = tuple(number for number in numbers if number is not None)
        return known if len(known) == len(numbers) else None


def named_numbers(value: Any) -> dict[str, float | None]:
    """The members of a mapping that are numbers or null.

    Examples
    --------
    >>> named_numbers({"ece": 0.1, "bins": []})
    {'ece': 0.1}
    """
    if not isinstance(value, Mapping) or not any(map(is_number, value.values())):
        return {}
    return {str(k): v for k, v in value.items() if v is None or is_number(v)}


def matrix(value: Any) -> Matrix | None:
    """The matrix that a value holds, or None.

    Examples
    --------
    >>> matrix({"confusion_matrix": {"cat": {"cat": 1, "dog": 2}}}).numbers
    ((1, 2), (0, 0))
    """
    if not isinstance(value, Mapping):
        return None
    if "confusion_matrix" in value:
        return _confusion(
            value["confusion_matrix"],
            value.get("unmatched_ground_truths") or {},
            value.get("unmatched_predictions") or {},
        )
    if not value or _cells(value) is None:
        return None
    rows = tuple(map(str, value))
    columns = tuple(dict.fromkeys(str(name) for row in value.values() for name in row))
    return _filled(rows, columns, _cells(value) or {}, confusion=False)


def _confusion(cells: Any, truths: Any, predictions: Any) -> Matrix | None:
    counted = _cells(cells)
    if counted is None or not isinstance(truths, Mapping) or not isinstance(predictions, Mapping):
        return None
    seen = [*cells, *(name for row in cells.values() for name in row), *truths, *predictions]
    labels = tuple(dict.fromkeys(map(str, seen)))
    rows, columns = labels, labels
    if any(map(count_of, truths.values())):
        columns = (*labels, NO_PREDICTION)
        counted |= {(str(name), NO_PREDICTION): count_of(n) or 0 for name, n in truths.items()}
    if any(map(count_of, predictions.values())):
        rows = (*labels, NO_GROUND_TRUTH)
        counted |= {
            (NO_GROUND_TRUTH, str(name)): count_of(n) or 0 for name, n in predictions.items()
        }
    return _filled(rows, columns, counted, confusion=True)


def _filled(
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    cells: Mapping[tuple[str, str], float],
    *,
    confusion: bool,
) -> Matrix:
    numbers = tuple(tuple(cells.get((row, column), 0) for column in columns) for row in rows)
    return Matrix(rows, columns, numbers, confusion)


def _cells(value: Any) -> dict[tuple[str, str], float] | None:
    """Numbers by row and column, or None where there is anything but numbers."""
    if not isinstance(value, Mapping):
        return None
    cells = {}
    for row, entries in value.items():
        if not isinstance(entries, Mapping) or not entries:
            return None
        for column, entry in entries.items():
            count = count_of(entry)
            if count is None:
                return None
            cells[str(row), str(column)] = count
    return cells


def count_of(entry: Any) -> float | None:
    """A number, alone or with examples beside it.

    Examples
    --------
    >>> count_of(3), count_of({"count": 3, "examples": []}), count_of("many")
    (3, 3, None)
    """
    if isinstance(entry, Mapping):
        entry = entry.get("count")
    return entry if is_number(entry) else None


def curves(value: Any) -> tuple[Curve, ...]:
    """The curves that a value holds, one per label.

    Examples
    --------
    >>> [curve.label for curve in curves({"cat": {"fpr": [0, 1], "tpr": [0, 1]}})]
    ['cat']
    """
    if not isinstance(value, Mapping):
        return ()
    own = _listed("", value) or _by_threshold("", value)
    if own is not None:
        return (own,)
    found = []
    for label, entry in value.items():
        curve = _listed(str(label), entry) or _by_threshold(str(label), entry)
        if curve is None:
            return ()
        found.append(curve)
    return tuple(found)


def _listed(label: str, entry: Any) -> Curve | None:
    if not isinstance(entry, Mapping):
        return None
    for kind, x, y in _PAIRS:
        if _is_list(entry.get(x)) and _is_list(entry.get(y)):
            return Curve(kind, label, tuple(_pairs(entry[x], entry[y])))
    return None


def _by_threshold(label: str, entry: Any) -> Curve | None:
    if not isinstance(entry, Mapping) or not entry:
        return None
    rows = list(entry.values())
    if not all(map(_is_pair, rows)):
        return None
    # Where nothing is predicted precision is 0/0, and whatever stands for it is no point.
    kept = [row for row in rows if row.get("tp") is None or row["tp"] or row.get("fp")]
    points = _pairs([row["recall"] for row in kept], [row["precision"] for row in kept])
    return Curve("precision_recall", label, tuple(points))


def _is_pair(row: Any) -> bool:
    """Whether it has one precision and one recall, numbers or null."""
    return isinstance(row, Mapping) and all(
        name in row and (row[name] is None or is_number(row[name]))
        for name in ("precision", "recall")
    )


def _pairs(xs: Iterable[Any], ys: Iterable[Any]) -> Iterator[Point]:
    for x, y in zip(xs, ys, strict=False):
        if is_number(x) and is_number(y) and x >= 0 and y >= 0:
            yield float(x), float(y)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def breakdown(value: Any) -> Breakdown | None:
    """The breakdown that a value holds, at its top or one level below, or None.

    Examples
    --------
    >>> kinds = {"missed": {"count": 3, "cost": 0.5}, "made up": {"count": 1, "cost": 0.25}}
    >>> breakdown({"ap": 0.25, "errors": kinds, "all": {"count": 4, "cost": 0.75}}).numbers
    ((3, 0.5), (1, 0.25), (4, 0.75))
    """
    if not isinstance(value, Mapping) or matrix(value) is not None or curves(value):
        return None
    rows: dict[str, Mapping[str, Any]] = {}
    holders = []
    for name, member in value.items():
        if not isinstance(member, Mapping):
            continue
        rows |= {str(name): member} if _is_record(member) else dict(member)
        holders.append("" if _is_record(member) else str(name))
    by = holders[0] if len(holders) == 1 else ""
    if len(rows) < (1 if by else 2) or not all(map(_is_record, rows.values())):
        return None
    columns = tuple(next(iter(rows.values())))
    if any(tuple(row) != columns for row in rows.values()):
        return None
    numbers = tuple(tuple(row.values()) for row in rows.values())
    return Breakdown(tuple(map(str, rows)), tuple(map(str, columns)), numbers, by)


def number_of(text: str) -> float | None:
    """The number that a text is, or None.

    Examples
    --------
    >>> number_of("0.5"), number_of("not given")
    (0.5, None)
    """
    try:
        return float(text)
    except ValueError:
        return None


def _is_record(value: Any) -> bool:
    """Whether it is a mapping to numbers, some of which may not be there."""
    return isinstance(value, Mapping) and len(value) == len(named_numbers(value)) > 0


def outline(value: Any) -> str:
    """A structured value in a few words.

    Examples
    --------
    >>> outline({"cat": {"fpr": [0, 1], "tpr": [0, 1]}})
    'curve, 1 label × 2 points'
    """  # noqa: RUF002
    found = curves(value)
    if found:
        return _curve_outline(value, found)
    if isinstance(value, Mapping) and _is_list(value.get("bins")):
        return _plural(len(value["bins"]), "bin")
    if isinstance(value, Mapping):
        return f"table of {_plural(len(value), 'entry', 'entries')}"
    return f"list of {_plural(len(value), 'entry', 'entries')}" if _is_list(value) else str(value)


def _curve_outline(value: Mapping[str, Any], found: Sequence[Curve]) -> str:
    if found[0].label == "" and len(found) == 1:
        return f"curve, {_plural(len(found[0].points), 'point')}"
    nested = [entry for entry in value.values() if not any(map(_is_list, entry.values()))]
    word = "threshold" if nested else "point"
    sizes = {len(entry) for entry in nested} or {len(curve.points) for curve in found}
    size = _plural(max(sizes), word)
    between = "×" if len(sizes) == 1 else "× up to"  # noqa: RUF001
    return f"curve, {_plural(len(found), 'label')} {between} {size}"


def _plural(count: int, word: str, words: str | None = None) -> str:
    return f"{count:,} {word if count == 1 else words or word + 's'}"
