"""Curves of each label against the rest, and the areas under them."""

import math
from collections.abc import Sequence

import numpy as np

from valor_classification.kernels.values import (
    Codes,
    Columns,
    LabelAreas,
    RankAreas,
    RankCurve,
    Scores,
    counts_of,
)


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
        Scores of the positives among them.
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
    ascending, positives = np.sort(scores), np.sort(positive_scores)
    distinct, sizes = np.unique(positives, return_counts=True)
    negatives_below, negatives_up_to = (
        np.searchsorted(ascending, distinct, side) - np.searchsorted(positives, distinct, side)
        for side in ("left", "right")
    )
    twice_wins = int(sizes @ (negatives_below + negatives_up_to))
    twice_wins += 2 * positives.size * unlisted_negatives + unlisted_positives * unlisted_negatives

    true = positives.size - np.searchsorted(positives, distinct)
    scored = ascending.size - np.searchsorted(ascending, distinct)
    if unlisted_positives:
        sizes = np.append(sizes, unlisted_positives)
        true = np.append(true, positives.size + unlisted_positives)
        scored = np.append(scored, ascending.size + unlisted_positives + unlisted_negatives)
    return LabelAreas.counted(
        positives.size + unlisted_positives,
        ascending.size - positives.size + unlisted_negatives,
        twice_wins,
        math.fsum(sizes * true / scored),
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
        Cells of the matrix whose datum truly has the column's label, in any order, each once.
        A row can have none, one or several.
    threads : int
        Most threads to use.

    Returns
    -------
    RankAreas
        Arrays of shape (k,). Does not depend on the order or the split of the rows.

    Notes
    -----
    A compiled thread holds a copy of 8 MiB of columns, or of one column if that is larger.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]])
    >>> rank_matrix([scores], np.array([0, 1, 2]), np.array([0, 1, 1])).auc
    array([1., 1.])
    """
    values = np.concatenate(chunks)
    return RankAreas.of(
        [
            rank_label(scores, scores[rows[columns == column]])
            for column, scores in enumerate(values.T)
        ]
    )


def rank_curve(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
    bends: bool = False,
) -> RankCurve:
    """Points of the ROC and the precision-recall curve of one label, as counts.

    Parameters
    ----------
    scores, positive_scores, unlisted_positives, unlisted_negatives
        As in `rank_label`.
    bends : bool
        Whether to drop points between two equal steps.

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
    thresholds = np.unique(scores)[::-1] + scores.dtype.type(0)  # adding 0 makes 0.0 of -0.0
    listed = scores.size - np.searchsorted(np.sort(scores), thresholds)
    positives = positive_scores.size - np.searchsorted(np.sort(positive_scores), thresholds)
    unlisted = unlisted_positives + unlisted_negatives
    if unlisted:
        thresholds = np.append(thresholds, scores.dtype.type(-np.inf))
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


def rank_weighted(
    marks: Columns,
    weights: Columns,
    *,
    below: int = 0,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
) -> LabelAreas:
    """Areas of a label whose rows are counted with the weight of their group.

    Parameters
    ----------
    marks : ndarray of int32, shape (n,)
        Rows by descending score: four times their group, plus two for the last row of a score, plus
        one for a positive.
    weights : ndarray of int32, shape (n_groups,)
        Weight of each group.
    below : int
        Further negatives, which rank below these rows.
    unlisted_positives, unlisted_negatives : int
        Datums without a score for the label. They tie with each other below all others.

    Returns
    -------
    LabelAreas
        As `rank_label` gives for rows that are repeated as often as their weight.

    Examples
    --------
    >>> marks = np.array([2, 2 + 1, 4 + 2, 4 + 2 + 1], np.int32)
    >>> rank_weighted(marks, np.array([1, 1], np.int32)).auc
    0.25
    >>> rank_weighted(marks, np.array([1, 0], np.int32)).auc
    0.0
    """
    of_rows = weights[marks >> 2].astype(np.int64)
    last = np.flatnonzero(marks & 2)
    ends = np.cumsum(of_rows)[last]
    true = np.cumsum(of_rows * (marks & 1))[last]
    if below or unlisted_positives or unlisted_negatives:
        found, hits = (int(each[-1]) if len(each) else 0 for each in (ends, true))
        unlisted = unlisted_positives + unlisted_negatives
        ends = np.append(ends, [found + below, found + below + unlisted])
        true = np.append(true, [hits, hits + unlisted_positives])
    sizes, negatives = np.diff(true, prepend=0), ends - true
    before = negatives - np.diff(negatives, prepend=0)
    has = sizes > 0
    positives, all_negatives = (int(each[-1]) if len(each) else 0 for each in (true, negatives))
    return LabelAreas.counted(
        positives,
        all_negatives,
        2 * positives * all_negatives - int(sizes @ (negatives + before)),
        math.fsum((sizes * true)[has] / ends[has]),
    )
