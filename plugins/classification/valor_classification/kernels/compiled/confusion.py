"""Cells of confusion matrices, compiled."""

import math
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.compiled.best import rows_of, top_of_rows
from valor_classification.kernels.compiled.functions import confusion_table, function, in_threads
from valor_classification.kernels.compiled.thresholds import passed
from valor_classification.kernels.reference import confusion as reference
from valor_classification.kernels.values import Codes, ConfusionCells, RowTops, Scores, in_type

_SMALL_TABLE = 1 << 16  # cells of a table that takes negligible time to fill


def confusion_cells(
    truths: NDArray[np.integer[Any]],
    predictions: NDArray[np.integer[Any]],
    bins: NDArray[np.integer[Any]],
    *,
    label_count: int,
    threshold_count: int,
) -> ConfusionCells:
    """Number of datums with each truth, prediction and number of thresholds passed."""
    shape = (label_count + 1, label_count + 1, threshold_count + 1)
    if bins.dtype != np.uint8 or not _is_small(shape, truths.size):
        return reference.confusion_cells(
            truths, predictions, bins, label_count=label_count, threshold_count=threshold_count
        )
    table = np.zeros(shape, np.int64)
    confusion_table(
        np.ascontiguousarray(truths, np.int64),
        np.ascontiguousarray(predictions, np.int32),
        np.ascontiguousarray(bins),
        *(truths.size, label_count, threshold_count + 1, table),
    )
    return ConfusionCells.of(table)


def top_cells(
    values: Scores,
    labels: Codes,
    truths: Codes,
    thresholds: NDArray[np.float64],
    *,
    label_count: int,
    tops: RowTops | None = None,
    threads: int = 1,
) -> ConfusionCells:
    """Number of rows with each truth, best-scoring label and number of thresholds passed."""
    shape = (label_count + 1, label_count + 1, thresholds.size + 1)
    if not _is_small(shape, truths.size):
        columns, scores = tops or top_of_rows(values, threads=threads)
        return confusion_cells(
            *(truths, labels[columns], passed(scores, thresholds)),
            label_count=label_count,
            threshold_count=thresholds.size,
        )
    values = np.ascontiguousarray(values)
    count = len(values)
    limits = in_type(thresholds, values.dtype)
    labels, truths = np.ascontiguousarray(labels), np.ascontiguousarray(truths)
    find = function("top_table", values.dtype)

    def task(first: int, last: int) -> Codes:
        table = np.zeros(shape, np.int64)
        find(
            *(rows_of(values, tops, first, last), labels, truths[first:last]),
            *(limits, limits.size, label_count, table),
        )
        return table

    scores_read = values.size if tops is None else count
    parts = in_threads(task, count, scores_read, threads)
    return ConfusionCells.of(reduce(np.add, parts, np.zeros(shape, np.int64)))


def _is_small(shape: tuple[int, ...], count: int) -> bool:
    """Return True if a table of counts is small compared to the data."""
    return math.prod(shape) <= max(_SMALL_TABLE, count)
