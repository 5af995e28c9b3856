"""Outcomes of all objects after matching regardless of labels."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes
from valor_core.states.memo import memoized
from valor_detection.matching.matches import matching
from valor_detection.matching.protocols import Protocol
from valor_detection.matching.table import KEY, Flags, Table


@frozen(eq=False)
class Outcomes:
    """Objects at one IoU threshold and one score threshold.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Predictions at or above the score threshold, ascending, without those matched to
        objects that count neither way, and unmatched ones of labels that nobody searched for.
    truths : ndarray of int64, shape (n,)
        Row of the ground truth of each of them, -1 if unmatched.
    missed : ndarray of int64, shape (m,)
        Unmatched ground truths that count, ascending.
    uncounted : ndarray of bool, shape (g,)
        True for ground truths that count neither way.
    """

    rows: Codes
    truths: Codes
    missed: Codes
    uncounted: Flags


@memoized
def outcomes(
    table: Table, protocol: Protocol, iou_threshold: float, score_threshold: float
) -> Outcomes:
    """Match objects of any labels of a key, and return the outcome of each object.

    All protocols match predictions by descending score. So predictions below the score threshold do
    not change the matches above it, and are excluded after the matching.

    Parameters
    ----------
    table : Table
        Objects, with the pairs of one label key.
    protocol : Protocol
        Protocol of the matching.
    iou_threshold, score_threshold : float
        Lower limits of matches and of predictions.

    Examples
    --------
    >>> from valor_detection.matching.candidate_pairs import request
    >>> from valor_detection.matching.protocols import COCO
    >>> outcomes(request((0.5,), COCO, scope=KEY).open().table, COCO, 0.5, 0.5).rows
    array([], dtype=int64)
    """
    matched = matching(table, protocol, KEY)
    all_truths, is_ignored = matched.truths(iou_threshold), matched.at(iou_threshold)[1]
    rows = np.flatnonzero(table.objects.scores >= score_threshold)
    truths = all_truths[rows]
    is_same = np.append(table.objects.true_labels, -1)[truths] == table.objects.labels[rows]
    if table.top_label_rows is not None:
        is_ignored = is_ignored[table.top_label_rows]
    counts = (matched.in_range[rows] | is_same) & ~is_ignored[rows]
    if not counts.all():
        rows, truths = rows[counts], truths[counts]
    is_missed = ~matched.uncounted
    is_missed[truths[truths >= 0]] = False
    return Outcomes(rows, truths, np.flatnonzero(is_missed), matched.uncounted)
