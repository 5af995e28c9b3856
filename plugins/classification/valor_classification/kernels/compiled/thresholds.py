"""Numbers of thresholds that scores reach, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.compiled.functions import MOST_THRESHOLDS, function, in_threads
from valor_classification.kernels.reference import thresholds as reference
from valor_classification.kernels.values import Codes, Scores, in_type


def outside(values: Scores, low: float, high: float) -> int:
    """Number of scores below `low` or above `high`."""
    values = np.ascontiguousarray(values)
    return int(function("outside", values.dtype)(values, values.size, low, high))


def passed(values: Scores, thresholds: NDArray[np.float64]) -> NDArray[np.unsignedinteger[Any]]:
    """Number of thresholds that each score reaches."""
    if thresholds.size > MOST_THRESHOLDS:
        return reference.passed(values, thresholds)
    values = np.ascontiguousarray(values)
    limits = in_type(thresholds, values.dtype)
    out = np.empty(values.shape, np.uint8)
    function("passed", values.dtype)(values, values.size, limits, limits.size, out)
    return out


def threshold_histogram(
    values: Scores, thresholds: NDArray[np.float64], *, threads: int = 1
) -> Codes:
    """Number of scores of each column by the number of thresholds they reach."""
    values = np.ascontiguousarray(values)
    count, width = values.shape
    limits = in_type(thresholds, values.dtype)
    find = function("threshold_histogram", values.dtype)

    def task(first: int, last: int) -> Codes:
        table = np.zeros((width, limits.size + 1), np.int64)
        if limits.size and width:
            find(values[first:last], last - first, width, limits, limits.size, table)
        return table

    table = np.zeros((width, limits.size + 1), np.int64)
    for part in in_threads(task, count, values.size, threads):
        table += part
    table[:, 0] = count - table[:, 1:].sum(axis=1)
    return table
