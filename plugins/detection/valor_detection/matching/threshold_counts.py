"""True and false positives of every label at every score threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from valor_core.results import MetricDetails
from valor_core.schemas import Codes
from valor_core.states.memo import memoized
from valor_detection.matching.settings import Selection
from valor_detection.matching.table import ImageGroups, Table


@frozen(kw_only=True, eq=False)
class EvaluationState:
    """Counts of all labels at one IoU threshold.

    Parameters
    ----------
    score_thresholds : tuple of float
        Ascending.
    tp, fp : ndarray of int64, shape (n_scores, n_labels)
        True and false positives at or above each score threshold.
    positives : ndarray of int64, shape (n_labels,)
        Counted ground truths.
    """

    score_thresholds: tuple[float, ...]
    tp: Codes
    fp: Codes
    positives: Codes

    @property
    def fn(self) -> Codes:
        """Unmatched ground truths, shape (n_scores, n_labels)."""
        return self.positives - self.tp

    def row(self, score_threshold: float) -> int:
        """Return the position of a threshold."""
        return self.score_thresholds.index(score_threshold)


def tally(
    table: Table, chosen: Selection, iou_threshold: float, score_thresholds: tuple[float, ...]
) -> EvaluationState:
    """Return the counts of a table at one IoU threshold, computed once for all metrics.

    Predictions match by descending score, so predictions below a score threshold do not change the
    matches above it: one histogram of the matched predictions has the counts of all thresholds.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    chosen : Selection
        Counted objects and protocol.
    iou_threshold : float
        IoU threshold of the table.
    score_thresholds : tuple of float
        Minimum scores of counted predictions.

    Examples
    --------
    >>> from valor_detection.matching.candidate_pairs import request
    >>> from valor_detection.matching.protocols import COCO
    >>> from valor_detection.parameters.averages import APParameters
    >>> from valor_detection.matching.settings import selections
    >>> chosen = next(selections(APParameters()))
    >>> tally(request((0.5,), COCO).open().table, chosen, 0.5, (0.25,)).tp.shape
    (1, 0)
    """
    return _tally(table, chosen, iou_threshold, tuple(sorted(score_thresholds)))


def threshold_details(table: Table, thresholds: Sequence[float]) -> MetricDetails:
    """Return warnings for score thresholds that change nothing or that no score reaches.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    thresholds : sequence of float
        Score thresholds of a metric.

    Examples
    --------
    >>> from valor_detection.matching.candidate_pairs import request
    >>> from valor_detection.matching.protocols import COCO
    >>> threshold_details(request((0.5,), COCO).open().table, (50.0,)).warnings
    ()
    """
    scores = table.objects.scores
    if not len(scores):
        return MetricDetails()
    least, most = float(scores.min()), float(scores.max())
    warnings = [
        f"score_threshold {one:g}: no score reaches it, so that nothing is predicted"
        + f"; write {one / 100:g} for {one:g} %" * (one <= 100)
        for one in thresholds
        if one > max(most, 1.0)
    ]
    equal = sorted(one for one in thresholds if one <= least)
    if len(equal) > 1:
        listed = f"{', '.join(f'{one:g}' for one in equal[:-1])} and {equal[-1]:g}"
        warnings.append(
            f"score_thresholds {listed} give the same numbers, the lowest score is {least:.4g}"
        )
    return MetricDetails(warnings=tuple(warnings))


@memoized
def _tally(
    table: Table, chosen: Selection, iou_threshold: float, thresholds: tuple[float, ...]
) -> EvaluationState:
    images = table.weights
    groups = None if images is None else images.groups
    of = table if groups is None else groups.table
    # Images match independently of each other, so counts of groups of images add up.
    weights = np.ones(1, np.int64) if images is None else images.weights
    tp, not_false = _matched(of, chosen, iou_threshold, thresholds, groups)
    in_range = _in_range(of, chosen, thresholds, groups)
    return EvaluationState(
        score_thresholds=thresholds,
        tp=np.tensordot(weights, tp, 1),
        fp=np.tensordot(weights, in_range - not_false, 1),
        positives=chosen.matching(table).positives,
    )


@memoized
def _matched(
    table: Table,
    chosen: Selection,
    iou_threshold: float,
    thresholds: tuple[float, ...],
    groups: ImageGroups | None,
) -> tuple[Codes, Codes]:
    """Count predictions with a counted match, and predictions in range with any match."""
    matched = chosen.matching(table)
    is_matched, is_ignored = matched.at(iou_threshold)
    is_matched = is_matched & chosen.counts(table)
    true, not_false = is_matched & ~is_ignored, is_matched & matched.in_range
    return (
        _passing(table, np.flatnonzero(true), thresholds, groups),
        _passing(table, np.flatnonzero(not_false), thresholds, groups),
    )


@memoized
def _in_range(
    table: Table, chosen: Selection, thresholds: tuple[float, ...], groups: ImageGroups | None
) -> Codes:
    rows = np.flatnonzero(chosen.matching(table).in_range & chosen.counts(table))
    return _passing(table, rows, thresholds, groups)


def _passing(
    table: Table, rows: Codes, thresholds: tuple[float, ...], groups: ImageGroups | None
) -> Codes:
    """Count the rows at or above each threshold, shape (n_groups, n_scores, n_labels).

    All images are one group without `groups`.
    """
    width, labels, count = len(thresholds) + 1, len(table.labels), 1
    passed = np.searchsorted(thresholds, table.objects.scores[rows], side="right")
    cells = table.objects.labels[rows] * width + passed
    if groups is not None:
        count = groups.count
        of_rows = groups.codes[table.objects.datums[rows]].astype(np.int64)
        cells = cells + of_rows * (labels * width)
    histogram = np.bincount(cells, minlength=count * labels * width).reshape(count, labels, width)
    return np.cumsum(histogram[..., ::-1], axis=2)[..., ::-1].transpose(0, 2, 1)[:, 1:]
