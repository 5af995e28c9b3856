"""Reliability: how often scores are right, by their size."""

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.numeric.thresholds import passed
from valor_classification.kernels.spans import spans, workers
from valor_classification.kernels.values import ReliabilityBins, Scores
from valor_core.exact import ExactSum, ExactSums
from valor_core.threads import over


def reliability(
    values: Scores, hits: NDArray[np.bool_], limits: Scores, *, threads: int = 1
) -> ReliabilityBins:
    """Scores by the number of limits that they reach, with the hits among them and their sums.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n,)
        Scores in [0, 1].
    hits : ndarray of bool, shape (n,)
        Whether each is a hit.
    limits : ndarray of the type of `values`, shape (b - 1,)
        Ascending.
    threads : int
        Most threads to use.

    Returns
    -------
    ReliabilityBins
        Of b bins.

    Examples
    --------
    >>> found = reliability(
    ...     np.array([0.25, 0.75, 0.5]), np.array([False, True, True]), np.array([0.5])
    ... )
    >>> found.counts, found.hits, [units / 2**1074 for units in found.units]
    (array([1, 2]), array([0, 2]), [0.25, 1.25])
    """
    count = limits.size + 1

    def task(first: int, last: int) -> ReliabilityBins:
        own = slice(first, last)
        bins = passed(values[own], limits.astype(np.float64))
        sums = ExactSums()
        sums.grow(count)
        sums.add(bins, values[own].astype(np.float64))
        return ReliabilityBins(
            counts=np.bincount(bins, minlength=count),
            hits=np.bincount(bins[hits[own]], minlength=count),
            units=sums.units,
        )

    step = -(-values.size // workers(values.size, threads))
    return ReliabilityBins.joined(over(task, spans(0, values.size, step)), count)


def exact_units(values: NDArray[np.float64]) -> int:
    """Sum of numbers in [0, 1] without rounding, in units of 2**-1074 as `ExactSum` has it.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Numbers in [0, 1].

    Examples
    --------
    >>> exact_units(np.array([0.25, 0.5])) / 2**1074
    0.75
    """
    total = ExactSum()
    total.add(values)
    return total.units
