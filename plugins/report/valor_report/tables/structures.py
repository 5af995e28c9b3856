"""Curves, matrices and breakdowns in the values of results.

They are detected by the form of the value instead of the name of the metric, so that curves of
custom metrics are drawn as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.results import ConfusionTable
from valor_core.results.entries import named_numbers
from valor_core.results.result import is_number

NO_PREDICTION = "(no prediction)"
NO_GROUND_TRUTH = "(no ground truth)"

Point = tuple[float, float]

_PAIRS = (
    ("roc", "fpr", "tpr"),
    ("precision_recall", "recall", "precision"),
    ("precision_recall", "recalls", "precisions"),
)


@frozen(repr=False)
class Curve:
    """Curve of one label.

    Parameters
    ----------
    kind : str
        ``"roc"`` or ``"precision_recall"``.
    label : str
        The label; empty if the value is a single curve.
    points : tuple of pairs of float
        Coordinates x and y, in order.
    size : int, optional
        Number of ground truths of the label, if the value has it.
    """

    kind: str
    label: str
    points: tuple[Point, ...]
    size: int | None = None

    @property
    def area(self) -> float:
        """Area under the curve by the trapezoidal rule."""
        pairs = zip(self.points, self.points[1:], strict=False)
        return abs(sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairs))


Pair = tuple[str, str, float, float]
"""Row, column, number and share of the row."""


@frozen(eq=False, repr=False)
class Matrix:
    """Sparse matrix with named rows and columns.

    Parameters
    ----------
    rows, columns : tuple of str
        Labels; of ground truths (rows) and predictions (columns) if `confusion`.
    confusion : bool
        Whether the matrix counts pairs of ground truth and prediction.
    row_of, column_of : ndarray of int64, shape (n_cells,)
        Row and column of each number that is not 0, ascending.
    cells : ndarray, shape (n_cells,)
        Numbers that are not 0.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    confusion: bool
    row_of: NDArray[np.int64]
    column_of: NDArray[np.int64]
    cells: NDArray[Any]

    @property
    def numbers(self) -> NDArray[Any]:
        """Dense array, shape (n_rows, n_columns)."""
        numbers = np.zeros((len(self.rows), len(self.columns)), self.cells.dtype)
        numbers[self.row_of, self.column_of] = self.cells
        return numbers

    @property
    def size(self) -> int:
        """Number of labels in rows or columns, whichever is larger, without unmatched objects."""
        no_label = (NO_GROUND_TRUTH, NO_PREDICTION) if self.confusion else ()
        return max(sum(name not in no_label for name in side) for side in (self.rows, self.columns))

    @property
    def is_hit(self) -> NDArray[np.bool_]:
        """Cells whose row and column have the same label, shape (n_cells,)."""
        columns = {name: index for index, name in enumerate(self.columns)}
        same = np.array([columns.get(name, -1) for name in self.rows], np.int64)
        hits: NDArray[np.bool_] = same[self.row_of] == self.column_of
        return hits

    @property
    def is_unmatched(self) -> NDArray[np.bool_]:
        """Cells without a ground truth or without a prediction, shape (n_cells,)."""
        rows = np.array([name == NO_GROUND_TRUTH for name in self.rows], np.bool_)
        columns = np.array([name == NO_PREDICTION for name in self.columns], np.bool_)
        unmatched: NDArray[np.bool_] = rows[self.row_of] | columns[self.column_of]
        return unmatched & self.confusion

    def largest(self, among: NDArray[np.bool_], most: int) -> list[Pair]:
        """Largest numbers of the cells in a mask, at most `most`; the order of ties is stable."""
        found = np.flatnonzero(among)
        found = found[np.argsort(-self.cells[found], kind="stable")][:most]
        sums = np.bincount(self.row_of, np.abs(self.cells), len(self.rows))
        return [
            (self.rows[row], self.columns[column], number, abs(number) / sums[row].item())
            for row, column, number in zip(
                *(part[found].tolist() for part in (self.row_of, self.column_of, self.cells)),
                strict=True,
            )
        ]


@frozen(repr=False)
class Breakdown:
    """Table with the same numbers for each of several kinds.

    Parameters
    ----------
    kinds : tuple of str
        Names of the rows.
    columns : tuple of str
        Names of the numbers.
    numbers : tuple of tuple of float or None
        One row per kind.
    by : str
        Name of the quantity that the kinds are values of, such as ``"noise_ratio"``, if known.
    """

    kinds: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: tuple[tuple[float | None, ...], ...]
    by: str = ""

    @property
    def places(self) -> tuple[float, ...] | None:
        """Kinds as numbers, which make the breakdown a curve; None if a kind is not a number.

        Examples
        --------
        >>> Breakdown(("0.0", "0.5"), ("accuracy",), ((1.0,), (0.75,))).places
        (0.0, 0.5)
        """
        numbers = tuple(map(number_of, self.kinds))
        valid = tuple(number for number in numbers if number is not None)
        return valid if len(valid) == len(numbers) else None


Structure = tuple[Curve, ...] | Matrix | Breakdown
"""Value that is drawn or has a separate table."""


def structure(value: Any) -> Structure | None:
    """Parse the curves, matrix or breakdown of a result's value; None for other values."""
    if isinstance(value, ConfusionTable):
        return matrix(value)
    return curves(value) or matrix(value) or breakdown(value)


