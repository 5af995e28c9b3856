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
from valor_intervals.student import student_quantile

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
    reach = student_quantile(level, groups - 1) * math.sqrt(groups / (groups - 1))
    low, high = (
        _quantile(ordered, _NORMAL.cdf(bias + (bias + z) / (1 - skewness * (bias + z))))
        for z in (-reach, reach)
    )
    return min(low, high), max(low, high)


def _quantile(ordered: Floats, share: float) -> float:
    """Return a quantile of sorted numbers, interpolated."""
    # The position of a share among n numbers of a continuous distribution is share (n + 1).
    at = min(max(share * (len(ordered) + 1) - 1, 0.0), len(ordered) - 1.0)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (at - below))
