"""Differences between two reports, with paired intervals and corrected p-values.

Both reports leave out or resample the same groups of items. The items that make a number higher for
both models cancel out of the difference, so its interval is narrower than those of the two numbers.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from valor_core.specs import Range
from valor_intervals.bootstrap import MOST_UNDEFINED, percentile_interval, percentile_p_value
from valor_intervals.comparison.significance import corrected, smallest_difference
from valor_intervals.intervals import LEVEL
from valor_intervals.jackknife import estimate
from valor_intervals.resamples import Floats, resampled_difference
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
        Corrected for all numbers that are compared.
    is_clear : bool
        Whether the corrected p-value is below 1 - level.
    method : str
        ``"jackknife"`` or ``"bootstrap, percentile"`` of groups; ``"McNemar"``, ``"Student"``,
        ``"randomization"`` or ``"bootstrap"`` of items.
    uncorrected : float
        P-value without correction.
    error : float
        Standard error of the difference.
    smallest : float
        Smallest true difference that the test finds with a probability of 80 %, uncorrected.
    items : int, optional
        Number of items that are paired; None if groups of items are.
    """

    low: float
    high: float
    p: float
    is_clear: bool
    method: str = "jackknife"
    uncorrected: float = 1.0
    error: float = 0.0
    smallest: float = 0.0
    items: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the test as JSON values."""
        items = {} if self.items is None else {"items": self.items}
        return {
            "interval": [self.low, self.high],
            "p": self.p,
            "uncorrected_p": self.uncorrected,
            "method": self.method,
            "error": self.error,
            "smallest_difference": self.smallest,
            **items,
        }

    @classmethod
    def of(
        cls, interval: tuple[float, float], p: float, error: float, level: float, **others: Any
    ) -> Difference:
        """Return a difference before its p-value is corrected."""
        smallest = smallest_difference(error, level)
        return cls(*interval, p, False, uncorrected=p, error=error, smallest=smallest, **others)


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


def differences(
    pairs: Sequence[Pair | None], level: float | None, correction: str = "holm"
) -> list[Difference | None]:
    """Return the difference of each pair, or None if it has no interval.

    Parameters
    ----------
    pairs : sequence of Pair or None
        Numbers of two reports with the same groups.
    level : float, optional
        Confidence level of the intervals, 0.95 by default. The corrected p-values are compared with
        1 - level.
    correction : str
        As in `corrected`.

    Examples
    --------
    >>> first, second = {"without": encoded([0.4, 0.6, 0.5])}, {"without": encoded([0.6, 0.8, 0.8])}
    >>> (found,) = differences([Pair(0.5, 0.73, first, second)], 0.95)
    >>> round(found.low, 3), round(found.high, 3), found.is_clear
    (-0.057, 0.517, False)
    """
    level = LEVEL if level is None else level
    return with_correction(
        [None if pair is None else group_difference(pair, level) for pair in pairs],
        level,
        correction,
    )


def with_correction(
    found: Sequence[Difference | None], level: float, correction: str
) -> list[Difference | None]:
    """Correct the p-values of differences for their number."""
    values = iter(corrected([one.uncorrected for one in found if one is not None], correction))
    return [
        None if one is None else evolve(one, p=(p := next(values)), is_clear=p < 1 - level)
        for one in found
    ]


def group_difference(pair: Pair, level: float, resamples: bool = True) -> Difference | None:
    """Return the difference of a pair by groups of items, or None if it has no interval.

    Parameters
    ----------
    pair : Pair
        Numbers of two reports with the same groups.
    level : float
        Confidence level.
    resamples : bool
        Whether to use the resamples if both reports have them, instead of leaving out groups.

    Returns
    -------
    Difference or None
        With resamples, the interval of `percentile_interval`, and the level at which it ends at 0
        as p-value. Otherwise the interval of Student's t distribution, and the p-value of its test,
        which is also that of a difference with the same sign in all resamples.
    """
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
    p = max(1 - share_within(abs(difference) / found.error, found.groups - 1), 0.0)
    resampled = _resampled(pair) if resamples else np.empty(0)
    if not len(resampled):
        return Difference.of(found.interval, p, found.error, level)
    defined = resampled[~np.isnan(resampled)]
    if len(defined) < len(resampled) * (1 - MOST_UNDEFINED):
        return None
    at_0 = percentile_p_value(defined, len(without))
    p = min(p, 1 / len(defined)) if at_0 is None else at_0
    interval = percentile_interval(defined, len(without), level)
    return Difference.of(interval, p, found.error, level, method="bootstrap, percentile")


def _resampled(pair: Pair) -> Floats:
    """Return the difference in each resample; empty without resamples in both reports."""
    try:
        return resampled_difference(pair.first["resampled"], pair.second["resampled"])
    except (KeyError, ValueError):
        return np.empty(0)
