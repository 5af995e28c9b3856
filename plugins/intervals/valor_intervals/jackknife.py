"""Standard errors and intervals by leaving out each group of items in turn.

The delete-a-group jackknife holds for statistics that depend smoothly on their items: means,
ratios, areas under curves, averages over labels. It needs the states of the groups alone.

References
----------
Shao and Tu, 'The Jackknife and Bootstrap', Springer 1995, section 2.3.
Korn and Graubard, 'Confidence intervals for proportions with small expected number of positive
counts estimated from survey data', Survey Methodology 24, 1998.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

from attrs import frozen

from valor_core.specs import Range
from valor_intervals.intervals import wilson_interval
from valor_intervals.student import student_quantile

_UNIT = Range(0, 1)
_SMALLEST = 1e-12
"""Smallest sample size: Wilson's interval divides by it."""
_LEAST_VARIANCE = sys.float_info.min
"""Least variance: squares of tiny errors are 0."""
_FEWEST = 2
"""Fewest groups that must change a number, for one degree of freedom."""
SAME = "no interval: the same without any group of items"
"""Reason of a number without an error."""


@frozen
class Estimate:
    """Interval of one number.

    Parameters
    ----------
    interval : (float, float), optional
        Ends; None without an interval.
    method : str
        Method, or the reason why there is no interval.
    error : float, optional
        Standard error.
    groups : int
        Number of groups of items that change the number.
    effective : float
        Number of groups with equal influence that would make the error as uncertain: n of n groups
        with equal influence, about a third of n if the influences are normally distributed.
    """

    interval: tuple[float, float] | None
    method: str
    error: float | None = None
    groups: int = 0
    effective: float = math.inf

    def row(self, name: str) -> dict[str, Any]:
        """Return the row of a table of details."""
        first = {"number": name} if name else {}
        ends = None if self.interval is None else list(self.interval)
        return {
            **first,
            "interval": ends,
            "method": self.method,
            "error": self.error,
            "groups": self.groups,
        }


def estimate(value: float, without: Sequence[float | None], range: Range, level: float) -> Estimate:
    """Return the interval of a number.

    Parameters
    ----------
    value : float
        Number over all items.
    without : sequence of float or None
        Number without each group; None if it is undefined.
    range : Range
        Possible numbers.
    level : float
        Confidence level.

    Returns
    -------
    Estimate
        For a number from 0 to 1, Wilson's interval of the sample size that would give the same
        standard error, reduced for the degrees of freedom as by Korn and Graubard. Otherwise the
        number plus or minus its standard error times the quantile of Student's t distribution. The
        degrees of freedom are the number of groups that change the number, minus one.

    Examples
    --------
    >>> found = estimate(0.5, [0.4, 0.6, 0.45, 0.55], Range(0, 1), 0.95)
    >>> round(found.error, 4), [round(end, 4) for end in found.interval]
    (0.1369, [0.1715, 0.8285])
    >>> estimate(1.0, [1.0, 1.0], Range(0, 1), 0.95).method
    'no interval: the same without any group of items'
    """
    if len(without) < _FEWEST:
        return Estimate(None, "no interval: one group of items")
    numbers = [one for one in without if one is not None]
    if len(numbers) < len(without):
        return Estimate(None, "no interval: undefined without one group of items")
    changing = sum(one != value for one in numbers)
    if len(set(numbers)) == 1:
        return Estimate(None, SAME, 0.0)
    if changing < _FEWEST:
        return Estimate(None, "no interval: it depends on one group of items", None, changing)
    middle = math.fsum(numbers) / len(numbers)
    squares = math.fsum((one - middle) ** 2 for one in numbers)
    error = math.sqrt(squares * (len(numbers) - 1) / len(numbers))
    fourths = math.fsum((one - middle) ** 4 for one in numbers)
    effective = squares**2 / fourths if fourths else math.inf
    quantile = student_quantile(level, changing - 1)
    if range == _UNIT and 0 < value < 1:
        normal = NormalDist().inv_cdf((1 + level) / 2)
        size = value * (1 - value) / max(error**2, _LEAST_VARIANCE) * (normal / quantile) ** 2
        low, high = wilson_interval(value, max(size, _SMALLEST), level)
        return Estimate(_within(low, high, range), "Wilson", error, changing, effective)
    low, high = value - quantile * error, value + quantile * error
    return Estimate(_within(low, high, range), "Student", error, changing, effective)


def _within(low: float, high: float, range: Range) -> tuple[float, float]:
    low = low if range.low is None else max(low, float(range.low))
    return low, high if range.high is None else min(high, float(range.high))
