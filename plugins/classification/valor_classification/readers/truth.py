"""Cells of labels: one label, a list of them, or none."""

from __future__ import annotations

from typing import Any

from valor_core.errors import ReadError, shown
from valor_core.schemas.label import Label


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
    return (Label(key, label_text(value, place)),)


def label_text(value: Any, place: str) -> str:
    """Text of a label's value; whole numbers become their digits.

    Raises
    ------
    ReadError
        If it is neither text nor a whole number.
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ReadError(f"{place}: expected a label as text or whole number, found {shown(value)}")
