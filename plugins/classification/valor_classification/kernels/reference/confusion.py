"""Confusion: which label was taken for which."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.reference.best import top_of_rows
from valor_classification.kernels.reference.thresholds import passed
from valor_classification.kernels.spans import CACHED, spans, workers
from valor_classification.kernels.values import Codes, ConfusionCells, RowTops, Scores
from valor_core.kernels import over

_SMALL_TABLE = 1 << 16  # size of a table of counts that costs nothing to fill


def confusion_cells(
    truths: NDArray[np.integer[Any]],
    predictions: NDArray[np.integer[Any]],
    bins: NDArray[np.integer[Any]],
    *,
    label_count: int,
    threshold_count: int,
) -> ConfusionCells:
    """Number of datums with each truth, prediction and number of thresholds passed.

    Parameters
    ----------
    truths, predictions : ndarray of integers, shape (n,)
        Codes in [-1, label_count), -1 for none.
    bins : ndarray of integers, shape (n,)
        Thresholds that the prediction's score passes, in [0, threshold_count].
    label_count, threshold_count : int
        With l labels and t thresholds, (l + 1) ** 2 * (t + 1) must fit int64.

    Returns
    -------
    ConfusionCells
        The cells that occur.

    Examples
    --------
    >>> cells = confusion_cells(
    ...     np.array([0, 0, 1]), np.array([1, 1, -1]), np.array([2, 2, 0]),
    ...     label_count=2, threshold_count=2,
    ... )
    >>> cells.truths, cells.predictions, cells.bins, cells.counts
    (array([0, 1]), array([ 1, -1]), array([2, 0]), array([2, 1]))
    """
    shape = (label_count + 1, label_count + 1, threshold_count + 1)
    size = math.prod(shape)
    if size <= max(_SMALL_TABLE, truths.size):
        table = np.zeros(size, np.int64)
        for start, stop in spans(0, truths.size, max(CACHED, size)):
            own = slice(start, stop)
            places = _places(truths[own], _offsets(predictions[own], shape), bins[own], shape)
            table += np.bincount(places, minlength=size)
        return ConfusionCells.of(table.reshape(shape))
    places = _places(truths, _offsets(predictions, shape), bins, shape)
    cells, counts = np.unique(places, return_counts=True)
    axes = np.unravel_index(cells, shape)
    return ConfusionCells(truths=axes[0] - 1, predictions=axes[1] - 1, bins=axes[2], counts=counts)


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
    """Number of rows with each truth, best-scoring label and number of thresholds passed.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n, k)
        Scores, with k >= 1.
    labels : ndarray of int64, shape (k,)
        Code of each column's label, in [0, label_count).
    truths : ndarray of int64, shape (n,)
        Codes in [-1, label_count), -1 for none.
    thresholds : ndarray of float64, shape (t,)
        Ascending.
    label_count : int
        With l labels and t thresholds, (l + 1) ** 2 * (t + 1) must fit int64.
    tops : tuple of ndarray, optional
        What `top_of_rows` finds in the values, if that is known.
    threads : int
        Most threads to use.

    Returns
    -------
    ConfusionCells
        The cells that occur.

    Examples
    --------
    >>> scores = np.array([[0.25, 0.75], [0.5, 0.5]])
    >>> cells = top_cells(
    ...     scores, np.array([0, 1]), np.array([1, -1]), np.array([0.6]), label_count=2
    ... )
    >>> cells.truths, cells.predictions, cells.bins, cells.counts
    (array([-1,  1]), array([0, 1]), array([0, 1]), array([1, 1]))
    """
    count = len(values)
    shape = (label_count + 1, label_count + 1, thresholds.size + 1)
    size = math.prod(shape)
    if size > max(_SMALL_TABLE, count):
        columns, scores = tops or top_of_rows(values, threads=threads)
        return confusion_cells(
            *(truths, labels[columns], passed(scores, thresholds)),
            label_count=label_count,
            threshold_count=thresholds.size,
        )

    offsets = _offsets(labels, shape)

    def task(first: int, last: int) -> Codes:
        table = np.zeros(size, np.int64)
        for start, stop in spans(first, last, max(CACHED, size)):
            own = slice(start, stop)
            columns, scores = top_of_rows(values[own]) if tops is None else _part(tops, own)
            places = _places(truths[own], offsets[columns], passed(scores, thresholds), shape)
            table += np.bincount(places, minlength=size)
        return table

    tables = over(task, spans(0, count, -(-count // workers(values.size, threads))))
    return ConfusionCells.of(sum(tables, start=np.zeros(size, np.int64)).reshape(shape))


_Shape = tuple[int, int, int]
"""Truths, predictions and bins; the first of each of the former two stands for none."""


def _part(tops: RowTops, rows: slice) -> RowTops:
    columns, scores = tops
    return columns[rows], scores[rows]


def _offsets(predictions: NDArray[np.integer[Any]], shape: _Shape) -> Codes:
    """Place of each prediction in a table, seen from the truth before its own."""
    return (predictions + np.int64(1 + shape[1])) * shape[2]


def _places(
    truths: NDArray[np.integer[Any]], offsets: Codes, bins: NDArray[Any], shape: _Shape
) -> Codes:
    """Place of each datum in a table."""
    places = truths * np.int64(shape[1] * shape[2])
    places += offsets
    places += bins
    return places
