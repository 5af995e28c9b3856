"""Thresholds: how many of them scores reach."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.limits import in_type
from valor_classification.kernels.numeric.columns import column_blocks
from valor_classification.kernels.spans import CACHED, spans, workers
from valor_classification.kernels.values import Codes, Scores
from valor_core.plugin import over

_FEW_THRESHOLDS = 48  # up to here, comparing with each is faster than sorting the scores
_TALLY_MOST = 255  # marks that one byte can add up
_TALLY_ROWS = 128  # marks that it does add up
_TALLY_BYTES = 1 << 13  # scores compared side by side


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
    if not values.size or (values.min() >= low and values.max() <= high):
        return 0
    return int(np.count_nonzero(values < low)) + int(np.count_nonzero(values > high))


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
    flat = values.reshape(-1)
    out = np.zeros(flat.size, np.min_scalar_type(limits.size))
    for start, stop in spans(0, flat.size, CACHED):
        block, counts = flat[start:stop], out[start:stop]
        if out.dtype == np.uint8:
            reached = np.empty(block.size, np.bool_)
            for limit in limits:
                np.greater_equal(block, limit, out=reached)
                np.add(counts, reached.view(np.uint8), out=counts)
        else:
            counts[:] = np.searchsorted(limits, block, side="right")
    return out.reshape(values.shape)


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
        Most threads to use.

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
    count, width = values.shape
    limits = in_type(thresholds, values.dtype)
    reached = np.zeros((limits.size + 2, width), np.int64)
    reached[0] = count
    most = workers(values.size, threads)
    if limits.size <= _FEW_THRESHOLDS:
        parts = spans(0, count, -(-count // most))
        found = over(lambda a, b: _reached_by_comparing(values[a:b], limits), parts)
        reached[1:-1] = sum(found, np.zeros((), np.int64))
    else:
        parts = spans(0, width, -(-width // most))
        found = over(lambda a, b: _reached_by_sorting(values, a, b, limits), parts)
        for span, part in zip(parts, found, strict=True):
            reached[1:-1, slice(*span)] = part
    return np.ascontiguousarray(-np.diff(reached, axis=0).T)


def _reached_by_comparing(values: Scores, limits: Scores) -> Codes:
    """Scores of each column that reach each threshold, shape (t, k)."""
    count, width = values.shape
    reached = np.zeros((limits.size, width), np.int64)
    # Several rows side by side make one long row where the columns are few. What is left of a
    # block, fewer than `beside` rows, is tallied row by row and must fit a byte too.
    beside = max(1, min(_TALLY_MOST, _TALLY_BYTES // max(1, width * values.itemsize)))
    for start, stop in spans(0, count, _TALLY_ROWS * beside):
        split = stop - (stop - start) % beside
        _tally(values[start:split], beside, limits, reached)
        _tally(values[split:stop], 1, limits, reached)
    return reached


def _tally(rows: NDArray[Any], beside: int, limits: Scores, reached: Codes) -> None:
    """Add to `reached` the scores of some rows, a multiple of `beside`."""
    block = rows.reshape(len(rows) // beside, beside * rows.shape[1])
    mask = np.empty(block.shape, np.bool_)
    marks = mask.view(np.uint8)
    tally = np.empty((limits.size, beside, rows.shape[1]), np.uint8)
    for limit, counts in zip(limits, tally.reshape(limits.size, block.shape[1]), strict=True):
        np.greater_equal(block, limit, out=mask)
        np.add.reduce(marks, axis=0, dtype=np.uint8, out=counts)
    reached += tally.sum(axis=1, dtype=np.int64)


def _reached_by_sorting(values: Scores, first: int, last: int, limits: Scores) -> Codes:
    """Scores of each column of a span that reach each threshold, shape (t, last - first)."""
    below = []
    for _, block in column_blocks([values], first, last):
        block.sort(axis=1)
        below += [np.searchsorted(column, limits) for column in block]
    return len(values) - np.array(below, np.int64).T
