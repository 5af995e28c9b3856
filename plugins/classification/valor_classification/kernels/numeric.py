"""The kernels in NumPy; what they find, the compiled ones have to find to the last bit."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.spans import columns_at_once, spans, workers
from valor_classification.kernels.values import (
    UNLISTED_RANK,
    Codes,
    Columns,
    ConfusionCells,
    LabelAreas,
    RankAreas,
    RankCurve,
    ReliabilityBins,
    Scores,
)
from valor_core.exact import ExactSums
from valor_core.threads import over

_CACHED = 1 << 16  # scores worked on at a time, so that they and their masks stay in cache
_TRANSPOSED_ROWS = 1024  # rows turned into columns at a time
_FEW_COLUMNS = 20  # up to here, whole columns are faster than one short row after the other
_FEW_THRESHOLDS = 48  # up to here, comparing with each is faster than sorting the scores
_TALLY_MOST = 255  # marks that one byte can add up
_TALLY_ROWS = 128  # marks that it does add up
_TALLY_BYTES = 1 << 13  # scores compared side by side
_SMALL_KEYS = 1 << 16  # size of a table of counts that costs nothing to fill


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
        for start, stop in spans(first, last, _CACHED // width):
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
    step = max(1, min(count, _CACHED // max(1, width)))
    firsts = np.arange(step) * width
    for start, stop in spans(0, count, step):
        places = firsts[: stop - start] + columns[start:stop]
        scores[start:stop] = values[start:stop].reshape(-1)[places]
    return scores


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
    top = np.full(count, -1, np.int64)
    mean_length = max(1, datums.size // max(1, count))
    firsts = np.arange(0, count, max(1, _CACHED // mean_length))
    bounds = np.append(np.searchsorted(datums, firsts), datums.size).tolist()
    for start, stop in pairwise(bounds):
        owners, block = datums[start:stop], values[start:stop]
        starts, sizes = _groups(owners)
        greatest = np.repeat(np.maximum.reduceat(block, starts), sizes) if starts.size else block
        entries = np.flatnonzero(block == greatest)
        entries = entries[_groups(owners[entries])[0]]
        top[owners[entries]] = start + entries
    return top


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
    limits = thresholds.astype(values.dtype)
    flat = values.reshape(-1)
    out = np.zeros(flat.size, np.min_scalar_type(limits.size))
    for start, stop in spans(0, flat.size, _CACHED):
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
    limits = thresholds.astype(values.dtype)
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


def reliability(
    values: Scores, hits: NDArray[np.bool_], limits: Scores, *, threads: int = 1
) -> ReliabilityBins:
    """Scores by the number of limits that they reach, with the hits among them and their sums.

    Parameters
    ----------
    values : ndarray of float32 or float64, shape (n,)
        Scores in [0, 1].
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
    count = limits.size + 1

    def task(first: int, last: int) -> ReliabilityBins:
        own = slice(first, last)
        bins = passed(values[own], limits.astype(np.float64))
        sums = ExactSums()
        sums.grow(count)
        sums.add(bins, values[own].astype(np.float64))
        return ReliabilityBins(
            counts=np.bincount(bins, minlength=count),
            hits=np.bincount(bins[hits[own]], minlength=count),
            units=sums.units,
        )

    step = -(-values.size // workers(values.size, threads))
    return ReliabilityBins.joined(over(task, spans(0, values.size, step)), count)


def rank_label(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
) -> LabelAreas:
    r"""Areas under the ROC and the precision-recall curve of one label, exact with ties.

    The first is the chance that a positive scores higher than a negative, where a tie
    counts one half [1]_. The second is :math:`\sum_s p_s P(s) / P` over the distinct scores
    s, with :math:`p_s` positives at s and the precision :math:`P(s)` of everything at or
    above s.

    Parameters
    ----------
    scores : ndarray of float32 or float64, shape (n,)
        The label's listed scores, of positives and negatives.
    positive_scores : ndarray of the same type, shape (p,)
        Those among them of positives.
    unlisted_positives, unlisted_negatives : int
        Datums without a score for the label. They tie with each other below all others.

    Returns
    -------
    LabelAreas
        Does not depend on the order of `scores` or `positive_scores`.

    Notes
    -----
    Counts are exact integers, so the area under the ROC curve is the double nearest to the
    true quotient. Average precision equals scikit-learn's ``average_precision_score`` but
    for rounding: its terms are rounded once each and added without error.

    References
    ----------
    .. [1] Hanley and McNeil, "The meaning and use of the area under a receiver operating
       characteristic (ROC) curve", Radiology 143 (1982), pages 29-36.

    Examples
    --------
    >>> rank_label(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0.35, 0.8]))
    LabelAreas(positives=2, negatives=2, auc=0.75, average_precision=0.8333333333333333)
    """
    return _rank_ascending(
        np.sort(scores), np.sort(positive_scores), unlisted_positives, unlisted_negatives
    )


def rank_matrix(
    chunks: Sequence[Scores], rows: Codes, columns: Codes, *, threads: int = 1
) -> RankAreas:
    """Areas under the curves of every column of a matrix, as by `rank_label`.

    Parameters
    ----------
    chunks : sequence of ndarray of float32 or float64, shapes (n_i, k)
        The matrix in pieces, one below the other; at least one piece.
    rows, columns : ndarray of int64, shape (p,)
        Cells of the whole matrix whose datum truly has the column's label, in any order,
        each once. A row can have none, one or several.
    threads : int
        Most threads to use.

    Returns
    -------
    RankAreas
        Arrays of shape (k,). Does not depend on the order or the split of the rows.

    Notes
    -----
    Each column is sorted once. Each thread holds a copy of 8 MiB of columns, or of one
    column where that is larger.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]])
    >>> rank_matrix([scores], np.array([0, 1, 2]), np.array([0, 1, 1])).auc
    array([1., 1.])
    """
    width = chunks[0].shape[1]
    count = sum(len(chunk) for chunk in chunks)
    # NumPy sorts 16-bit integers by radix, several times faster than wider ones.
    narrow = columns.astype(np.uint16) if width <= 1 << 16 else columns
    rows = rows[np.argsort(narrow, kind="stable")]
    ends = np.cumsum(np.bincount(columns, minlength=width))
    positives = np.split(rows, ends[:-1])

    def rank(start: int, stop: int) -> list[LabelAreas]:
        return [
            _rank_column(column, positives[first + offset])
            for first, block in _column_blocks(chunks, start, stop)
            for offset, column in enumerate(block)
        ]

    parts = over(rank, spans(0, width, -(-width // workers(count * width, threads))))
    return RankAreas.of([areas for part in parts for areas in part])


def rank_curve(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
    bends: bool = False,
) -> RankCurve:
    """Counts behind the ROC and the precision-recall curve of one label.

    Parameters
    ----------
    scores, positive_scores, unlisted_positives, unlisted_negatives
        As in `rank_label`.
    bends : bool
        Whether to leave out a point between two equal steps.

    Returns
    -------
    RankCurve
        One point per distinct score, then one for the unlisted if there are any.

    Examples
    --------
    >>> curve = rank_curve(np.array([0.1, 0.4, 0.4, 0.8]), np.array([0.4, 0.8]))
    >>> curve.thresholds, curve.true_positives, curve.false_positives
    (array([0.8, 0.4, 0.1]), array([1, 2, 2]), array([0, 1, 2]))
    """
    ascending = np.sort(scores)
    starts, _ = _groups(ascending)
    # Adding 0.0 turns a -0.0, which may stand for equal zeros, into 0.0 whatever came first.
    thresholds = ascending[starts][::-1] + ascending.dtype.type(0)
    listed = scores.size - starts[::-1]
    positives = _positives_from(np.sort(positive_scores), ascending, starts)[::-1]
    unlisted = unlisted_positives + unlisted_negatives
    if unlisted:
        thresholds = np.append(thresholds, ascending.dtype.type(-np.inf))
        listed = np.append(listed, scores.size + unlisted)
        positives = np.append(positives, positive_scores.size + unlisted_positives)
    negatives = listed - positives
    if bends and thresholds.size > 2:
        bent = np.diff(positives, 2).astype(bool) | np.diff(negatives, 2).astype(bool)
        kept = np.concatenate(([True], bent, [True]))
        thresholds, positives, negatives = thresholds[kept], positives[kept], negatives[kept]
    return RankCurve(thresholds=thresholds, true_positives=positives, false_positives=negatives)


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
    count, width = values.shape
    ranks = np.full(count, UNLISTED_RANK, np.int64)
    if not width:
        return ranks
    order = np.arange(width, dtype=np.min_scalar_type(width))
    rank = _ranks_by_column if width <= _FEW_COLUMNS else _ranks_by_row
    for start, stop in spans(0, count, max(1, _CACHED // width)):
        # A row without a truth is ranked by its first column here and overwritten below.
        columns = np.maximum(truths[start:stop], 0)
        ranks[start:stop] = rank(values[start:stop], columns, order)
    ranks[truths < 0] = UNLISTED_RANK
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
    listed = entries >= 0
    ranks = np.where(listed, 0, UNLISTED_RANK)
    if not datums.size:
        return ranks
    for start, stop in spans(0, datums.size, _CACHED):
        owners = datums[start:stop]
        truths = entries[owners]
        scores = values[truths]
        block = values[start:stop]
        before = (block > scores) | ((block == scores) & (np.arange(start, stop) < truths))
        first, last = int(owners[0]), int(owners[-1]) + 1
        counts = np.bincount(owners[before] - first, minlength=last - first)
        np.add(ranks[first:last], counts, out=ranks[first:last], where=listed[first:last])
    return ranks


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

    def keys(start: int, stop: int) -> Codes:
        found = (truths[start:stop] + np.int64(1)) * shape[1]
        found += predictions[start:stop] + 1
        found *= shape[2]
        found += bins[start:stop]
        return found

    if size <= max(_SMALL_KEYS, truths.size):
        table = np.zeros(size, np.int64)
        for span in spans(0, truths.size, max(_CACHED, size)):
            table += np.bincount(keys(*span), minlength=size)
        cells = np.flatnonzero(table)
        counts = table[cells]
    else:
        cells, counts = np.unique(keys(0, truths.size), return_counts=True)
    places = np.unravel_index(cells, shape)
    return ConfusionCells(
        truths=places[0] - 1, predictions=places[1] - 1, bins=places[2], counts=counts
    )


def top_cells(
    values: Scores,
    labels: Codes,
    truths: Codes,
    thresholds: NDArray[np.float64],
    *,
    label_count: int,
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
    columns, scores = top_of_rows(values, threads=threads)
    return confusion_cells(
        *(truths, labels[columns], passed(scores, thresholds)),
        label_count=label_count,
        threshold_count=thresholds.size,
    )


def _groups(ascending: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each run of equal values begins, and how long it is."""
    changes = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    starts = np.concatenate((np.zeros(min(1, ascending.size), np.intp), changes))
    return starts, np.diff(starts, append=ascending.size)


def _column_blocks(
    chunks: Sequence[Scores], first: int, last: int
) -> Iterator[tuple[int, NDArray[Any]]]:
    """First column and private copy, one column per row, of block after block of columns.

    The copy is good until the next one is asked for: they share their memory.
    """
    count = sum(len(chunk) for chunk in chunks)
    dtype = np.result_type(*chunks)
    fitting = columns_at_once(count, chunks[0].shape[1], dtype.itemsize)
    blocks = -(-(last - first) // fitting)
    step = -(-(last - first) // blocks)
    copy = np.empty((step, count), dtype)
    for start in range(first, last, step):
        stop = min(start + step, last)
        position = 0
        for chunk in chunks:
            for top, bottom in spans(0, len(chunk), _TRANSPOSED_ROWS):
                into = slice(position + top, position + bottom)
                copy[: stop - start, into] = chunk[top:bottom, start:stop].T
            position += len(chunk)
        yield start, copy[: stop - start]


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
    for _, block in _column_blocks([values], first, last):
        block.sort(axis=1)
        below += [np.searchsorted(column, limits) for column in block]
    return len(values) - np.array(below, np.int64).T


def _rank_column(column: NDArray[Any], rows: Codes) -> LabelAreas:
    positive_scores = np.sort(column[rows])
    column.sort()
    return _rank_ascending(column, positive_scores, 0, 0)


def _rank_ascending(
    ascending: Scores, positives: Scores, unlisted_positives: int, unlisted_negatives: int
) -> LabelAreas:
    """`rank_label` of sorted scores."""
    positive_count = positives.size + unlisted_positives
    negative_count = ascending.size - positives.size + unlisted_negatives
    unlisted = unlisted_positives + unlisted_negatives
    starts, sizes = _groups(positives)
    below, not_above = _places(ascending, positives[starts], sizes)

    # Summed over the positives, the positives below and not above them make the square of
    # their number, whatever the ties.
    twice_wins = int(sizes @ (below + not_above)) - positives.size**2
    twice_wins += 2 * positives.size * unlisted_negatives + unlisted_positives * unlisted_negatives

    scored = ascending.size - below
    true = positives.size - starts
    if unlisted_positives:
        sizes = np.append(sizes, unlisted_positives)
        true = np.append(true, positive_count)
        scored = np.append(scored, ascending.size + unlisted)
    precisions = _exact_sum(sizes * true / scored)
    return LabelAreas.counted(positive_count, negative_count, twice_wins, precisions)


def _exact_sum(terms: NDArray[np.float64]) -> float:
    """`math.fsum` of numbers that are not negative, several times faster for many.

    Whole parts are added and cut off and the rest is moved up by 32 bits, until none is left.
    """
    total = Fraction(0)
    for start, stop in spans(0, terms.size, _CACHED):
        rest, unit = terms[start:stop], 1
        while rest.any():
            whole = np.floor(rest)
            total += Fraction(int(whole.sum()), unit)
            rest = (rest - whole) * 2.0**32
            unit <<= 32
    return float(total)


def _places(
    ascending: Scores, distinct: Scores, sizes: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """How many of the sorted scores are below, and not above, each distinct positive score.

    A positive that ties with no negative takes up `sizes` places, so that only ties are
    searched for a second time.
    """
    below = np.searchsorted(ascending, distinct)
    not_above = below + sizes
    # The index clipped at the end finds the greatest positive itself: a search too many.
    tied = np.flatnonzero(ascending.take(not_above, mode="clip") == distinct)
    not_above[tied] = np.searchsorted(ascending, distinct[tied], side="right")
    return below, not_above


def _positives_from(
    positives: Scores, ascending: Scores, starts: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Positives at or above each group of equal scores."""
    groups, sizes = _groups(positives)
    at = np.zeros(ascending.size, np.intp)
    at[np.searchsorted(ascending, positives[groups])] = sizes
    return np.cumsum(at[::-1])[::-1][starts]


def _first_equal(columns: NDArray[Any], scores: NDArray[Any]) -> NDArray[np.uint8]:
    """First row where each column has its score, found by counting the other ones that lead."""
    lesser = columns != scores
    leading = lesser[0]
    top: NDArray[np.uint8] = leading.astype(np.uint8)
    for row in lesser[1:-1]:
        leading &= row
        top += leading.view(np.uint8)
    return top


def _ranks_by_column(values: Scores, truths: Codes, order: NDArray[Any]) -> NDArray[np.uint8]:
    scores = np.take_along_axis(values, truths[:, None], axis=1)
    before = _before(np.ascontiguousarray(values.T), scores.T, order[:, None], truths)
    ranks: NDArray[np.uint8] = np.add.reduce(before.view(np.uint8), axis=0, dtype=np.uint8)
    return ranks


def _ranks_by_row(values: Scores, truths: Codes, order: NDArray[Any]) -> NDArray[np.intp]:
    scores = np.take_along_axis(values, truths[:, None], axis=1)
    before = _before(values, scores, order, truths[:, None])
    ranks: NDArray[np.intp] = np.bitwise_count(np.packbits(before, axis=1)).sum(
        axis=1, dtype=np.intp
    )
    return ranks


def _before(
    values: NDArray[Any], scores: NDArray[Any], order: NDArray[Any], truths: Codes
) -> NDArray[np.bool_]:
    """Scores that come before the truth's, of arrays that broadcast."""
    before = values > scores
    equal = values == scores
    # Each truth equals itself; only further equals make the order of columns matter.
    if np.count_nonzero(equal) > truths.size:
        before |= equal & (order < truths.astype(order.dtype))
    return before
