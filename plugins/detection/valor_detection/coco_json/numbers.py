"""Numbers of COCO's JSON, decoded and validated."""

from __future__ import annotations

import json
import math
from typing import Any

from valor_core.errors import ReadError, short_repr


def _integer(digits: str) -> int | float:
    """Parse an integer; infinity for more digits than Python converts."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


DECODER = json.JSONDecoder(parse_int=_integer)
"""JSON decoder without a limit on the length of integers."""


def integer64(value: Any, where: str) -> int:
    """Validate a 64-bit integer, which may be written as 42.0.

    Raises
    ------
    ReadError
        If the value is not an integer; `where` is its location.
    """
    if isinstance(value, float) and value.is_integer() and abs(value) <= 1 << 53:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 63) <= value < 1 << 63:
        raise ReadError(f"{where}: expected a whole number, found {short_repr(value)}")
    return value


def finite(value: Any, where: str) -> float:
    """Validate a finite number.

    Raises
    ------
    ReadError
        If the value is not a finite number; `where` is its location.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ReadError(f"{where}: expected a number, found {short_repr(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ReadError(f"{where}: expected a finite number, found {short_repr(value)}")
    return number
