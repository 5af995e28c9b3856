"""Estimate: a number with the interval that it lies in."""

from __future__ import annotations

from statistics import NormalDist

from attrs import frozen

LEVEL = 0.95
"""Share of intervals that hold the true number."""


@frozen
class Estimate:
    """An estimate with its interval.

    Parameters
    ----------
    value : float
        The estimate.
    low, high : float, optional
        Where the interval begins and ends, if it has one.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def interval(self) -> list[float] | None:
        """Both ends of the interval."""
        return None if self.low is None or self.high is None else [self.low, self.high]


def standard_errors(level: float) -> float:
    """How many standard errors to each side an interval is wide.

    Examples
    --------
    >>> round(standard_errors(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf(0.5 + level / 2)
