"""Intervals: where the mean of a metric would lie over many more items like these."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.results import Undefined, exact_mean
from valor_core.specs import Range

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


@frozen
class Bounds:
    """Between what the mean lies, whatever scores the items that failed would have had.

    Parameters
    ----------
    low : float
        The mean if all of them had the lowest score that there is.
    high : float
        The mean if all of them had the highest.
    """

    low: float
    high: float


def bounds_of(present: NDArray[np.float64], failed: int, range: Range) -> Bounds | None:
    """The bounds of a mean; None where nothing failed, or the metric's range has no end.

    Parameters
    ----------
    present : ndarray of float64
        The scores that there are.
    failed : int
        How many items failed.
    range : Range
        Where scores lie. Which of its ends is the best score is the metric's direction.

    Examples
    --------
    >>> bounds_of(np.array([1.0, 0.5]), 2, Range(0, 1))
    Bounds(low=0.375, high=0.875)
    """
    if not failed or range.low is None or range.high is None:
        return None
    total, count = math.fsum(present.tolist()), len(present) + failed
    return Bounds(*((total + failed * end) / count for end in (range.low, range.high)))


_LARGE = 2000
"""Degrees of freedom from which the expansion is exact to the last digits."""


@lru_cache(maxsize=1024)
def two_sided_quantile(level: float, degrees: int) -> float:
    """The t within which a share of the distribution lies.

    Parameters
    ----------
    level : float
        The share, above 0 and below 1.
    degrees : int
        Degrees of freedom, 1 or more.

    Notes
    -----
    M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4: for whole
    degrees of freedom, the share within t is a finite sum, which Newton's method solves for t. With
    many degrees, the expansion 26.7.5 around the normal quantile.

    Examples
    --------
    >>> round(two_sided_quantile(0.95, 9), 6)
    2.262157
    """
    normal = NormalDist().inv_cdf(0.5 + level / 2)
    t = _expanded(normal, degrees)
    if degrees >= _LARGE:
        return t
    if degrees == 1:
        return math.tan(math.pi * level / 2)
    for _ in range(50):
        step = (_share_within(t, degrees) - level) / (2 * _density(t, degrees))
        t = max(t - step, t / 2)
        if abs(step) <= 1e-15 * t:
            break
    return t


def _expanded(x: float, n: int) -> float:
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + math.fsum(term / n**power for power, term in enumerate(terms, 1))


def _share_within(t: float, n: int) -> float:
    """Share of the distribution from -t to t."""
    angle = math.atan2(t, math.sqrt(n))
    cosine, is_odd = math.cos(angle), n % 2
    # Each term has one factor and two powers of the cosine more: 2/3, 4/5 … or 1/2, 3/4 …
    lower = np.arange(1 + is_odd, n - 2, 2, dtype=np.float64)
    factors = np.cumprod(np.concatenate([[1.0], lower / (lower + 1) * cosine**2]))
    total = math.sin(angle) * math.fsum(factors)
    if not is_odd:
        return total
    return 2 / math.pi * (angle + (total * cosine if n > 1 else 0.0))


def _density(t: float, n: int) -> float:
    scale = math.lgamma((n + 1) / 2) - math.lgamma(n / 2) - math.log(n * math.pi) / 2
    return math.exp(scale - (n + 1) / 2 * math.log1p(t * t / n))
