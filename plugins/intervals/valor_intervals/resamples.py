"""Poisson weights of groups of items in resamples, and their numbers as text for a report.

References
----------
Hanley and MacGibbon, 'Creating non-parametric bootstrap samples using Poisson frequencies',
Computer Methods and Programs in Biomedicine 83, 2006.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from valor_intervals.hashing import Hashes, mixed

Floats = NDArray[np.float64]
Weights = NDArray[np.int64]
"""Integer weights, shape (n_resamples, n_groups)."""

_UNDEFINED = (1 << 16) - 1
_STEPS = _UNDEFINED - 1


def poisson_weights(seed: int, groups: Sequence[int], resamples: int) -> Weights:
    """Return how often each group occurs in each resample: Poisson numbers with mean 1.

    A weight is a function of the seed, the group and the resample alone, so two models evaluated on
    the same items have the same resamples.

    Parameters
    ----------
    seed : int
        Number that selects the weights.
    groups : sequence of int
        Codes of the groups.
    resamples : int
        Number of resamples.

    Examples
    --------
    >>> weights = poisson_weights(0, [3, 7], 1000)
    >>> weights.shape, bool((weights[:, 1:] == poisson_weights(0, [7], 1000)).all())
    ((1000, 2), True)
    """
    # Another constant than that of the division into groups, so that the two are independent.
    start = mixed(mixed(np.array([seed], np.int64).view(np.uint64)) ^ np.uint64(0x5EED))
    of_group = mixed(np.array(groups, np.int64).view(np.uint64) ^ start)
    of_resample = mixed(np.arange(resamples, dtype=np.uint64))
    numbers: Hashes = mixed(of_resample[:, None] ^ of_group)
    return np.searchsorted(_poisson_limits(), numbers, side="right").astype(np.int64)


def _poisson_limits() -> Hashes:
    """Return 2**64 times the Poisson distribution function at 0, 1, …, rounded down."""
    terms = 40  # 1 / 40! is below 2**-150
    inverse_e = sum((Fraction((-1) ** k, math.factorial(k)) for k in range(terms)), Fraction())
    total, limits = Fraction(0), []
    for k in range(terms):
        total += inverse_e / math.factorial(k)
        limit = int(total * (1 << 64))
        if limit >= (1 << 64) - 1:
            break
        limits.append(limit)
    return np.array(limits, np.uint64)


def encoded_resamples(numbers: Floats) -> str:
    """Return the number of each resample as text, in 2 bytes each; NaN for undefined.

    The error is at most a 131,000th of the range of the numbers.

    Examples
    --------
    >>> decoded_resamples(encoded_resamples(np.array([0.25, 0.5, np.nan]))).tolist()
    [0.25, 0.5, nan]
    """
    defined = numbers[~np.isnan(numbers)]
    low, high = (float(defined.min()), float(defined.max())) if len(defined) else (0.0, 0.0)
    step = (high - low) / _STEPS
    codes = np.full(len(numbers), _UNDEFINED, "<u2")
    codes[~np.isnan(numbers)] = np.rint((defined - low) / step) if step else 0
    return base64.b64encode(np.array([low, high], "<f8").tobytes() + codes.tobytes()).decode()


def decoded_resamples(text: str) -> Floats:
    """Return the number of each resample from the text of `encoded_resamples`.

    Raises
    ------
    ValueError
        If the text is damaged.
    """
    return _with_step(text)[0]


def resampled_difference(first: str, second: str) -> Floats:
    """Return the difference in each resample, second minus first, from two encoded texts.

    Differences within the rounding error of the encoding are 0.

    Raises
    ------
    ValueError
        If a text is damaged, or the numbers of resamples differ.

    Examples
    --------
    >>> first, second = (encoded_resamples(np.array(one)) for one in ([0.25, 0.5], [0.5, 0.5]))
    >>> resampled_difference(first, second).tolist()
    [0.25, 0.0]
    """
    (numbers, step), (others, other_step) = (_with_step(one) for one in (first, second))
    if len(numbers) != len(others):
        raise ValueError(f"{len(numbers)} resamples, then {len(others)}")
    found: Floats = others - numbers
    found[abs(found) <= (step + other_step) / 2 * (1 + 1e-9)] = 0
    return found


def _with_step(text: str) -> tuple[Floats, float]:
    """Return the number of each resample, and the distance between two codes."""
    content = base64.b64decode(text, validate=True)
    low, high = np.frombuffer(content[:16], "<f8").tolist()
    codes = np.frombuffer(content[16:], "<u2")
    step = (high - low) / _STEPS
    numbers: Floats = low + codes * step
    # The last step would miss the greatest number by rounding.
    numbers[codes == _STEPS] = high
    numbers[codes == _UNDEFINED] = np.nan
    return numbers, step
