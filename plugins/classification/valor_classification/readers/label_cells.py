"""Cells of labels: one label, a list of them, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from valor_files import Table, distinct_json_cells

from valor_core.errors import ReadError, short_repr
from valor_core.schemas import Codes, Label, Vocabulary
from valor_core.schemas.columns import NUL
from valor_core.schemas.label import kept_label, label_value


@frozen
class EmptyLabels:
    """Empty cells in columns of labels, for the warnings of a batch.

    Such a cell may be unfilled or mean that the item has no label. An empty list means the
    latter.

    Parameters
    ----------
    counts : dict of str to int
        How many there are.
    first : dict of str to (str, int)
        File and row of the first.

    Examples
    --------
    >>> EmptyLabels.of(Table({"label": ["dog", None]}, "t.csv"), "label", [1]).counts
    {"rows without a label in 'label'; write [] where none is meant": 1}
    """

    counts: dict[str, int] = field(factory=dict)
    first: dict[str, tuple[str, int]] = field(factory=dict)

    @classmethod
    def of(cls, table: Table, name: str, rows: Sequence[int] | Codes) -> EmptyLabels:
        """Empty cells of a column in the given rows."""
        if not len(rows):
            return cls()
        what = f"{table.unit}s without a label in {name!r}; write [] where none is meant"
        return cls({what: len(rows)}, {what: (table.source, table.row(int(rows[0])))})

    def __or__(self, other: EmptyLabels) -> EmptyLabels:
        return EmptyLabels(self.counts | other.counts, self.first | other.first)


LabelColumn = tuple[Codes, Codes, EmptyLabels]
"""Row and label code of each label, and the cells that are empty."""


def label_column(table: Table, name: str, key: str, vocabulary: Vocabulary) -> LabelColumn:
    """Return the labels of a column of such cells, converting each distinct value once.

    Raises
    ------
    ReadError
        If there is no such column, or a cell holds no labels; names the cell.

    Examples
    --------
    >>> table = Table({"label": ["dog", "[]", '["cat", "dog"]', None]}, "t.csv")
    >>> rows, labels, untold = label_column(table, "label", "class", Vocabulary())
    >>> rows, labels, list(untold.counts.values())
    (array([0, 2, 2]), array([0, 1, 0]), [1])
    """
    codes, first_rows, cells = distinct_json_cells(table, name)
    found = [
        vocabulary.join(labels(cell, table.place(row, name), key))
        for row, cell in zip(first_rows.tolist(), cells, strict=True)
    ]
    counts = np.array([len(cell_labels) for cell_labels in found], dtype=np.int64)
    rows = np.repeat(np.arange(len(codes)), counts[codes])
    if (counts == 1).all():
        return rows, np.concatenate([np.empty(0, np.int64), *found])[codes], EmptyLabels()
    each = [found[code] for code in codes.tolist()]
    nothing = [code for code, cell in enumerate(cells) if cell is None]
    untold = EmptyLabels.of(table, name, np.flatnonzero(np.isin(codes, nothing)))
    return rows, np.concatenate([np.empty(0, np.int64), *each]), untold


@frozen(eq=False, repr=False)
class LabelColumns:
    """Labels of the rows of a table, sorted by row.

    Parameters
    ----------
    rows, labels : ndarray of int64, shape (n,)
        Row and label code of each label.
    columns : tuple of str
        Columns that hold them.
    empty : EmptyLabels
        Empty cells.
    """

    rows: Codes
    labels: Codes
    columns: tuple[str, ...]
    empty: EmptyLabels = field(factory=EmptyLabels)

    @classmethod
    def of(cls, table: Table, name: str, key: str, vocabulary: Vocabulary) -> LabelColumns:
        """Labels of a column, as in `label_column`."""
        rows, codes, empty = label_column(table, name, key, vocabulary)
        return cls(rows, codes, (name,), empty)

    @classmethod
    def of_indicators(
        cls, table: Table, prefix: str, names: Sequence[str], key: str, vocabulary: Vocabulary
    ) -> LabelColumns:
        """Labels of columns of 0 and 1, one for each label.

        Parameters
        ----------
        table : Table
            The table.
        prefix : str
            Beginning of the columns' names, before the label.
        names : sequence of str
            Labels.
        key : str
            Key of the labels.
        vocabulary : Vocabulary
            Vocabulary to extend.

        Raises
        ------
        ReadError
            If there is no such column, or a cell is neither 0 nor 1.

        Examples
        --------
        >>> table = Table({"is_cat": ["1", "0"], "is_dog": ["1", "1"]}, "t.csv")
        >>> names = ["cat", "dog"]
        >>> found = LabelColumns.of_indicators(table, "is_", names, "class", Vocabulary())
        >>> found.rows, found.labels
        (array([0, 0, 1]), array([0, 1, 1]))
        """
        columns = tuple(f"{prefix}{name}" for name in names)
        if not columns:
            raise ReadError(
                f"{table.source}: has no column that starts with {prefix!r}, {table.known_names}"
            )
        indicators = np.stack([table.floats(column) for column in columns], axis=1)
        wrong = np.argwhere((indicators != 0) & (indicators != 1))
        if len(wrong):
            row, column = wrong[0].tolist()
            raise ReadError(
                f"{table.place(row, columns[column])}: expected 0 or 1, found "
                f"{float(indicators[row, column]):g}"
            )
        codes = vocabulary.join(kept_label(key, name) for name in names)
        rows, at = np.nonzero(indicators)
        return cls(rows, np.asarray(codes)[at], columns)


def labels(value: Any, where: str, key: str) -> tuple[Label, ...]:
    """Labels of one cell: a value, a list of values, or a table of values by label key.

    Raises
    ------
    ReadError
        If the cell holds anything else; `where` says where it is.

    Examples
    --------
    >>> labels({"animal": "dog", "color": ["black", "white"]}, "", "class")[0]
    Label(key='animal', value='dog')
    """
    if value is None:
        return ()
    if isinstance(value, dict):
        return tuple(
            label
            for inner_key, values in value.items()
            for label in labels(values, where, str(inner_key))
        )
    if isinstance(value, (list, tuple)):
        return tuple(label for one in value for label in labels(one, where, key))
    return (kept_label(key, label_text(value, where)),)


def label_text(value: Any, where: str) -> str:
    """Text of a label's value, as `label_value` reads it.

    Raises
    ------
    ReadError
        If it is neither text nor a whole number, or text with the character NUL.
    """
    text = label_value(value)
    if not text:
        raise ReadError(
            f"{where}: expected a label as text or whole number, found {short_repr(value)}",
            _remedy(value),
        )
    if NUL in text:
        raise ReadError(
            f"{where}: expected a label without the character NUL, found {short_repr(value)}"
        )
    return text


def _remedy(value: Any) -> str | None:
    if isinstance(value, bool):
        return 'Write all labels as text ("True") or as 0 and 1.'
    if isinstance(value, float):
        return (
            "If these are scores, choose the reader wide and set data.scores to their column; if "
            "they are classes, write them as text."
        )
    return None
