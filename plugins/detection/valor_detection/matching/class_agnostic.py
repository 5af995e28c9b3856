"""Outcomes: what became of every object where labels play no part in the matching."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes
from valor_detection.matching.matches import matching
from valor_detection.matching.table import KEY, Table
from valor_detection.parameters.fields import Rule


@frozen(eq=False)
class Outcomes:
    """Objects at one IoU threshold and one score threshold.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Predictions that reach the score, ascending; without those that a crowd excuses.
    truths : ndarray of int64, shape (n,)
        Row of the true object that each of them found, -1 for none.
    missed : ndarray of int64, shape (m,)
        True objects that nothing found, ascending; without crowds.
    """

    rows: Codes
    truths: Codes
    missed: Codes


def outcomes(table: Table, rule: Rule, iou_threshold: float, score_threshold: float) -> Outcomes:
    """What became of the objects of all label keys.

    Every rule lets predictions choose by descending score, so that those below a score threshold
    take nothing from those above: leaving them out before or after the matching is the same.

    Parameters
    ----------
    table : Table
        The objects, with the pairs of one label key.
    rule : str
        Rule of the matching, in which objects of any two labels of a key can match.
    iou_threshold, score_threshold : float
        What a match and a prediction have to reach.

    Examples
    --------
    >>> from valor_detection.matching.candidate_pairs import Overlaps
    >>> outcomes(Overlaps(None, (0.5,), (0.5,), (KEY,)).table, "coco", 0.5, 0.5).rows
    array([], dtype=int64)
    """
    found: Outcomes = table.kept(
        ("outcomes", rule, iou_threshold, score_threshold),
        lambda: _outcomes(table, rule, iou_threshold, score_threshold),
    )
    return found


def _outcomes(table: Table, rule: Rule, iou_threshold: float, score_threshold: float) -> Outcomes:
    crowd = table.chunk.crowd
    all_truths = matching(table, rule, KEY).truths(iou_threshold)
    rows = np.flatnonzero(table.chunk.scores >= score_threshold)
    truths = all_truths[rows]
    if crowd.any():
        counts = (truths < 0) | ~crowd[truths]
        rows, truths = rows[counts], truths[counts]
    is_missed = ~crowd
    is_missed[truths[truths >= 0]] = False
    return Outcomes(rows, truths, np.flatnonzero(is_missed))
