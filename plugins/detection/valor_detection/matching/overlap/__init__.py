"""Overlaps of predictions with ground truths, one module per kind."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from valor_core.schemas import Codes
from valor_core.schemas.detection import DetectionBatch
from valor_detection.matching.image_objects import Ragged


class Overlap(Protocol):
    """Overlap of a prediction with a ground truth, which is compared with IoU thresholds.

    A hashable value that pickles. Metrics with equal overlaps share their pairs.

    Attributes
    ----------
    compares_boxes : bool
        True if the overlap of boxes is the share of their areas, which a wrong box format changes.
    """

    compares_boxes: ClassVar[bool]

    def of_parameters(self, chosen: Any) -> Overlap:
        """Return the overlap with the parameters of a metric."""

    def read(self, batch: DetectionBatch) -> DetectionBatch:
        """Return a batch with the flags of ground truths that the overlap ignores."""

    def pairs(self, batch: DetectionBatch, groups: Codes, lowest: float) -> Ragged:
        """Find all pairs of objects of one image and group with an overlap of at least `lowest`.

        Parameters
        ----------
        batch : DetectionBatch
            Images with their objects.
        groups : ndarray of int64, shape (n_labels,)
            Group of each label. Only objects of one group form pairs.
        lowest : float
            Minimum overlap. Pairs with an overlap of 0 are excluded for any minimum.

        Returns
        -------
        starts : ndarray of int64, shape (d + 1,)
            Offsets of the pairs of each prediction.
        truths : ndarray of int64, shape (n,)
            Rows of the ground truths, ascending within a prediction.
        overlaps : ndarray of float64, shape (n,)
            Overlaps, from 0 to 1.
        """
