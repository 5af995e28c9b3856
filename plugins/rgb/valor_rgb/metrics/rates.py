"""Rates: shares of samples, with what they are shares of and how sure they are."""

from __future__ import annotations

from attrs import frozen
from valor_intervals import wilson_interval


@frozen
class Rate:
    """A share of some samples.

    Parameters
    ----------
    count, total : int
        How many of how many.

    Examples
    --------
    >>> Rate(3, 4).value, Rate(0, 0).value
    (0.75, None)
    """

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """The share, from 0 to 1; None of no samples."""
        return self.count / self.total if self.total else None

    def interval(self, confidence: float) -> tuple[float, float] | tuple[None, None]:
        """Wilson's score interval, without continuity correction.

        Parameters
        ----------
        confidence : float
            How sure, in (0, 1).

        Returns
        -------
        tuple of float
            The lower and the upper bound, from 0 to 1; two None of no samples.

        Examples
        --------
        >>> low, high = Rate(80, 100).interval(0.95)
        >>> round(low, 4), round(high, 4)
        (0.7112, 0.8666)
        """
        share = self.value
        return (None, None) if share is None else wilson_interval(share, self.total, confidence)

    def record(self, confidence: float) -> dict[str, float | None]:
        """The rate with its interval and its counts, as a report has it.

        Examples
        --------
        >>> list(Rate(1, 2).record(0.95))
        ['rate', 'low', 'high', 'numerator', 'denominator']
        """
        low, high = self.interval(confidence)
        return {
            "rate": self.value,
            "low": low,
            "high": high,
            "numerator": self.count,
            "denominator": self.total,
        }
