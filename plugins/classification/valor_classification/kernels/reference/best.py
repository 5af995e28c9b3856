"""Best: which label of each datum scores the most, and how many score more than the true one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.reference.columns import groups
from valor_classification.kernels.spans import CACHED, spans, workers
from valor_classification.kernels.values import UNLISTED_RANK, Codes, Columns, Scores
from valor_core.kernels import over

_FEW_COLUMNS = 20  # up to here, whole columns are faster than one short row after the other
_TURNED = 1 << 18  # scores turned into columns at a time


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
        The greatest of each row, 0.0 where that is -0.0.

    Examples
    --------
    >>> top_of_rows(np.array([[0.2, 0.5, 0.5], [0.9, 0.1, 0.3]]))
    (array([1, 0], dtype=int32), array([0.5, 0.9]))
    """
    count, width = values.shape
    top = np.empty(count, np.int32)
    scores = np.empty(count, values.dtype)

    def find(first: int, last: int) -> None:
        step = (CACHED if width > _FEW_COLUMNS else _TURNED) // width
        for start, stop in spans(first, last, step):
            if width > _FEW_COLUMNS:
                # NumPy copies what is read-only before it looks for the greatest: a block only.
                found = np.argmax(values[start:stop], axis=1)
                top[start:stop] = found
                scores[start:stop] = scores_in_rows(values[start:stop], found)
            else:
                columns = np.ascontiguousarray(values[start:stop].T)
                columns.max(axis=0, out=scores[start:stop])
                top[start:stop] = _first_equal(columns, scores[start:stop])
            scores[start:stop] += 0  # which of two equal zeros was found is nobody's matter

    over(find, spans(0, count, -(-count // workers(values.size, threads))))
    return top, scores


def scores_in_rows(values: Scores, columns: Codes) -> Scores:
    """Score that each row has in a column of its own.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n, k)
        Scores.
    columns : ndarray of int64, shape (n,)
        A column of each row, in [0, k).

    Returns
    -------
    ndarray of the type of `values`, shape (n,)
        Scores.

    Examples
    --------
    >>> scores_in_rows(np.array([[0.2, 0.8], [0.9, 0.1]]), np.array([1, 0]))
    array([0.8, 0.9])
    """
    count, width = values.shape
    scores = np.empty(count, values.dtype)
    step = max(1, min(count, CACHED // max(1, width)))
    firsts = np.arange(step) * width
    for start, stop in spans(0, count, step):
        places = firsts[: stop - start] + columns[start:stop]
        scores[start:stop] = values[start:stop].reshape(-1)[places]
    return scores


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
        Positions in the listing, -1 for a datum that lists nothing.

    Examples
    --------
    >>> top_of_runs(np.array([0, 0, 2]), np.array([0.1, 0.4, 0.3]), count=3)
    array([ 1, -1,  2])
    """
    order = np.lexsort((-values, datums))
    starts, _ = groups(datums)
    top = np.full(count, -1, np.int64)
    top[datums[starts]] = order[starts]
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
        The true column of each row, -1 where no column is.

    Returns
    -------
    ndarray of int64, shape (n,)
        Ranks in [0, k), `UNLISTED_RANK` where no column is the true one.

    Examples
    --------
    >>> ranks_of_truth(np.array([[0.2, 0.5, 0.5], [0.9, 0.1, 0.3]]), np.array([2, 0]))
    array([1, 0])
    """
    listed = truths >= 0
    ranks = np.full(len(values), UNLISTED_RANK, np.int64)
    scores, columns = values[listed], truths[listed, None]
    own = np.take_along_axis(scores, columns, axis=1)
    before = (scores > own) | ((scores == own) & (np.arange(values.shape[1]) < columns))
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
        Position in the listing of each datum's truth, -1 where it is not listed.

    Returns
    -------
    ndarray of int64, shape (n,)
        Ranks as by `ranks_of_truth`, `UNLISTED_RANK` where the truth is not listed.

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


def _first_equal(columns: NDArray[Any], scores: NDArray[Any]) -> NDArray[np.uint8]:
    """First row where each column has its score, found by counting the other ones that lead."""
    lesser = columns != scores
    leading = lesser[0]
    top: NDArray[np.uint8] = leading.astype(np.uint8)
    for row in lesser[1:-1]:
        leading &= row
        top += leading.view(np.uint8)
    return top
