"""Differences between two reports, with paired intervals and corrected p-values.

Both reports leave out the same groups of items. The items that make a number higher for both models
cancel out of the difference, so its interval is narrower than those of the two numbers.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.specs import Range
from valor_intervals.intervals import LEVEL
from valor_intervals.jackknife import estimate
from valor_intervals.student import share_within


@frozen
class Pair:
    """A number of two reports.

    Parameters
    ----------
    a, b : float
        Number of the first and of the second report.
    first, second : mapping
        Rows of the number in the details ``confidence``.
    """

    a: float
    b: float
    first: Mapping[str, Any]
    second: Mapping[str, Any]


@frozen
class Difference:
    """Difference of a number, second minus first.

    Parameters
    ----------
    low, high : float
        Ends of its interval.
    p : float
        Probability of a difference of this size or more by chance, if the models are equal.
        Corrected by Holm's method for all numbers that are compared.
    is_clear : bool
        Whether the corrected p-value is below 1 - level.
    """

    low: float
    high: float
    p: float
    is_clear: bool


def encoded(numbers: Sequence[float | None]) -> str:
    """Return numbers as text, for a report.

    Examples
    --------
    >>> decoded(encoded([0.5, None])).tolist()
    [0.5, nan]
    """
    values = [math.nan if number is None else number for number in numbers]
    return base64.b64encode(np.array(values, "<f8").tobytes()).decode()


def decoded(text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the numbers that `encoded` converted to text."""
    return np.frombuffer(base64.b64decode(text, validate=True), "<f8").astype(np.float64)


def differences(pairs: Sequence[Pair | None], level: float | None) -> list[Difference | None]:
    """Return the difference of each pair, or None if it has no interval.

    Parameters
    ----------
    pairs : sequence of Pair or None
        Numbers of two reports with the same groups.
    level : float, optional
        Confidence level of the intervals, 0.95 by default. The corrected p-values are compared with
        1 - level.

    References
    ----------
    Holm, 'A simple sequentially rejective multiple test procedure', Scandinavian Journal of
    Statistics 6, 1979.

    Examples
    --------
    >>> first, second = {"without": encoded([0.4, 0.6, 0.5])}, {"without": encoded([0.6, 0.8, 0.8])}
    >>> (found,) = differences([Pair(0.5, 0.73, first, second)], 0.95)
    >>> round(found.low, 3), round(found.high, 3), found.is_clear
    (-0.057, 0.517, False)
    """
    level = LEVEL if level is None else level
    found = [None if pair is None else _of(pair, level) for pair in pairs]
    present = [i for i, one in enumerate(found) if one is not None]
    corrected = holm([found[i].p for i in present])  # type: ignore[union-attr]
    for i, p in zip(present, corrected, strict=True):
        one = found[i]
        assert one is not None
        found[i] = Difference(one.low, one.high, p, p < 1 - level)
    return found


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, i in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, values[i] * (len(values) - rank)))
        corrected[i] = highest
    return corrected


def _of(pair: Pair, level: float) -> Difference | None:
    try:
        first, second = (decoded(row["without"]) for row in (pair.first, pair.second))
    except (KeyError, ValueError):  # too many numbers to keep, or damaged
        return None
    if len(first) != len(second):
        return None
    difference = pair.b - pair.a
    without = [None if math.isnan(one) else one for one in (second - first).tolist()]
    found = estimate(difference, without, Range(), level)
    if found.interval is None or found.error is None:
        return None
    p = 1 - share_within(abs(difference) / found.error, found.groups - 1)
    return Difference(*found.interval, max(p, 0.0), False)
