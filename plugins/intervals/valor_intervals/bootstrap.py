"""Intervals from resamples of groups of items.

References
----------
Efron and Tibshirani, 'An Introduction to the Bootstrap', Chapman and Hall 1993, section 14.3.
Hesterberg, 'What teachers should know about the bootstrap', The American Statistician 69, 2015.
"""

from __future__ import annotations

import math
import sys
from statistics import NormalDist

import numpy as np

from valor_intervals.resamples import Floats
from valor_intervals.student import share_within, student_quantile

MOST_UNDEFINED = 0.01
"""Greatest share of resamples in which a number may be undefined."""

_NORMAL = NormalDist()


def bca_interval(
    value: float, resampled: Floats, without: Floats, level: float
) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval of a number.

    Parameters
    ----------
    value : float
        Number over all items.
    resampled : ndarray of float64
        Number in each resample in which it is defined.
    without : ndarray of float64
        Number without each group of items.
    level : float
        Confidence level.

    Returns
    -------
    low, high : float
        Quantiles of the resampled numbers. They are corrected for the bias of the median, for the
        skewness of the influence of the groups, and for their number as Student's t distribution
        corrects the normal one.

    Examples
    --------
    >>> bca_interval(0.5, np.linspace(0, 1, 1001), np.linspace(0.49, 0.51, 1000), 0.9)
    (0.0488..., 0.9511...)
    """
    ordered = np.sort(resampled)
    below = float(np.count_nonzero(ordered < value) + np.count_nonzero(ordered <= value)) / 2
    size = len(ordered)
    bias = _NORMAL.inv_cdf(min(max(below / size, 0.5 / size), 1 - 0.5 / size))
    influences = without.mean() - without
    influences /= max(
        float(abs(influences).max()), sys.float_info.min
    )  # squares of tiny ones are 0
    squares = float(influences @ influences)
    skewness = float((influences**3).sum()) / (6 * squares**1.5) if squares else 0.0
    groups = len(without)
    reach = student_quantile(level, groups - 1) * _scale(groups)
    low, high = (
        _quantile(ordered, _NORMAL.cdf(bias + (bias + z) / (1 - skewness * (bias + z))))
        for z in (-reach, reach)
    )
    return min(low, high), max(low, high)


def percentile_interval(resampled: Floats, groups: int, level: float) -> tuple[float, float]:
    """Return the percentile interval of a difference, corrected for the number of groups.

    Differences of two models are symmetric if the models are equal. The corrections of
    `bca_interval` follow the skewness of the sample, and find too many differences of scores with
    outliers: see the design of intervals.

    Parameters
    ----------
    resampled : ndarray of float64
        Difference in each resample in which it is defined.
    groups : int
        Number of groups of items.
    level : float
        Confidence level.

    Returns
    -------
    low, high : float
        Quantiles of the differences, corrected as Student's t distribution corrects normal ones.

    Examples
    --------
    >>> percentile_interval(np.linspace(0, 1, 1001), 1000, 0.9)
    (0.0488..., 0.9511...)
    """
    ordered, reach = np.sort(resampled), student_quantile(level, groups - 1) * _scale(groups)
    low, high = (_quantile(ordered, _NORMAL.cdf(z)) for z in (-reach, reach))
    return low, high


def percentile_p_value(resampled: Floats, groups: int) -> float | None:
    """Return the p-value of a difference: one minus the level of the interval that ends at 0.

    Parameters
    ----------
    resampled, groups : ndarray of float64, int
        As in `percentile_interval`.

    Returns
    -------
    float or None
        None if all resamples are above 0, or all are below: no interval ends at 0.

    Examples
    --------
    >>> round(percentile_p_value(np.linspace(-0.05, 0.95, 999), 1000), 3)
    0.102
    >>> percentile_p_value(np.linspace(0.05, 1, 999), 1000) is None
    True
    """
    ordered = np.sort(resampled)
    if ordered[0] > 0 or ordered[-1] < 0:
        return None
    first, last = (int(np.searchsorted(ordered, 0, side)) for side in ("left", "right"))
    if first == last:  # 0 is between two resamples
        below, above = ordered[first - 1], ordered[first]
        positions = [first - below / (above - below)] * 2
    else:
        positions = [first + 1, last]
    low, high = (_NORMAL.inv_cdf(one / (len(ordered) + 1)) for one in positions)
    if low <= 0 <= high:
        return 1.0
    return 1 - share_within(min(abs(low), abs(high)) / _scale(groups), groups - 1)


def _scale(groups: int) -> float:
    """Return the factor by which resamples of n groups vary too little, √(n / (n - 1))."""
    return math.sqrt(groups / (groups - 1))


def _quantile(ordered: Floats, share: float) -> float:
    """Return a quantile of sorted numbers, interpolated."""
    # The position of a share among n numbers of a continuous distribution is share (n + 1).
    at = min(max(share * (len(ordered) + 1) - 1, 0.0), len(ordered) - 1.0)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (at - below))
