"""Bounds of a mean over items of which some failed."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.specs import Range


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
