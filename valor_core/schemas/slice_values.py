"""Convert values of metadata columns to values of slice keys."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas.columns import check_unicode

_FINE = frozenset({"ns", "ps", "fs", "as"})  # units too fine for Python's datetime


_EXACT = 2**53  # floats represent every integer below


@frozen
class Truth:
    """Boolean in a slice key, distinct from 0 and 1."""

    value: bool


def slice_to_json(key: Iterable[Any]) -> list[Any]:
    """Convert a slice key to JSON values.

    Examples
    --------
    >>> slice_to_json(("rain", Truth(True), None))
    ['rain', True, None]
    """
    return [value.value if isinstance(value, Truth) else value for value in key]


def python_values(column: NDArray[Any]) -> list[Any]:
    """Convert a column to built-in values; NumPy would convert fine timestamps to integers."""
    if column.dtype.kind == "M" and np.datetime_data(column.dtype)[0] in _FINE:
        column = column.astype("datetime64[us]")
    values: list[Any] = column.tolist()
    return values


def plain_values(column: NDArray[Any]) -> NDArray[Any]:
    """Convert a metadata column to JSON values.

    Examples
    --------
    >>> plain_values(np.array([2.0, np.nan]))
    array([2, None], dtype=object)
    """
    values = slice_to_json(map(slice_value, python_values(column)))
    return np.fromiter(values, dtype=np.object_, count=len(values))


def slice_value(value: Any) -> Any:
    """Convert a value for a slice key: NaN becomes None, unsupported types become text.

    A column with missing values may hold 2020.0 where another batch has 2020. Both are one slice,
    and its name must not depend on the order of arrival.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return Truth(value)
    if isinstance(value, str):
        check_unicode(value, "metadata")
    if value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, date) and value != value:  # pandas.NaT is a date that is missing
        return None
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return int(value) if value.is_integer() and abs(value) < _EXACT else value
