"""Cells of confusion matrices."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.reference.best import top_of_rows
from valor_classification.kernels.reference.thresholds import passed
from valor_classification.kernels.values import Codes, ConfusionCells, RowTops, Scores


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
        Non-empty cells.

    Examples
    --------
    >>> cells = confusion_cells(
    ...     np.array([0, 0, 1]), np.array([1, 1, -1]), np.array([2, 2, 0]),
    ...     label_count=2, threshold_count=2,
    ... )
    >>> cells.truths, cells.predictions, cells.bins, cells.counts
    (array([0, 1]), array([ 1, -1]), array([2, 0]), array([2, 1]))
    """
    codes = np.stack([truths, predictions, bins]).astype(np.int64)
    cells, counts = np.unique(codes, axis=1, return_counts=True)
    return ConfusionCells(truths=cells[0], predictions=cells[1], bins=cells[2], counts=counts)


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
        Result of `top_of_rows` for the values, if already computed.
    threads : int
        Most threads to use.

    Returns
    -------
    ConfusionCells
        Non-empty cells.

    Examples
    --------
    >>> scores = np.array([[0.25, 0.75], [0.5, 0.5]])
    >>> cells = top_cells(
    ...     scores, np.array([0, 1]), np.array([1, -1]), np.array([0.6]), label_count=2
    ... )
    >>> cells.truths, cells.predictions, cells.bins, cells.counts
    (array([-1,  1]), array([0, 1]), array([0, 1]), array([1, 1]))
    """
    columns, scores = tops or top_of_rows(values)
    return confusion_cells(
        *(truths, labels[columns], passed(scores, thresholds)),
        label_count=label_count,
        threshold_count=thresholds.size,
    )