def matrix(value: Any) -> Matrix | None:
    """Parse a matrix; None for other values.

    Examples
    --------
    >>> matrix({"confusion_matrix": {"cat": {"cat": 1, "dog": 2}}}).numbers.tolist()
    [[1, 2], [0, 0]]
    """
    if isinstance(value, ConfusionTable):
        return _confusion(value.labels, value.rows, value.columns, value.numbers)
    if not isinstance(value, Mapping):
        return None
    if "confusion_matrix" not in value:
        return _cells(value)
    held = _cells(value["confusion_matrix"])
    truths = value.get("unmatched_ground_truths") or {}
    predictions = value.get("unmatched_predictions") or {}
    if held is None or not isinstance(truths, Mapping) or not isinstance(predictions, Mapping):
        return None
    names = map(str, chain(held.rows, held.columns, truths, predictions))
    labels = tuple(dict.fromkeys(names))
    place = {name: number for number, name in enumerate(labels)}
    numbers = np.zeros((len(labels) + 1,) * 2, held.cells.dtype)
    rows, columns = (np.array([place[name] for name in side]) for side in (held.rows, held.columns))
    numbers[rows[held.row_of], columns[held.column_of]] = held.cells
    missed, made_up = _counts(truths), _counts(predictions)
    numbers = numbers.astype(np.result_type(numbers, missed, made_up))
    numbers[[place[str(name)] for name in truths], -1] = missed
    numbers[-1, [place[str(name)] for name in predictions]] = made_up
    row_of, column_of = np.nonzero(numbers)
    return _confusion(labels, row_of, column_of, numbers[row_of, column_of])


def _confusion(
    labels: tuple[str, ...],
    row_of: NDArray[np.int64],
    column_of: NDArray[np.int64],
    cells: NDArray[Any],
) -> Matrix:
    """Confusion matrix; a row or column of unmatched objects is included if it has numbers."""
    made_up, missed = (row_of == len(labels)).any(), (column_of == len(labels)).any()
    return Matrix(
        (*labels, NO_GROUND_TRUTH)[: len(labels) + made_up],
        (*labels, NO_PREDICTION)[: len(labels) + missed],
        True,
        row_of,
        column_of,
        cells,
    )


def _cells(value: Any) -> Matrix | None:
    """Parse nested mappings of numbers by row and column; None for other values."""
    if not isinstance(value, Mapping) or not value:
        return None
    rows = list(value.values())
    if not all(isinstance(row, Mapping) and row for row in rows):
        return None
    columns = list(dict.fromkeys(chain.from_iterable(rows)))
    cells = [list(map(row.get, columns, repeat(0))) for row in rows]
    if not set(map(type, chain.from_iterable(cells))) <= {int, float}:
        cells = [list(map(count_of, row)) for row in cells]
        if None in chain.from_iterable(cells):
            return None
    numbers = np.array(cells)
    row_of, column_of = np.nonzero(numbers)
    names = tuple(map(str, value)), tuple(map(str, columns))
    return Matrix(*names, False, row_of, column_of, numbers[row_of, column_of])


def _counts(unmatched: Mapping[Any, Any]) -> NDArray[Any]:
    return np.array([count_of(entry) or 0 for entry in unmatched.values()] or [0])


def count_of(entry: Any) -> float | None:
    """Number in an entry: the entry itself, or its ``count``; None without a number.

    Examples
    --------
    >>> count_of(3), count_of({"count": 3, "examples": []}), count_of("many")
    (3, 3, None)
    """
    if isinstance(entry, Mapping):
        entry = entry.get("count")
    return entry if is_number(entry) else None


def curves(value: Any) -> tuple[Curve, ...]:
    """Parse the curves of a value, one per label; empty for other values.

    Examples
    --------
    >>> [curve.label for curve in curves({"cat": {"fpr": [0, 1], "tpr": [0, 1]}})]
    ['cat']
    """
    if not isinstance(value, Mapping):
        return ()
    single = _listed("", value) or _by_threshold("", value)
    if single is not None:
        return (single,)
    found = []
    for label, entry in value.items():
        if isinstance(entry, Mapping) and entry.keys() == {"undefined"}:
            continue  # other labels may have curves
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
    # Without predictions, precision is 0/0, so its value in the row is not a point of the curve.
    kept = [row for row in rows if row.get("tp") is None or row["tp"] or row.get("fp")]
    points = _pairs([row["recall"] for row in kept], [row["precision"] for row in kept])
    counted = [row for row in rows if is_number(row.get("tp")) and is_number(row.get("fn"))]
    sizes = [row["tp"] + row["fn"] for row in counted]
    return Curve("precision_recall", label, tuple(points), max(sizes, default=None))


def _is_pair(row: Any) -> bool:
    """Return True for a mapping with one precision and one recall, numbers or null."""
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
    """Parse a breakdown at the top level of a value or one level below; None for other values.

    Examples
    --------
    >>> kinds = {"missed": {"count": 3, "cost": 0.5}, "made up": {"count": 1, "cost": 0.25}}
    >>> breakdown({"ap": 0.25, "errors": kinds, "all": {"count": 4, "cost": 0.75}}).numbers
    ((3, 0.5), (1, 0.25), (4, 0.75))
    """
    if not isinstance(value, Mapping):
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
    """Parse a number; None for other text.

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
    """Return True for a mapping to numbers, which may be null."""
    return isinstance(value, Mapping) and len(value) == len(named_numbers(value)) > 0


def outline(value: Any, found: Sequence[Curve] = ()) -> str:
    """Describe a structured value in a few words.

    Parameters
    ----------
    value : object
        The value.
    found : sequence of Curve
        Curves parsed from the value.

    Examples
    --------
    >>> roc = {"cat": {"fpr": [0, 1], "tpr": [0, 1]}}
    >>> outline(roc, curves(roc))
    'curve, 1 label × 2 points'
    """  # noqa: RUF002
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
