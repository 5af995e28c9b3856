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

from collections.abc import Callable, Iterator, Sequence
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
    observed = _difference(first, second, values)
    # Sums of floats depend on their order in the last bits, which must not break ties.
    least = observed if strict else observed * (1 - 1e-9)
    generator, beyond = np.random.default_rng(seed), 0
    for is_swapped in _swaps(trials, len(first), generator):
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
    first, second, values, seed : ndarray, ndarray, callable, int
        As in `approximate_randomization`.
    resamples : int
        Number of resamples.

    Examples
    --------
    >>> scores = np.array([[1.0, 1], [0, 1], [0.5, 1], [1, 1], [0, 1]])
    >>> found = paired_bootstrap(scores, scores * [0.5, 1], means)
    >>> [round(end, 2) for end in found.interval(0.95)]
    [-0.45, -0.05]
    """
    generator = np.random.default_rng(seed)
    numbers, others = _resampled((first, second), values, resamples, generator)
    distances = np.abs(others - numbers)
    beyond = int(np.sum(distances - distances.mean() > _difference(first, second, values)))
    return Bootstrap(numbers, others, (beyond + 1) / (resamples + 1))


def resampled_numbers(
    columns: Floats,
    values: Values,
    *,
    resamples: int = RESAMPLES,
    trials: int = 0,
    seed: int = SEED,
) -> Floats:
    """Return the number of one model in each resample of its items.

    With `mean_and_reach`, these are the intervals that sacrebleu adds to approximate
    randomization: it draws those of the first model with a new generator, and those of the second
    with the generator that drew the swaps.

    Parameters
    ----------
    columns : ndarray of float64, shape (items, columns)
        Columns of each item whose sums give the number.
    values : callable
        Function from sums to numbers.
    resamples : int
        Number of resamples.
    trials : int
        Number of shuffles that were drawn before with the same generator.
    seed : int
        Seed of NumPy's default generator.

    Examples
    --------
    >>> scores = np.array([[1.0, 1], [0, 1], [0.5, 1], [1, 1], [0, 1]])
    >>> resampled_numbers(scores, means, resamples=3).round(2)
    array([0.4, 0.6, 0.2])
    """
    generator = np.random.default_rng(seed)
    for _ in _swaps(trials, len(columns), generator):
        pass
    return _resampled((columns,), values, resamples, generator)[0]


def _resampled(
    models: Sequence[Floats], values: Values, resamples: int, generator: np.random.Generator
) -> list[Floats]:
    """Return the numbers of each model in the same resamples of items."""
    items = len(models[0])
    sums: list[list[Floats]] = [[] for _ in models]
    for count in _pieces(resamples, items):
        drawn = generator.choice(items, size=(count, items), replace=True)
        for found, columns in zip(sums, models, strict=True):
            found += [columns[rows].sum(0) for rows in drawn]
    return [values(np.array(found)) for found in sums]


def _swaps(trials: int, items: int, generator: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
    """Yield which items are swapped, one row per shuffle, in pieces that fit in memory."""
    for count in _pieces(trials, items):
        yield generator.integers(2, size=(count, items), dtype=bool)


def _difference(first: Floats, second: Floats, values: Values) -> float:
    """Return the absolute difference between the numbers of two models."""
    (a,), (b,) = (values(one.sum(0)[None]) for one in (first, second))
    return float(abs(a - b))


def _pieces(samples: int, items: int) -> Iterator[int]:
    """Yield numbers of samples that fit in memory.

    Multiples of 32, since NumPy draws that many bits at once and discards the rest at each call.
    """
    most = max(_AT_ONCE // max(items, 1) // 32 * 32, 32)
    while samples > 0:
        yield min(most, samples)
        samples -= most
