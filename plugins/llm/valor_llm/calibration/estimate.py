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
    low, high : float
        Where the interval begins and ends.
    """

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """The estimate as reports and records have it."""
        return {"value": self.value, "low": self.low, "high": self.high}


def standard_errors(level: float) -> float:
    """How many standard errors to each side an interval is wide.

    Examples
    --------
    >>> round(standard_errors(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf(0.5 + level / 2)
