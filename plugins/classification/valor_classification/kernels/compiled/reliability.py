"""Hits and exact sums of scores in bins, compiled."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.compiled.best import rows_of
from valor_classification.kernels.compiled.functions import (
    MOST_THRESHOLDS,
    function,
    in_threads,
    sums,
    whole,
)
from valor_classification.kernels.reference import reliability as reference
from valor_classification.kernels.values import Codes, ReliabilityBins, RowTops, Scores

_SCORE_UNITS = 34 * 32  # fractional bits of an exact sum: a double has at most 1074
_SCORE_LIMBS = 38


def reliability(
    values: Scores, hits: NDArray[np.bool_], limits: Scores, *, threads: int = 1
) -> ReliabilityBins:
    """Count scores, their hits and their sums by the number of limits that they reach."""
    if limits.size > MOST_THRESHOLDS:
        return reference.reliability(values, hits, limits, threads=threads)
    values, hits = np.ascontiguousarray(values), np.ascontiguousarray(hits)
    add = function("reliability", values.dtype)

    def task(first: int, last: int) -> ReliabilityBins:
        return _binned(add, (values[first:last], hits[first:last], last - first), limits)

    parts = in_threads(task, values.size, values.size, threads)
    return ReliabilityBins.joined(parts, limits.size + 1)


def top_reliability(
    values: Scores,
    labels: Codes,
    truths: Codes,
    limits: Scores,
    *,
    tops: RowTops | None = None,
    threads: int = 1,
) -> ReliabilityBins:
    """Bin the best score of each row like `reliability`; it hits if its label is the true one."""
    if limits.size > MOST_THRESHOLDS:
        return reference.top_reliability(values, labels, truths, limits, tops=tops, threads=threads)
    values = np.ascontiguousarray(values)
    count = len(values)
    labels, truths = np.ascontiguousarray(labels), np.ascontiguousarray(truths)
    add = function("top_reliability", values.dtype)

    def task(first: int, last: int) -> ReliabilityBins:
        rows = rows_of(values, tops, first, last)
        return _binned(add, (rows, labels, truths[first:last]), limits)

    parts = in_threads(task, count, values.size if tops is None else count, threads)
    return ReliabilityBins.joined(parts, limits.size + 1)


def exact_units(values: NDArray[np.float64]) -> int:
    """Sum of numbers in [0, 1] without rounding, in units of 2**-1074."""
    everything = np.empty(0, values.dtype)  # without limits all numbers are in one bin
    return reliability(values, np.zeros(values.size, np.bool_), everything).units[0]


def squared_errors(values: Scores, datums: Codes, columns: Codes, *, threads: int = 1) -> int:
    """Sum of the squared differences between scores in [0, 1] and truth, without rounding."""
    values = np.ascontiguousarray(values)
    datums, columns = np.ascontiguousarray(datums), np.ascontiguousarray(columns)
    count, width = values.shape
    add = function("squared_errors", values.dtype)

    def task(first: int, last: int) -> int:
        listed = slice(*np.searchsorted(datums, (first, last)).tolist())
        limbs = np.zeros((1, _SCORE_LIMBS), np.uint64)
        add(
            *(values[first:last], last - first, width, first),
            *(datums[listed], columns[listed], listed.stop - listed.start),
            sums(limbs, _SCORE_UNITS),
        )
        return whole(limbs)[0] >> _SCORE_UNITS - 1074

    return sum(in_threads(task, count, values.size, threads))


def _binned(add: Callable[..., int], rows: tuple[Any, ...], limits: Scores) -> ReliabilityBins:
    """Return the counts that a kernel adds to empty bins."""
    table = np.zeros((limits.size + 1, 2), np.int64)
    limbs = np.zeros((limits.size + 1, _SCORE_LIMBS), np.uint64)
    outside = add(*rows, limits, limits.size, table, sums(limbs, _SCORE_UNITS))
    return ReliabilityBins(
        counts=table.sum(axis=1),
        hits=table[:, 1],
        units=[units >> _SCORE_UNITS - 1074 for units in whole(limbs)],
        outside=outside,
    )
