"""Values of metadata columns as they name slices."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas.columns import check_unicode

_FINE = frozenset({"ns", "ps", "fs", "as"})  # units that Python's timestamps do not have


_WHOLE = 2**53  # below it every whole number is a float of its own


@frozen
class Truth:
    """A true or false in a slice key, where Python would take True and 1 for the same value."""

    value: bool


def slice_to_json(key: Iterable[Any]) -> list[Any]:
    """A slice key as JSON has it.

    Examples
    --------
    >>> slice_to_json(("rain", Truth(True), None))
    ['rain', True, None]
    """
    return [value.value if isinstance(value, Truth) else value for value in key]


def python_values(column: NDArray[Any]) -> list[Any]:
    """The values of a column as Python's own; NumPy has whole numbers for fine times."""
    if column.dtype.kind == "M" and np.datetime_data(column.dtype)[0] in _FINE:
        column = column.astype("datetime64[us]")
    values: list[Any] = column.tolist()
    return values


def plain_values(column: NDArray[Any]) -> NDArray[Any]:
    """The values of a column of metadata as JSON has them.

    Examples
    --------
    >>> plain_values(np.array([2.0, np.nan]))
    array([2, None], dtype=object)
    """
    values = slice_to_json(map(slice_value, python_values(column)))
    return np.fromiter(values, dtype=np.object_, count=len(values))


def slice_value(value: Any) -> Any:
    """The value as slice keys have it; NaN is a missing one, what is no number or truth is text.

    A column with gaps may hold 2020.0 where another batch has 2020. They are one slice, and which
    of them names it must not depend on the order of arrival.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return Truth(value)
    if isinstance(value, str):
        check_unicode(value, "metadata")
    if value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, date) and value != value:  # pandas has one that is none
        return None
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value
