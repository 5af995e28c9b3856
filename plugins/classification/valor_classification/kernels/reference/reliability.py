"""Hits and exact sums of scores in bins."""

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.reference.best import top_of_rows
from valor_classification.kernels.reference.thresholds import passed
from valor_classification.kernels.values import Codes, ReliabilityBins, RowTops, Scores
from valor_core.states import ExactSum, ExactSums


def reliability(
    values: Scores, hits: NDArray[np.bool_], limits: Scores, *, threads: int = 1
) -> ReliabilityBins:
    """Count scores, their hits and their sums by the number of limits that they reach.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n,)
        Scores. Scores outside [0, 1] are only counted.
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
    inside = (values >= 0) & (values <= 1)
    bins = passed(values[inside], limits.astype(np.float64))
    count = limits.size + 1
    sums = ExactSums()
    sums.grow(count)
    sums.add(bins, values[inside].astype(np.float64))
    return ReliabilityBins(
        counts=np.bincount(bins, minlength=count),
        hits=np.bincount(bins[hits[inside]], minlength=count),
        units=sums.units,
        outside=int(np.count_nonzero(~inside)),
    )


def top_reliability(
    values: Scores,
    labels: Codes,
    truths: Codes,
    limits: Scores,
    *,
    tops: RowTops | None = None,
    threads: int = 1,
) -> ReliabilityBins:
    """Bin the best score of each row like `reliability`; it hits if its label is the true one.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n, k)
        Scores, with k >= 1.
    labels : ndarray of int64, shape (k,)
        Code of each column's label.
    truths : ndarray of int64, shape (n,)
        Code of each row's ground truth.
    limits : ndarray of the type of `values`, shape (b - 1,)
        Ascending.
    tops : tuple of ndarray, optional
        Result of `top_of_rows` for the values, if already computed.
    threads : int
        Most threads to use.

    Returns
    -------
    ReliabilityBins
        Of b bins.

    Examples
    --------
    >>> scores = np.array([[0.25, 0.75], [0.5, 0.5]])
    >>> found = top_reliability(scores, np.array([0, 1]), np.array([1, 1]), np.array([0.6]))
    >>> found.counts, found.hits
    (array([1, 1]), array([0, 1]))
    """
    columns, scores = tops or top_of_rows(values)
    return reliability(scores, labels[columns] == truths, limits)


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


def squared_errors(values: Scores, datums: Codes, columns: Codes, *, threads: int = 1) -> int:
    """Sum of the squared differences between scores in [0, 1] and truth, without rounding.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n, k)
        Scores in [0, 1].
    datums, columns : ndarray of int64, shape (t,)
        Row, ascending, and column of each truth; -1 for a truth without a column. Rows without
        a truth are skipped.
    threads : int
        Most threads to use.

    Returns
    -------
    int
        In units of 2**-1074.

    Examples
    --------
    >>> scores = np.array([[0.25, 0.75], [0.5, 0.5]])
    >>> squared_errors(scores, np.array([0]), np.array([1])) / 2**1074
    0.125
    """
    errors = values.astype(np.float64)
    listed = columns >= 0
    errors[datums[listed], columns[listed]] -= 1.0
    return exact_units(np.square(errors[np.unique(datums)]).reshape(-1))
