"""Probabilistic intersection over union of boxes and rotated boxes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from attrs import evolve, frozen

from valor_core.schemas import Codes
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.detection.objects import ObjectColumns
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels import matching as kernels
from valor_detection.matching.image_objects import Ragged
from valor_detection.parameters.fields import ConvertTo

_LEAST = 0.01  # below, pairs are disjoint: every pair of an image has an overlap above 0


@frozen
class ProbabilisticIOU:
    """Similarity of the Gaussians of boxes, also for a crowd; 0 below 0.01.

    Parameters
    ----------
    convert_to : {"box", "polygon", "mask"}, optional
        ``box`` compares bounding boxes.
    """

    compares_boxes: ClassVar[bool] = True

    convert_to: ConvertTo | None = None

    def of_parameters(self, chosen: Any) -> ProbabilisticIOU:
        """Return the overlap with the parameters of a metric."""
        return evolve(self, convert_to=chosen.convert_to)

    def read(self, batch: DetectionBatch) -> DetectionBatch:
        """Return the batch unchanged."""
        return batch

    def pairs(self, batch: DetectionBatch, groups: Codes, lowest: float) -> Ragged:
        """Return the pairs of similar boxes; see `Overlap.pairs`."""
        from valor_detection.geometry import conversion, gaussians

        batch = conversion.comparable(batch, self.convert_to)
        truths, predictions = batch.groundtruths, batch.predictions

        def of(side: ObjectColumns) -> gaussians.Gaussians:
            return gaussians.Gaussians.of(
                side.shapes,
                lambda row: f"{batch.datums.name(int(side.datums[row]))}, {side.name(row)}",
            )

        true, predicted, lowest = of(truths), of(predictions), max(lowest, _LEAST)
        true_boxes, boxes = gaussians.search_boxes(true, predicted, lowest)
        starts, true_rows, _ = kernels.box_pairs(
            np.ascontiguousarray(truths.datums),
            groups[truths.labels],
            true_boxes,
            np.zeros(len(truths), bool),
            np.ascontiguousarray(predictions.datums),
            groups[predictions.labels],
            boxes,
            0.0,
        )
        rows = np.repeat(np.arange(len(predictions)), np.diff(starts))
        overlaps = gaussians.probabilistic_ious(true, predicted, true_rows, rows)
        kept = overlaps >= lowest
        counts = np.bincount(rows[kept], minlength=len(predictions))
        return ends(counts), true_rows[kept], overlaps[kept]
