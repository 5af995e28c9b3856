"""Tallies: true and false positives of every label at every score threshold."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes
from valor_core.states import memoized
from valor_detection.matching.settings import Selection
from valor_detection.matching.table import Table


@frozen(kw_only=True, eq=False)
class EvaluationState:
    """Counts of all labels at one IoU threshold.

    Parameters
    ----------
    score_thresholds : tuple of float
        Ascending.
    tp, fp : ndarray of int64, shape (n_scores, n_labels)
        True and false positives among the predictions that pass each score threshold.
    positives : ndarray of int64, shape (n_labels,)
        Ground truths that count.
    """

    score_thresholds: tuple[float, ...]
    tp: Codes
    fp: Codes
    positives: Codes

    @property
    def fn(self) -> Codes:
        """Ground truths that are not found, shape (n_scores, n_labels)."""
        return self.positives - self.tp

    def row(self, score_threshold: float) -> int:
        """Position of a threshold."""
        return self.score_thresholds.index(score_threshold)


def tally(
    table: Table, chosen: Selection, iou_threshold: float, score_thresholds: tuple[float, ...]
) -> EvaluationState:
    """The counts at one IoU threshold of a table, made once for all metrics that ask for them.

    Matching goes by descending score, so that what a threshold cuts off changes nothing above it:
    one histogram of the matched predictions answers all thresholds.

    Parameters
    ----------
    table : Table
        The objects.
    chosen : Selection
        Which of them count, and how they are matched.
    iou_threshold : float
        One of the table's.
    score_thresholds : tuple of float
        A prediction counts if its score is at least the threshold.

    Examples
    --------
    >>> from valor_detection.matching.candidate_pairs import Overlaps
    >>> from valor_detection.parameters.averages import APParameters
    >>> from valor_detection.matching.settings import selections
    >>> chosen = next(selections(APParameters()))
    >>> tally(Overlaps(None, (0.5,), (0.5,), ("label",)).table, chosen, 0.5, (0.25,)).tp.shape
    (1, 0)
    """
    return _tally(table, chosen, iou_threshold, tuple(sorted(score_thresholds)))


@memoized
def _tally(
    table: Table, chosen: Selection, iou_threshold: float, thresholds: tuple[float, ...]
) -> EvaluationState:
    matched = chosen.matching(table)
    is_matched, is_excused = matched.at(iou_threshold)
    counts = chosen.counts(table)
    is_matched = is_matched & counts
    not_false = _passing(table, np.flatnonzero(is_matched & matched.in_range), thresholds)
    in_range = _in_range(table, chosen, thresholds)
    return EvaluationState(
        score_thresholds=thresholds,
        tp=_passing(table, np.flatnonzero(is_matched & ~is_excused), thresholds),
        fp=in_range - not_false,
        positives=matched.positives,
    )


@memoized
def _in_range(table: Table, chosen: Selection, thresholds: tuple[float, ...]) -> Codes:
    rows = np.flatnonzero(chosen.matching(table).in_range & chosen.counts(table))
    return _passing(table, rows, thresholds)


def _passing(table: Table, rows: Codes, thresholds: tuple[float, ...]) -> Codes:
    """How many predictions among some rows pass each threshold, by label."""
    width = len(thresholds) + 1
    passed = np.searchsorted(thresholds, table.objects.scores[rows], side="right")
    cells = table.objects.labels[rows] * width + passed
    histogram = np.bincount(cells, minlength=len(table.labels) * width).reshape(-1, width)
    return np.cumsum(histogram[:, ::-1], axis=1)[:, ::-1].T[1:]
