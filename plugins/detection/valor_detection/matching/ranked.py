"""Rankings: the predictions that are right or wrong, by label and descending score."""

from __future__ import annotations

from typing import Protocol

from attrs import frozen

from valor_core.schemas import Codes, Floats
from valor_core.states import memoized
from valor_detection.kernels import matching as kernels
from valor_detection.matching.matches import Matching, matching
from valor_detection.matching.table import Flags, Table
from valor_detection.parameters.fields import Rule


class RankingParameters(Protocol):
    """The parameters that a ranking depends on."""

    @property
    def matching(self) -> Rule:
        """Rule of the matching."""

    @property
    def max_detections(self) -> int | None:
        """Most predictions of a label in an image."""

    @property
    def iou_threshold(self) -> float:
        """IoU that a match has at least."""


@frozen(eq=False)
class Ranking:
    """Predictions that count at one IoU threshold, by label and descending score.

    Parameters
    ----------
    matched : Matching
        The matching.
    rows : ndarray of int64, shape (n,)
        The predictions, without those that a crowd excuses or that are too many in their image.
    starts : ndarray of int64, shape (n_labels + 1,)
        Where each label begins in `rows`.
    is_true : ndarray of bool, shape (n,)
        Whether each found a true object; if not, it is a false positive.
    right, wrong : ndarray of bool, shape (n_predictions,)
        The same by row of the table, False for a prediction that does not count.
    """

    matched: Matching
    rows: Codes
    starts: Codes
    is_true: Flags
    right: Flags
    wrong: Flags

    @property
    def labels(self) -> Codes:
        """Label codes of the predictions, ascending."""
        return self.matched.table.objects.labels[self.rows]

    @property
    def scores(self) -> Floats:
        """Scores of the predictions."""
        return self.matched.table.objects.scores[self.rows]


def ranking(table: Table, chosen: RankingParameters) -> Ranking:
    """The ranking of a table's predictions, made once for all metrics.

    Examples
    --------
    >>> from valor_detection.parameters.errors import LRPParameters
    >>> from valor_detection.matching.candidate_pairs import Overlaps
    >>> ranking(Overlaps(None, (0.5,), (0.5,), ("label",)).table, LRPParameters()).rows
    array([], dtype=int64)
    """
    most, matched = chosen.max_detections, matching(table, chosen.matching)
    return _ranking(matched, most, chosen.iou_threshold)


@memoized
def _ranking(matched: Matching, most: int | None, iou_threshold: float) -> Ranking:
    starts, rows, is_true, right, wrong = kernels.ranked(
        matched.table.label_starts,
        matched.order,
        matched.ranked_positions,
        matched.counts(most),
        matched.in_range,
        *matched.bits(iou_threshold),
    )
    return Ranking(matched, rows, starts, is_true, right, wrong)
