"""Confusion tables: arrays of the cells that are not 0."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

MOST_PLAIN = 1_000
"""Largest number of labels for built-in dictionaries: a million cells take 0.1 s."""

MOST_IN_FULL = 100
"""Largest number of labels for which a JSON report includes cells of 0."""

_MATRIX, _TRUTHS, _PREDICTIONS = _SIDES = (
    "confusion_matrix",
    "unmatched_ground_truths",
    "unmatched_predictions",
)

_Positions = NDArray[np.int64]


def _has_examples(cell: Any) -> bool:
    return isinstance(cell, Mapping) and cell.keys() == {"count", "examples"}


def _texts(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(labels)


@frozen(eq=False, repr=False, kw_only=True)
class ConfusionTable(Mapping[str, Any]):
    """Value of a confusion matrix, kept as arrays until a row is read.

    The mapping contains ``confusion_matrix`` by ground truth and prediction, and
    ``unmatched_ground_truths`` and ``unmatched_predictions`` by label.

    Parameters
    ----------
    labels : tuple of str
        The labels of both sides.
    rows, columns : ndarray of int64, shape (n_cells,)
        Positions of the true and of the predicted label, ascending by row and column. The number of
        labels is the position of unmatched cells.
    numbers : ndarray, shape (n_cells,)
        Counts or shares, without 0.
    examples : mapping of (int, int) to list, optional
        Examples by row and column. With examples, a cell is a table of ``count`` and ``examples``.
    more : mapping
        Other entries of the value.

    Examples
    --------
    >>> counts, missed, made_up = np.array([[1, 2], [0, 3]]), np.array([0, 1]), np.array([0, 0])
    >>> table = ConfusionTable.of(["cat", "dog"], counts, missed, made_up)
    >>> table.numbers, table["confusion_matrix"]["cat"], table["unmatched_ground_truths"]
    (array([1, 2, 3, 1]), {'cat': 1, 'dog': 2}, {'cat': 0, 'dog': 1})
    """

    labels: tuple[str, ...] = field(converter=_texts)
    rows: _Positions
    columns: _Positions
    numbers: NDArray[Any]
    examples: Mapping[tuple[int, int], list[Any]] | None = None
    more: Mapping[str, Any] = field(factory=dict)

    @classmethod
    def of(
        cls,
        labels: Sequence[str],
        counts: NDArray[Any],
        truths: NDArray[Any],
        predictions: NDArray[Any],
        **more: Any,
    ) -> Self:
        """Build a table from a square array and the counts of unmatched labels."""
        size = len(labels)
        inner, missed, made_up = (np.nonzero(part) for part in (counts, truths, predictions))
        rows = np.concatenate([inner[0], *missed, np.full_like(made_up[0], size)])
        columns = np.concatenate([inner[1], np.full_like(missed[0], size), *made_up])
        numbers = np.concatenate([counts[inner], truths[missed], predictions[made_up]])
        order = np.lexsort((columns, rows))
        return cls(
            labels=labels,
            rows=rows[order],
            columns=columns[order],
            numbers=numbers[order],
            more=more,
        )

    @classmethod
    def of_json(cls, value: Any) -> Self | None:
        """Read a table that `to_json` wrote without cells of 0; return None for any other value."""
        matrix = value.get(_MATRIX) if isinstance(value, Mapping) else None
        if not isinstance(matrix, Mapping) or len(matrix) <= MOST_IN_FULL:
            return None
        position = {label: number for number, label in enumerate(matrix)}
        sides = [*matrix.values(), *(value.get(side) for side in (_TRUTHS, _PREDICTIONS))]
        if not all(isinstance(side, Mapping) and side.keys() <= position.keys() for side in sides):
            return None
        size, (*lines, truths, predictions) = len(position), sides
        found = [
            *(
                (row, position[name], cell)
                for row, line in enumerate(lines)
                for name, cell in line.items()
            ),
            *((position[name], size, cell) for name, cell in truths.items()),
            *((size, position[name], cell) for name, cell in predictions.items()),
        ]
        cells = [cell for _, _, cell in found]
        has_examples = bool(cells) and all(map(_has_examples, cells))
        counts = [cell["count"] for cell in cells] if has_examples else cells
        if not all(type(count) in (int, float) and math.isfinite(count) for count in counts):
            return None
        rows, columns = (np.array([cell[side] for cell in found], np.int64) for side in (0, 1))
        order = np.lexsort((columns, rows))
        numbers = np.array(counts)[order] if counts else np.zeros(0, np.int64)
        kept = order[numbers != 0]
        return cls(
            labels=tuple(matrix),
            rows=rows[kept],
            columns=columns[kept],
            numbers=numbers[numbers != 0],
            examples={found[i][:2]: named for i in kept if (named := cells[i]["examples"])}
            if has_examples
            else None,
            more={name: member for name, member in value.items() if name not in _SIDES},
        )

    def __getitem__(self, name: str) -> Any:
        if name == _MATRIX:
            return _Matrix(self)
        size = len(self.labels)
        if name == _TRUTHS:
            found = np.flatnonzero(self.columns == size)
            return self._line(found, self.rows[found])
        return self._row(size) if name == _PREDICTIONS else self.more[name]

    def __iter__(self) -> Iterator[str]:
        yield from _SIDES
        yield from self.more

    def __len__(self) -> int:
        return len(_SIDES) + len(self.more)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionTable):
            return NotImplemented if not isinstance(other, Mapping) else self.plain() == other
        pair = self.aligned(other)
        return (
            pair is not None
            and np.array_equal(*pair)
            and (self.examples, self.more) == (other.examples, other.more)
        )

    def aligned(self, other: ConfusionTable) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return the numbers of both tables in their combined cells, or None if labels differ."""
        if self.labels != other.labels:
            return None
        width = len(self.labels) + 1
        codes = [table.rows * width + table.columns for table in (self, other)]
        both = np.union1d(*codes)
        numbers = np.zeros((2, len(both)), np.result_type(self.numbers, other.numbers))
        for line, code, table in zip(numbers, codes, (self, other), strict=True):
            line[np.searchsorted(both, code)] = table.numbers
        return numbers[0], numbers[1]

    def __repr__(self) -> str:
        return f"<ConfusionTable of {len(self.labels):,} labels>"

    def plain(self) -> Mapping[str, Any]:
        """Return built-in dictionaries, or the table itself if it has too many labels."""
        if len(self.labels) > MOST_PLAIN:
            return self
        return {_MATRIX: dict(self[_MATRIX])} | {name: self[name] for name in list(self)[1:]}

    def to_json(self) -> dict[str, Any]:
        """Return the value for JSON; with many labels, cells of 0 are omitted."""
        if len(self.labels) <= MOST_IN_FULL:
            return dict(self.plain())
        size = len(self.labels)
        lines: list[dict[str, Any]] = [{} for _ in range(size + 1)]
        truths: dict[str, Any] = {}
        names = (*self.labels, "")
        for row, column, cell in zip(
            self.rows.tolist(), self.columns.tolist(), self._cells(), strict=True
        ):
            if column == size:
                truths[names[row]] = cell
            else:
                lines[row][names[column]] = cell
        parts = dict(zip(self.labels, lines[:size], strict=True)), truths, lines[size]
        return dict(zip(_SIDES, parts, strict=True)) | dict(self.more)

    def _cells(self) -> list[Any]:
        numbers: list[Any] = self.numbers.tolist()
        if self.examples is None:
            return numbers
        at = zip(self.rows.tolist(), self.columns.tolist(), strict=True)
        return [
            {"count": number, "examples": self.examples.get(cell, [])}
            for number, cell in zip(numbers, at, strict=True)
        ]

    def _row(self, row: int) -> dict[str, Any]:
        """Return the cells of a row by predicted label."""
        first, end = np.searchsorted(self.rows, [row, row + 1])
        found = np.arange(first, end)
        return self._line(found[self.columns[found] < len(self.labels)], None)

    def _line(self, found: _Positions, positions: _Positions | None) -> dict[str, Any]:
        """Return cells by label; missing cells are 0."""
        positions = self.columns[found] if positions is None else positions
        numbers = np.zeros(len(self.labels), self.numbers.dtype)
        numbers[positions] = self.numbers[found]
        if self.examples is None:
            return dict(zip(self.labels, numbers.tolist(), strict=True))
        line = {
            label: {"count": number, "examples": []}
            for label, number in zip(self.labels, numbers.tolist(), strict=True)
        }
        at = zip(self.rows[found].tolist(), self.columns[found].tolist(), strict=True)
        for position, cell in zip(positions.tolist(), at, strict=True):
            line[self.labels[position]]["examples"] = self.examples.get(cell, [])
        return line


class _Matrix(Mapping[str, dict[str, Any]]):
    """Rows of a table, computed on access."""

    def __init__(self, table: ConfusionTable) -> None:
        self._table = table
        self._position = {label: number for number, label in enumerate(table.labels)}

    def __getitem__(self, label: str) -> dict[str, Any]:
        return self._table._row(self._position[label])

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.labels)

    def __len__(self) -> int:
        return len(self._table.labels)

    def __repr__(self) -> str:
        return f"<confusion matrix of {len(self):,} labels>"
