"""Cells of labels: one label, a list of them, or none."""

from __future__ import annotations

from typing import Any

import numpy as np

from valor_core.plugin import ReadError, Table, parsed_distinct, shown
from valor_core.schemas.characters import NUL
from valor_core.schemas.columns import Codes
from valor_core.schemas.label import Label, Vocabulary, kept_label


def label_column(table: Table, name: str, key: str, vocabulary: Vocabulary) -> tuple[Codes, Codes]:
    """Rows and label codes of a column of such cells; each distinct value is looked at once.

    Raises
    ------
    ReadError
        If there is no such column, or a cell holds no labels; names the cell.

    Examples
    --------
    >>> table = Table({"label": ["dog", None, '["cat", "dog"]']}, "t.csv")
    >>> label_column(table, "label", "class", Vocabulary())
    (array([0, 2, 2]), array([0, 1, 0]))
    """
    codes, first_rows, cells = parsed_distinct(table, name)
    found = [
        vocabulary.join(labels(cell, table.place(row, name), key))
        for row, cell in zip(first_rows.tolist(), cells, strict=True)
    ]
    counts = np.array([len(own) for own in found], dtype=np.int64)
    rows = np.repeat(np.arange(len(codes)), counts[codes])
    if (counts == 1).all():
        return rows, np.concatenate([np.empty(0, np.int64), *found])[codes]
    each = [found[code] for code in codes.tolist()]
    return rows, np.concatenate([np.empty(0, np.int64), *each])


def labels(value: Any, place: str, key: str) -> tuple[Label, ...]:
    """Labels of one cell: a value, a list of values, or a table of values by label key.

    Raises
    ------
    ReadError
        If the cell holds anything else; `place` says where it is.

    Examples
    --------
    >>> labels({"animal": "dog", "color": ["black", "white"]}, "", "class")[0]
    Label(key='animal', value='dog')
    """
    if value is None:
        return ()
    if isinstance(value, dict):
        return tuple(
            label for own, values in value.items() for label in labels(values, place, str(own))
        )
    if isinstance(value, (list, tuple)):
        return tuple(label for one in value for label in labels(one, place, key))
    return (kept_label(key, label_text(value, place)),)


def label_text(value: Any, place: str) -> str:
    """Text of a label's value; whole numbers become their digits.

    Raises
    ------
    ReadError
        If it is neither text nor a whole number, or text with the character NUL.
    """
    if isinstance(value, str) and value:
        if NUL in value:
            raise ReadError(
                f"{place}: expected a label without the character NUL, found {shown(value)}"
            )
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ReadError(f"{place}: expected a label as text or whole number, found {shown(value)}")
