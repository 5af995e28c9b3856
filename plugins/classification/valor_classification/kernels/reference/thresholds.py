"""Numbers of thresholds that scores reach."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.values import Codes, Scores, in_type


def outside(values: Scores, low: float, high: float) -> int:
    """Number of scores below `low` or above `high`.

    Parameters
    ----------
    values : ndarray of float32 or float64, any shape
        Scores.
    low, high : float
        Bounds, inside themselves.

    Examples
    --------
    >>> outside(np.array([-0.5, 0.0, 1.0, 2.0]), 0.0, 1.0)
    2
    """
    return int(np.count_nonzero((values < low) | (values > high)))


def passed(values: Scores, thresholds: NDArray[np.float64]) -> NDArray[np.unsignedinteger[Any]]:
    """Number of thresholds that each score reaches.

    Parameters
    ----------
    values : ndarray of float32 or float64, any shape
        Scores.
    thresholds : ndarray of float64, shape (t,)
        Ascending.

    Returns
    -------
    ndarray of uint8 (of a wider type if t > 255), shape of `values`
        Numbers in [0, t].

    Examples
    --------
    >>> passed(np.array([0.1, 0.35, 0.9], np.float32), np.array([0.35, 0.5]))
    array([0, 1, 2], dtype=uint8)
    """
    limits = in_type(thresholds, values.dtype)
    return np.searchsorted(limits, values, side="right").astype(np.min_scalar_type(limits.size))


def threshold_histogram(
    values: Scores, thresholds: NDArray[np.float64], *, threads: int = 1
) -> Codes:
    """Number of scores of each column by the number of thresholds they reach.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n, k)
        Scores.
    thresholds : ndarray of float64, shape (t,)
        Ascending.
    threads : int
        Ignored; the compiled kernel uses several threads.

    Returns
    -------
    ndarray of int64, shape (k, t + 1)
        Column t holds the scores that reach exactly t thresholds; each row adds up to n.

    Examples
    --------
    >>> threshold_histogram(np.array([[0.1, 0.6], [0.7, 0.6]]), np.array([0.5]))
    array([[1, 1],
           [0, 2]])
    """
    bins = thresholds.size + 1
    counts = [np.bincount(passed(column, thresholds), minlength=bins) for column in values.T]
    return np.array(counts, np.int64).reshape(-1, bins)
