"""Decimals: what numbers of a narrow type were written as.

The float32 nearest to 0.35 is a bit less than 0.35. Widened as it is, it would not pass a score
threshold of 0.35, though that is the number that both print as; so it becomes 0.35.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown

_TENS = np.array([float(10**places) for places in range(23)])
"""The powers of ten that float64 holds exactly."""


def check_number(value: Any, expected: str) -> None:
    """Raise a `SchemaError` that says what is expected unless a value is a number.

    Examples
    --------
    >>> check_number(True, "score: expected a number")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: score: expected a number, got True
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise SchemaError(f"{expected}, got {shown(value)}")


def as_float(number: Any) -> float:
    """A number of any type; one that is too great is infinite, which checks of columns name.

    Examples
    --------
    >>> as_float(2), as_float(-(10**400))
    (2.0, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def as_score(number: Any) -> float:
    """A score of any type, as a float64.

    Examples
    --------
    >>> import numpy as np
    >>> as_score(np.float32(0.35)), as_score(1)
    (0.35, 1.0)
    """
    return as_float(str(number) if isinstance(number, (np.float16, np.float32)) else number)


def as_written(values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers as float64: of a narrower float, the shortest decimals that it can stand for.

    Order and equality stay: no decimal stands for two numbers, and none jumps over another.

    Parameters
    ----------
    values : ndarray of numbers, shape (n,)
        Of any type; float64 and whole numbers stay as they are. Those of float16 may have any
        shape.

    Examples
    --------
    >>> as_written(np.array([0.35, 1e-30], np.float32)).tolist()
    [0.35, 1e-30]
    """
    if values.dtype == np.float16:
        return _of_halves(values)
    found = values.astype(np.float64)
    if values.dtype != np.float32:
        return found
    rows = np.flatnonzero(np.isfinite(values) & (values != 0))
    rows = rows[~_widen(found, values, rows)]
    found[rows] = [float(str(number)) for number in values[rows]]
    return found


def _of_halves(values: NDArray[np.float16]) -> NDArray[np.float64]:
    """The decimals of each of the few float16 that there are, looked up."""
    bits = np.ascontiguousarray(values).view(np.uint16)
    there = np.flatnonzero(np.bincount(bits.reshape(-1)))
    written = np.zeros(1 << 16)
    written[there] = [float(str(half)) for half in there.astype(np.uint16).view(np.float16)]
    return written[bits]


def _widen(
    found: NDArray[np.float64], values: NDArray[Any], rows: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Write the decimals of float32 rows of usual size; which of them were of that."""
    exact, own = found[rows], values[rows]
    orders = np.floor(np.log10(np.abs(exact))).astype(np.int64)
    # Of these, the powers of ten below are whole and exact.
    is_usual: NDArray[np.bool_] = (orders > -14) & (orders < 6)
    left = np.flatnonzero(is_usual)
    # Six digits are never too many: those of shorter decimals end in zeros. Nine are enough.
    for digits in range(6, 10):
        tens = _TENS[digits - 1 - orders[left]]
        # Both are whole numbers that float64 holds, so that the quotient is the decimal's float64.
        written = np.rint(exact[left] * tens) / tens
        is_it = written.astype(np.float32) == own[left]
        found[rows[left[is_it]]] = written[is_it]
        left = left[~is_it]
    return is_usual
