"""Tests whether a number is not worse than in an earlier report."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from attrs import frozen

from valor_intervals.differences import Pair, decoded, differences


@frozen
class Judgement:
    """Outcome of a test whether a number is not worse.

    Parameters
    ----------
    outcome : str
        ``"pass"``, ``"fail"`` or ``"unclear"``.
    low, high : float
        Ends of the interval of the difference, second minus first, with the level 1 - 2 alpha.
    times : float
        Number of items that decides, as a multiple of the present one, if the difference stays the
        same. Infinite if no number of items decides; 1 for a clear outcome.
    """

    outcome: Literal["pass", "fail", "unclear"]
    low: float
    high: float
    times: float = 1.0


def not_worse(
    pair: Pair, *, higher_is_better: bool, margin: float, alpha: float
) -> Judgement | None:
    """Test whether the second number is not worse than the first by more than a margin.

    Two one-sided tests: it passes if a loss of `margin` or more is rejected, and fails if a loss of
    less than `margin` is rejected.

    Parameters
    ----------
    pair : Pair
        The numbers, and their values without each group of items.
    higher_is_better : bool
        Direction of the metric.
    margin : float
        Largest loss that is accepted, 0 or more.
    alpha : float
        Probability that either test rejects what is true, in (0, 0.5).

    Returns
    -------
    Judgement or None
        None if the difference has no interval.

    References
    ----------
    Schuirmann, 'A comparison of the two one-sided tests procedure and the power approach',
    Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.

    Examples
    --------
    >>> from valor_intervals.differences import encoded
    >>> first, second = {"without": encoded([0.4, 0.6, 0.5])}, {"without": encoded([0.6, 0.8, 0.8])}
    >>> pair = Pair(0.5, 0.73, first, second)
    >>> found = not_worse(pair, higher_is_better=True, margin=0.0, alpha=0.05)
    >>> found.outcome, round(found.low, 3), round(found.high, 3)
    ('pass', 0.035, 0.425)
    >>> found = not_worse(pair, higher_is_better=True, margin=0.0, alpha=0.01)
    >>> found.outcome, round(found.times, 1)
    ('unclear', 4.1)
    """
    (found,) = differences([pair], 1 - 2 * alpha)
    if found is None:
        return Judgement("pass", 0.0, 0.0) if _are_equal(pair) else None
    sign = 1 if higher_is_better else -1
    low, high = sorted((sign * found.low, sign * found.high))
    beyond = sign * (pair.b - pair.a) + margin
    if low > -margin or high < -margin:
        return Judgement("pass" if beyond > 0 else "fail", found.low, found.high)
    # The standard error falls with the square root of the number of items.
    reach = beyond - margin - low if beyond > 0 else high - (beyond - margin)
    times = (reach / beyond) ** 2 if beyond else math.inf
    return Judgement("unclear", found.low, found.high, times)


def _are_equal(pair: Pair) -> bool:
    """Return whether two numbers are equal, also without each group of items."""
    if pair.a != pair.b or not {"without"} <= pair.first.keys() & pair.second.keys():
        return False
    first, second = (decoded(row["without"]) for row in (pair.first, pair.second))
    return np.array_equal(first, second, equal_nan=True)
