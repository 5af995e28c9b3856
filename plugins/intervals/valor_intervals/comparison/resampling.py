"""Tests of the difference between two models by shuffling or resampling their items.

A metric is a function of sums over items, such as a mean or BLEU of a corpus. Both tests draw the
same random numbers as sacrebleu, and give its p-values for the same sums.

References
----------
Noreen, 'Computer-intensive methods for testing hypotheses', Wiley 1989.
Riezler and Maxwell, 'On some pitfalls in automatic evaluation and significance testing for MT', ACL
workshop on evaluation measures 2005.
Koehn, 'Statistical significance tests for machine translation evaluation', EMNLP 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Values = Callable[[Floats], Floats]
"""Function from sums, one row per sample, to the number of each sample."""

SEED: Final = 12345
"""Default seed, that of sacrebleu."""

TRIALS: Final = 10_000
"""Default number of shuffles."""

RESAMPLES: Final = 1000
"""Default number of resamples."""

_AT_ONCE = 4_000_000
"""Most random numbers in memory, 32 MB."""


def means(sums: Floats) -> Floats:
    """Return the mean of samples from the sums of scores and of ones.

    Examples
    --------
    >>> means(np.array([[3.0, 4.0]]))
    array([0.75])
    """
    found: Floats = sums[:, 0] / sums[:, 1]
    return found


def approximate_randomization(
    first: Floats,
    second: Floats,
    values: Values,
    *,
    trials: int = TRIALS,
    seed: int = SEED,
    strict: bool = False,
) -> float:
    """Return the p-value of the difference between two models, by swapping their items at random.

    Parameters
    ----------
    first, second : ndarray of float64, shape (items, columns)
        Columns of each item, of the first and of the second model, whose sums give the number.
    values : callable
        Function from sums to numbers.
    trials : int
        Number of shuffles.
    seed : int
        Seed of NumPy's default generator.
    strict : bool
        Whether only larger differences count, as in sacrebleu. By default equal ones count too:
        without them, the p-value is too small if few items differ.

    Returns
    -------
    float
        Share of shuffles with a difference of this size, with this one counted as one of them.

    Examples
    --------
    >>> scores = np.array([[1.0, 1], [0, 1], [0.5, 1], [1, 1], [0, 1]])
    >>> better = scores + [0.25, 0]
    >>> round(approximate_randomization(scores, better, means), 2)
    0.06
    """
    total, change = first.sum(0) + second.sum(0), first - second
    (a,), (b,) = values(first.sum(0)[None]), values(second.sum(0)[None])
    observed = abs(a - b)
    # Sums of floats depend on their order in the last bits, which must not break ties.
    least = observed if strict else observed * (1 - 1e-9)
    generator, beyond = np.random.default_rng(seed), 0
    for count in _pieces(trials, len(first)):
        is_swapped = generator.integers(2, size=(count, len(first)), dtype=bool)
        shuffled = second.sum(0) + is_swapped.astype(np.float64) @ change
        differences = np.abs(values(shuffled) - values(total - shuffled))
        beyond += int(np.sum(differences > least if strict else differences >= least))
    return (beyond + 1) / (trials + 1)


@frozen
class Bootstrap:
    """Resamples of two models.

    Parameters
    ----------
    first, second : ndarray of float64, shape (resamples,)
        Number of each resample.
    p : float
        P-value of their difference, as defined by sacrebleu: the share of resamples in which the
        absolute difference exceeds its mean by the observed one.
    """

    first: Floats
    second: Floats
    p: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return the percentile interval of the difference, second minus first."""
        tail = (1 - level) / 2
        low, high = np.quantile(self.second - self.first, [tail, 1 - tail]).tolist()
        return low, high

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return float(np.std(self.second - self.first, ddof=1))


def mean_and_reach(numbers: Floats) -> tuple[float, float]:
    """Return the mean of resamples, and half the width of the middle 95 % of them, as sacrebleu.

    Examples
    --------
    >>> mean_and_reach(np.arange(1000.0))
    (499.5, 474.5)
    """
    ordered = np.sort(numbers)
    outside = len(ordered) // 40
    return float(ordered.mean()), float(0.5 * (ordered[-outside - 1] - ordered[outside]))


def paired_bootstrap(
    first: Floats,
    second: Floats,
    values: Values,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Bootstrap:
    """Draw items with replacement, the same for both models, and compute both numbers.

    Parameters
    ----------
    first, second : ndarray of float64, shape (items, columns)
        Columns of each item, of the first and of the second model, whose sums give the number.
    values : callable
        Function from sums to numbers.
    resamples : int
        Number of resamples.
    seed : int
        Seed of NumPy's default generator.

    Examples
    --------
    >>> scores = np.array([[1.0, 1], [0, 1], [0.5, 1], [1, 1], [0, 1]])
    >>> found = paired_bootstrap(scores, scores * [0.5, 1], means)
    >>> [round(end, 2) for end in found.interval(0.95)]
    [-0.45, -0.05]
    """
    generator = np.random.default_rng(seed)
    sums: tuple[list[Floats], list[Floats]] = ([], [])
    for count in _pieces(resamples, len(first)):
        drawn = generator.choice(len(first), size=(count, len(first)), replace=True)
        for found, columns in zip(sums, (first, second), strict=True):
            found += [columns[items].sum(0) for items in drawn]
    numbers, others = (values(np.array(found)) for found in sums)
    (a,), (b,) = values(first.sum(0)[None]), values(second.sum(0)[None])
    distances = np.abs(others - numbers)
    beyond = int(np.sum(distances - distances.mean() > abs(a - b)))
    return Bootstrap(numbers, others, (beyond + 1) / (resamples + 1))


def _pieces(samples: int, items: int) -> Iterator[int]:
    """Yield numbers of samples that fit in memory.

    Multiples of 32, since NumPy draws that many bits at once and discards the rest at each call.
    """
    most = max(_AT_ONCE // max(items, 1) // 32 * 32, 32)
    while samples > 0:
        yield min(most, samples)
        samples -= most
