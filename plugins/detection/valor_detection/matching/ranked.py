"""True and false positives by label and descending score."""

from __future__ import annotations

import typing

from attrs import frozen

from valor_core.schemas import Codes, Floats
from valor_core.states.memo import memoized
from valor_detection.kernels import matching as kernels
from valor_detection.matching.matches import Matching, matching
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.table import Flags, Table
from valor_detection.parameters.fields import ConvertTo, OverlapName, ProtocolName


class RankingParameters(typing.Protocol):
    """Parameters of a ranking."""

    @property
    def matching(self) -> ProtocolName:
        """Name of the protocol."""

    @property
    def convert_to(self) -> ConvertTo | None:
        """Kind of shape to convert all shapes to."""

    @property
    def overlap(self) -> OverlapName:
        """Name of the overlap."""

    @property
    def max_detections(self) -> int | None:
        """Maximum number of predictions in an image, as the protocol limits them."""

    @property
    def iou_threshold(self) -> float:
        """Minimum IoU of a match."""


@frozen(eq=False)
class Ranking:
    """Counted predictions at one IoU threshold, by label and descending score.

    Parameters
    ----------
    matched : Matching
        Matching.
    rows : ndarray of int64, shape (n,)
        Predictions, without those matched to ignored ground truths or beyond the limit per image.
    starts : ndarray of int64, shape (n_labels + 1,)
        Offsets of the labels in `rows`.
    is_true : ndarray of bool, shape (n,)
        True for true positives, False for false positives.
    right, wrong : ndarray of bool, shape (n_predictions,)
        True for true and for false positives, by row of the table.
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
    """Return the ranking of a table's predictions, computed once for all metrics.

    Examples
    --------
    >>> from valor_detection.parameters.errors import LRPParameters
    >>> from valor_detection.matching.candidate_pairs import request
    >>> from valor_detection.matching.protocols import COCO
    >>> ranking(request((0.5,), COCO).open().table, LRPParameters()).rows
    array([], dtype=int64)
    """
    most, matched = chosen.max_detections, matching(table, protocol_of(chosen))
    return _ranking(table, matched, most, chosen.iou_threshold)


@memoized
def _ranking(table: Table, matched: Matching, most: int | None, iou_threshold: float) -> Ranking:
    *words, bit = matched.bits(iou_threshold)
    columns = matched.ranked_columns(most, words)
    starts, rows, is_true, right, wrong = kernels.ranked(columns, bit)
    return Ranking(matched, rows, starts, is_true, right, wrong)
