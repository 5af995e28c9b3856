"""Intervals: where the mean of a metric would lie over many more items like these."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.results import Undefined, exact_mean
from valor_core.specs import Range
from valor_llm.trust.student import two_sided_quantile

LEVEL = 0.95
"""Share of such intervals that hold the mean over all such items."""

_UNIT = Range(0, 1)


@frozen
class Interval:
    """An interval of a mean.

    Parameters
    ----------
    low, high : float
        Its ends.
    method : str
        How it was found: ``"Wilson"``, or ``"Student"`` with his t over items.
    """

    low: float
    high: float
    method: str


def interval_of(
    values: NDArray[np.float64], range: Range, level: float = LEVEL
) -> Interval | Undefined:
    """The interval of the mean of some items' scores.

    Parameters
    ----------
    values : ndarray of float64
        A score for each item that has one; several scorings of an item are one score.
    range : Range
        Where scores lie; the interval ends there.
    level : float
        Share of such intervals that hold the mean.

    Notes
    -----
    Where the range is 0 to 1 and all scores are 0 or 1: the score interval of E. B. Wilson (1927),
    Probable inference, the law of succession, and statistical inference, Journal of the American
    Statistical Association 22, which holds for few items and for shares near 0 and 1. Else the
    mean and its standard error times the quantile of Student's t distribution with one degree of
    freedom less than there are items.

    Examples
    --------
    >>> found = interval_of(np.array([1.0, 1, 1, 0]), Range(0, 1))
    >>> found.method, round(found.low, 4), round(found.high, 4)
    ('Wilson', 0.3006, 0.9544)
    >>> interval_of(np.array([0.5]), Range(0, 1))
    Undefined(reason='one item')
    """
    if not len(values):
        return Undefined("no items")
    if range == _UNIT and bool(np.isin(values, (0.0, 1.0)).all()):
        return wilson(int(values.sum()), len(values), level)
    if len(values) == 1:
        return Undefined("one item")
    if (values == values[0]).all():
        return Undefined("equal scores")
    return _over_items(values, range, level)


def wilson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a share.

    Examples
    --------
    >>> wilson(0, 10).low, round(wilson(0, 10).high, 4)
    (0.0, 0.2775)
    """
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / trials
    center = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    low, high = ((center + end) / (1 + z * z / trials) for end in (-half, half))
    # Exact at the ends, where the formula is but for rounding.
    return Interval(low if successes else 0.0, high if successes < trials else 1.0, "Wilson")


def _over_items(values: NDArray[np.float64], range: Range, level: float) -> Interval:
    count, mean = len(values), exact_mean(values.tolist())
    variance = math.fsum(((values - mean) ** 2).tolist()) / (count - 1)
    half = two_sided_quantile(level, count - 1) * math.sqrt(variance / count)
    low, high = mean - half, mean + half
    low = low if range.low is None else max(low, float(range.low))
    high = high if range.high is None else min(high, float(range.high))
    return Interval(low, high, "Student")
