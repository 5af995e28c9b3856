"""Reliability: how often scores are right, by their size."""

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels import numeric
from valor_classification.kernels.compiled.functions import MOST_THRESHOLDS, OF, whole
from valor_classification.kernels.spans import spans, workers
from valor_classification.kernels.values import ReliabilityBins, Scores
from valor_core.threads import over

_SCORE_UNITS = 34 * 32  # bits below one of an exact sum of scores, more than any has
_SCORE_LIMBS = 38


def reliability(
    values: Scores, hits: NDArray[np.bool_], limits: Scores, *, threads: int = 1
) -> ReliabilityBins:
    """Scores by the number of limits that they reach, with the hits among them and their sums."""
    if limits.size > MOST_THRESHOLDS:
        return numeric.reliability(values, hits, limits, threads=threads)
    values, hits = np.ascontiguousarray(values), np.ascontiguousarray(hits)

    def task(first: int, last: int) -> ReliabilityBins:
        return _reliability(values[first:last], hits[first:last], limits)

    step = -(-values.size // workers(values.size, threads))
    return ReliabilityBins.joined(over(task, spans(0, values.size, step)), limits.size + 1)


def exact_units(values: NDArray[np.float64]) -> int:
    """Sum of numbers in [0, 1] without rounding, in units of 2**-1074."""
    everything = np.empty(0, values.dtype)  # without limits all numbers are in one bin
    return _reliability(values, np.zeros(values.size, np.bool_), everything).units[0]


def _reliability(values: Scores, hits: NDArray[np.bool_], limits: Scores) -> ReliabilityBins:
    counts = np.zeros(limits.size + 1, np.int64)
    found = np.zeros_like(counts)
    limbs = np.zeros((counts.size, _SCORE_LIMBS), np.uint64)
    OF[values.dtype]["reliability"](
        *(values, hits, values.size, limits, limits.size),
        *(counts, found, limbs, _SCORE_LIMBS, _SCORE_UNITS),
    )
    units = [units >> _SCORE_UNITS - 1074 for units in whole(limbs)]
    return ReliabilityBins(counts=counts, hits=found, units=units)
