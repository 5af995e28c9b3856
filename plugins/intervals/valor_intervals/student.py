"""Quantiles of Student's t distribution."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

_LARGE = 2000
"""Degrees of freedom above which the expansion is exact to the last digits."""


@lru_cache(maxsize=1024)
def student_quantile(level: float, degrees: int) -> float:
    """Return t such that a share of the distribution lies between -t and t.

    Parameters
    ----------
    level : float
        Share, in (0, 1).
    degrees : int
        Degrees of freedom, at least 1.

    Notes
    -----
    For whole degrees of freedom the share within t is a finite sum (Abramowitz and Stegun, Handbook
    of Mathematical Functions, 26.7.3 and 26.7.4), which Newton's method solves for t. For many
    degrees, the expansion 26.7.5 around the normal quantile is used.

    Examples
    --------
    >>> round(student_quantile(0.95, 9), 6)
    2.262157
    """
    normal = NormalDist().inv_cdf(0.5 + level / 2)
    t = _expanded(normal, degrees)
    if degrees >= _LARGE:
        return t
    if degrees == 1:
        return math.tan(math.pi * level / 2)
    for _ in range(50):
        step = (share_within(t, degrees) - level) / (2 * _density(t, degrees))
        t = max(t - step, t / 2)
        if abs(step) <= 1e-15 * t:
            break
    return t


def _expanded(x: float, n: int) -> float:
    terms = (
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return x + math.fsum(term / n**power for power, term in enumerate(terms, 1))


def share_within(t: float, n: int) -> float:
    """Return the share of Student's t distribution with n degrees of freedom between -t and t.

    Examples
    --------
    >>> round(share_within(2.262157, 9), 6)
    0.95
    """
    angle = math.atan2(t, math.sqrt(n))
    cosine, is_odd = math.cos(angle), n % 2
    # Each term multiplies the previous one by cos² and 2/3, 4/5 … (odd n) or 1/2, 3/4 … (even n).
    lower = np.arange(1 + is_odd, n - 2, 2, dtype=np.float64)
    factors = np.cumprod(np.concatenate([[1.0], lower / (lower + 1) * cosine**2]))
    total = math.sin(angle) * math.fsum(factors)
    if not is_odd:
        return total
    return 2 / math.pi * (angle + (total * cosine if n > 1 else 0.0))


def _density(t: float, n: int) -> float:
    scale = math.lgamma((n + 1) / 2) - math.lgamma(n / 2) - math.log(n * math.pi) / 2
    return math.exp(scale - (n + 1) / 2 * math.log1p(t * t / n))
