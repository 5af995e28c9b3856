"""Ranking: curves of each label against the rest, and the areas under them."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.reference.columns import column_blocks, groups
from valor_classification.kernels.spans import CACHED, spans, workers
from valor_classification.kernels.values import (
    Codes,
    LabelAreas,
    RankAreas,
    RankCurve,
    Scores,
    counts_of,
)
from valor_core.kernels import over


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
    >>> areas = rank_label(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0.35, 0.8]))
    >>> areas.auc, areas.average_precision
    (0.75, 0.8333333333333333)
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
            for first, block in column_blocks(chunks, start, stop)
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
    (array([0.8, 0.4, 0.1]), array([1, 2, 2], dtype=int32), array([0, 1, 2], dtype=int32))
    """
    ascending = np.sort(scores)
    starts, _ = groups(ascending)
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
    counts = counts_of(scores.size + unlisted)
    return RankCurve(
        thresholds=thresholds,
        true_positives=positives.astype(counts),
        false_positives=negatives.astype(counts),
    )


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
    starts, sizes = groups(positives)
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
    for start, stop in spans(0, terms.size, CACHED):
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
    starts_of, sizes = groups(positives)
    at = np.zeros(ascending.size, np.intp)
    at[np.searchsorted(ascending, positives[starts_of])] = sizes
    return np.cumsum(at[::-1])[::-1][starts]
