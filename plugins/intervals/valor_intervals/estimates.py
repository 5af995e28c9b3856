"""Choice of the method whose interval holds for a number.

References
----------
Clopper and Pearson, 'The use of confidence or fiducial limits illustrated in the case of the
binomial', Biometrika 26, 1934.
"""

from __future__ import annotations

import math

import numpy as np
from attrs import evolve

from valor_core.specs import Range
from valor_intervals.bootstrap import MOST_UNDEFINED, bca_interval
from valor_intervals.jackknife import SAME, Estimate, estimate
from valor_intervals.resamples import Floats


def interval_of(
    value: float, without: Floats, resampled: Floats, range: Range, level: float
) -> Estimate:
    """Return the interval of a number.

    Parameters
    ----------
    value : float
        Number over all items.
    without : ndarray of float64
        Number without each group of items; NaN if it is undefined.
    resampled : ndarray of float64
        Number in each resample of the groups, empty to leave out groups only.
    range : Range
        Possible numbers.
    level : float
        Confidence level.

    Examples
    --------
    >>> without = np.array([0.4, 0.6, 0.45, 0.55])
    >>> interval_of(0.5, without, np.empty(0), Range(0, 1), 0.95).method
    'Wilson'
    """
    found = estimate(
        value, [None if math.isnan(one) else one for one in without.tolist()], range, level
    )
    if found.error is None or not found.error or not len(resampled):
        return found
    defined = resampled[~np.isnan(resampled)]
    undefined = 1 - len(defined) / len(resampled)
    if undefined > MOST_UNDEFINED:
        reason = f"no interval: undefined in {undefined:.0%} of the resamples"
        return evolve(found, interval=None, method=reason)
    interval = bca_interval(value, defined, without, level)
    return evolve(found, interval=interval, method="bootstrap, BCa")


def is_extreme(value: float, found: Estimate, range: Range) -> bool:
    """Return whether a number from 0 to 1 is at an end, and no group of items changes it.

    Examples
    --------
    >>> same = Estimate(None, SAME, 0.0)
    >>> is_extreme(1.0, same, Range(0, 1)), is_extreme(0.5, same, Range(0, 1))
    (True, False)
    """
    return found.method == SAME and range == Range(0, 1) and value in (0, 1)


def extreme_estimate(value: float, trials: int, level: float) -> Estimate:
    """Return the exact interval of a proportion of 0 or 1.

    Parameters
    ----------
    value : float
        0 or 1.
    trials : int
        Number of groups of items in which the proportion is defined. Each has at least one trial,
        so the interval is too wide rather than too narrow.
    level : float
        Confidence level.

    Examples
    --------
    >>> found = extreme_estimate(1.0, 100, 0.95)
    >>> round(found.interval[0], 4), found.interval[1], found.method
    (0.9638, 1.0, 'exact')
    """
    if not trials:
        return Estimate(None, "no interval: undefined in each group of items alone", 0.0)
    # The end of Clopper and Pearson's interval has a closed form without failures.
    end = ((1 - level) / 2) ** (1 / trials)
    interval = (end, 1.0) if value else (0.0, 1 - end)
    return Estimate(interval, "exact", 0.0, trials)
