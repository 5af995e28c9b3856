"""Intervals of shares and means."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.results import Undefined, exact_mean
from valor_core.specs import Range
from valor_intervals.student import student_quantile

LEVEL: Final = 0.95
"""Default confidence level."""

_UNIT = Range(0, 1)


@frozen
class Interval:
    """Confidence interval.

    Parameters
    ----------
    low, high : float
        Ends of the interval.
    method : str
        ``"Wilson"`` or ``"Student"``.
    """

    low: float
    high: float
    method: str


def mean_interval(
    scores: NDArray[np.float64], range: Range, level: float = LEVEL
) -> Interval | Undefined:
    """Return the confidence interval of the mean of independent scores.

    Parameters
    ----------
    scores : ndarray of float64, shape (n,)
        One score per item.
    range : Range
        Possible scores, which limit the interval.
    level : float
        Confidence level, in (0, 1).

    Returns
    -------
    Interval or Undefined
        `wilson_interval` if the range is 0 to 1 and all scores are 0 or 1. Otherwise the mean
        plus or minus its standard error times the quantile of Student's t distribution with n - 1
        degrees of freedom. Undefined without scores, for one score, and for equal scores.

    Examples
    --------
    >>> found = mean_interval(np.array([1.0, 1, 1, 0]), Range(0, 1))
    >>> found.method, round(found.low, 4), round(found.high, 4)
    ('Wilson', 0.3006, 0.9544)
    >>> mean_interval(np.array([0.5]), Range(0, 1))
    Undefined(reason='one item')
    """
    if not len(scores):
        return Undefined("no items")
    if range == _UNIT and bool(np.isin(scores, (0.0, 1.0)).all()):
        low, high = wilson_interval(int(scores.sum()) / len(scores), len(scores), level)
        return Interval(low, high, "Wilson")
    if len(scores) == 1:
        return Undefined("one item")
    if (scores == scores[0]).all():
        return Undefined("equal scores")
    count, mean = len(scores), exact_mean(scores.tolist())
    variance = math.fsum(((scores - mean) ** 2).tolist()) / (count - 1)
    half = student_quantile(level, count - 1) * math.sqrt(variance / count)
    low = mean - half if range.low is None else max(mean - half, float(range.low))
    high = mean + half if range.high is None else min(mean + half, float(range.high))
    return Interval(low, high, "Student")


def wilson_interval(share: float, size: float, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's score interval of a share, without continuity correction.

    Parameters
    ----------
    share : float
        Share of successes, from 0 to 1.
    size : float
        Number of independent trials, above 0. Not necessarily whole: the effective size of a
        clustered sample also works.
    level : float
        Confidence level, in (0, 1).

    Returns
    -------
    low, high : float
        Ends of the interval, from 0 to 1.

    References
    ----------
    Wilson, 'Probable inference, the law of succession, and statistical inference', Journal of the
    American Statistical Association 22, 1927.

    Examples
    --------
    >>> low, high = wilson_interval(0.8, 100)
    >>> round(low, 4), round(high, 4)
    (0.7112, 0.8666)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    scale = 1 + z * z / size
    middle = (share + z * z / (2 * size)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    # The ends of shares 0 and 1 are exact, but rounding could miss them.
    return middle - half if share else 0.0, middle + half if share < 1 else 1.0
