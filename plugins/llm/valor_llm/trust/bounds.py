"""Bounds: what the mean would be if every item that failed had the worst score, or the best."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.spec import MetricSpec


@frozen
class Bounds:
    """The mean with the items that failed, at worst and at best.

    Parameters
    ----------
    worst : float
        The mean if all of them had the worst score that there is.
    best : float
        The mean if all of them had the best.
    """

    worst: float
    best: float


def bounds_of(present: NDArray[np.float64], failed: int, spec: MetricSpec) -> Bounds | None:
    """The bounds of a mean; None where nothing failed, or the metric has no worst and best score.

    Parameters
    ----------
    present : ndarray of float64
        The scores that there are.
    failed : int
        How many items failed.
    spec : MetricSpec
        The metric, with its range and direction.
    """
    low, high = spec.range.low, spec.range.high
    if not failed or low is None or high is None or spec.higher_is_better is None:
        return None
    total, count = math.fsum(present.tolist()), len(present) + failed
    at_low, at_high = ((total + failed * end) / count for end in (low, high))
    return Bounds(at_low, at_high) if spec.higher_is_better else Bounds(at_high, at_low)
