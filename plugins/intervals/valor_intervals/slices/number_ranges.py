"""Ranges of numbers: boundaries at quantiles, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context

import numpy as np
from numpy.typing import NDArray

_MOST_DIGITS = 17
"""Significant digits that identify every float."""


def quantile_edges(numbers: NDArray[np.float64], count: int) -> tuple[float, ...]:
    """Return the boundaries of ranges with about equally many numbers.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
        Numbers in any order; NaN for a missing one.
    count : int
        Number of ranges. Fewer, if many numbers are equal.

    Returns
    -------
    tuple of float
        Ascending boundaries with as few digits as possible. A boundary belongs to the range above
        it. Empty if all numbers are equal.

    Examples
    --------
    >>> quantile_edges(np.array([8.0, 1, 2, 3, 4, 5, 6, 7]), 4)
    (3.0, 5.0, 7.0)
    >>> quantile_edges(np.array([0.123, 0.456, 0.789]), 2)
    (0.4,)
    >>> quantile_edges(np.array([1.0, 1, 1, 2]), 2), quantile_edges(np.array([1.0, 1]), 2)
    ((2.0,), ())
    """
    ascending = np.sort(numbers[~np.isnan(numbers)])
    distinct = np.unique(ascending)
    edges: list[float] = []
    for part in range(1, count):
        edge = ascending[len(ascending) * part // count] if len(ascending) else np.nan
        # The first number above the previous boundary, if more than one range is equal to it.
        position = max(int(np.searchsorted(distinct, edge)), 1)
        if position < len(distinct):
            edges.append(_shortest(float(distinct[position - 1]), float(distinct[position])))
    return tuple(dict.fromkeys(edges))


def _shortest(below: float, edge: float) -> float:
    """Return the number with the fewest digits above `below` and not above `edge`."""
    contexts = (Context(digits, ROUND_FLOOR) for digits in range(1, _MOST_DIGITS + 1))
    rounded = (float(one.create_decimal(repr(edge))) for one in contexts)
    return next(number for number in rounded if below < number <= edge)


def range_text(edges: Sequence[float], position: int) -> str:
    """Return the name of the range at a position.

    Examples
    --------
    >>> [range_text((32.0, 96.5), position) for position in range(3)]
    ['below 32', '32 to below 96.5', '96.5 or more']
    """
    words = [f"{edge:.0f}" if _is_short(edge) else repr(edge) for edge in edges]
    low, high = ("", *words, "")[position : position + 2]
    return (
        f"{low} to below {high}" if low and high else f"below {high}" if high else f"{low} or more"
    )


def _is_short(edge: float) -> bool:
    return edge.is_integer() and abs(edge) < 1e15
