"""Rates: shares of samples, with what they are shares of and how sure they are."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from attrs import frozen


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

        References
        ----------
        Wilson, 'Probable inference, the law of succession, and statistical inference', Journal of
        the American Statistical Association 22, 1927.

        Examples
        --------
        >>> low, high = Rate(80, 100).interval(0.95)
        >>> round(low, 4), round(high, 4)
        (0.7112, 0.8666)
        """
        if not self.total:
            return None, None
        share, total = self.count / self.total, self.total
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        scale = 1 + z * z / total
        middle = (share + z * z / (2 * total)) / scale
        half = z / scale * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
        # At the ends the bound is the end itself, which rounding may miss.
        low = 0.0 if self.count == 0 else middle - half
        high = 1.0 if self.count == self.total else middle + half
        return low, high

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
