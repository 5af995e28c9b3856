"""Bounds of a mean over items of which some failed."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.specs import Range


@frozen
class Bounds:
    """Bounds of the mean for any scores of the failed items.

    Parameters
    ----------
    low : float
        Mean if all failed items had the lowest possible score.
    high : float
        The mean if all of them had the highest.
    """

    low: float
    high: float


def bounds_of(present: NDArray[np.float64], failed: int, range: Range) -> Bounds | None:
    """Return the bounds of a mean; None without failures, or if the range is unbounded.

    Parameters
    ----------
    present : ndarray of float64
        Scores of the scored items.
    failed : int
        Number of failed items.
    range : Range
        Range of the scores. Which end is the best score depends on the metric.

    Examples
    --------
    >>> bounds_of(np.array([1.0, 0.5]), 2, Range(0, 1))
    Bounds(low=0.375, high=0.875)
    """
    if not failed or range.low is None or range.high is None:
        return None
    total, count = math.fsum(present.tolist()), len(present) + failed
    return Bounds(*((total + failed * end) / count for end in (range.low, range.high)))
