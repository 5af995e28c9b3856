"""Best label of each datum, and rank of its true label."""

import numpy as np

from valor_classification.kernels.values import UNLISTED_RANK, Codes, Columns, Scores


def top_of_rows(values: Scores, *, threads: int = 1) -> tuple[Columns, Scores]:
    """Column of the greatest score in each row, the first of equals, and the score.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n, k)
        Scores, with k >= 1.
    threads : int
        Most threads to use.

    Returns
    -------
    columns : ndarray of int32, shape (n,)
        In [0, k).
    scores : ndarray of the type of `values`, shape (n,)
        Greatest score of each row; 0.0 instead of -0.0.

    Examples
    --------
    >>> top_of_rows(np.array([[0.2, 0.5, 0.5], [0.9, 0.1, 0.3]]))
    (array([1, 0], dtype=int32), array([0.5, 0.9]))
    """
    columns = np.argmax(values, axis=1).astype(np.int32)
    return columns, scores_in_rows(values, columns) + 0  # adding 0 makes 0.0 of -0.0


def scores_in_rows(values: Scores, columns: Codes) -> Scores:
    """Score of each row in the column given for it.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n, k)
        Scores.
    columns : ndarray of int64, shape (n,)
        Column of each row, in [0, k).

    Returns
    -------
    ndarray of the type of `values`, shape (n,)
        Scores.

    Examples
    --------
    >>> scores_in_rows(np.array([[0.2, 0.8], [0.9, 0.1]]), np.array([1, 0]))
    array([0.8, 0.9])
    """
    return values[np.arange(len(values)), columns]


def top_of_runs(datums: Codes, values: Scores, *, count: int) -> Codes:
    """Entry with each datum's greatest score in a listing; the first of equals.

    Parameters
    ----------
    datums : ndarray of int64, shape (m,)
        Datum of each entry, ascending.
    values : ndarray of float32 or float64, shape (m,)
        Score of each entry.
    count : int
        Number of datums.

    Returns
    -------
    ndarray of int64, shape (count,)
        Positions in the listing, -1 for a datum without entries.

    Examples
    --------
    >>> top_of_runs(np.array([0, 0, 2]), np.array([0.1, 0.4, 0.3]), count=3)
    array([ 1, -1,  2])
    """
    order = np.lexsort((-values, datums))
    listing, firsts = np.unique(datums, return_index=True)
    top = np.full(count, -1, np.int64)
    top[listing] = order[firsts]
    return top


def ranks_of_truth(values: Scores, truths: Codes) -> Codes:
    """Number of columns that come before the true one in each row.

    A column comes before another if its score is greater, or equal and the column is listed
    earlier. A truth is among the top k where its rank is less than k.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n, k)
        Scores.
    truths : ndarray of int64, shape (n,)
        True column of each row, -1 for none.

    Returns
    -------
    ndarray of int64, shape (n,)
        Ranks in [0, k), `UNLISTED_RANK` for rows without a true column.

    Examples
    --------
    >>> ranks_of_truth(np.array([[0.2, 0.5, 0.5], [0.9, 0.1, 0.3]]), np.array([2, 0]))
    array([1, 0])
    """
    listed = truths >= 0
    ranks = np.full(len(values), UNLISTED_RANK, np.int64)
    scores, columns = values[listed], truths[listed, None]
    true_scores = np.take_along_axis(scores, columns, axis=1)
    is_earlier = np.arange(values.shape[1]) < columns
    before = (scores > true_scores) | ((scores == true_scores) & is_earlier)
    ranks[listed] = before.sum(axis=1)
    return ranks


def ranks_of_truth_in_runs(datums: Codes, values: Scores, entries: Codes) -> Codes:
    """Number of entries of a listing that come before each datum's true one.

    Parameters
    ----------
    datums : ndarray of int64, shape (m,)
        Datum of each entry, ascending.
    values : ndarray of float32 or float64, shape (m,)
        Score of each entry.
    entries : ndarray of int64, shape (n,)
        Position of each datum's truth in the listing, -1 if it is not listed.

    Returns
    -------
    ndarray of int64, shape (n,)
        Ranks as by `ranks_of_truth`, `UNLISTED_RANK` if the truth is not listed.

    Examples
    --------
    >>> ranks_of_truth_in_runs(
    ...     np.array([0, 0, 1]), np.array([0.7, 0.2, 0.5]), np.array([1, 2])
    ... )
    array([1, 0])
    """
    truths = entries[datums]
    before = values > values[truths]
    before |= (values == values[truths]) & (np.arange(values.size) < truths)
    ranks = np.bincount(datums[before], minlength=entries.size)
    return np.where(entries >= 0, ranks, UNLISTED_RANK)
