"""Intersection over union of boxes, polygons and masks."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.errors import ParameterError
from valor_core.schemas import Codes
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry.shapes import ends
from valor_detection.matching.image_objects import Ragged
from valor_detection.matching.overlap import Overlap
from valor_detection.matching.overlap.boxes import box_pairs
from valor_detection.parameters.fields import ConvertTo


@frozen
class ShapeIOU:
    """Intersection over union of shapes. For a crowd, the share of the prediction inside.

    Parameters
    ----------
    convert_to : {"box", "polygon", "mask"}, optional
        Most detailed kind of shape to compare. Defaults to the less detailed kind of each pair.
    of_ignored : {"union", "prediction"}
        Area that divides the shared area for an ignored ground truth. For a crowd, it is always
        that of the prediction.
    """

    compares_boxes: ClassVar[bool] = True

    convert_to: ConvertTo | None = None
    of_ignored: Literal["union", "prediction"] = "union"

    def of_parameters(self, chosen: Any) -> Overlap:
        """Return the overlap with the parameters of a metric."""
        if getattr(chosen, "sigmas", None) is not None:
            raise ParameterError(
                f"sigmas must be null, except with matching: keypoints, got {chosen.sigmas!r}",
                "Set matching: keypoints, or omit sigmas.",
            )
        if chosen.overlap == "probiou":
            from valor_detection.matching.overlap.probabilistic import ProbabilisticIOU

            return ProbabilisticIOU(chosen.convert_to)
        return evolve(self, convert_to=chosen.convert_to)

    def read(self, batch: DetectionBatch) -> DetectionBatch:
        """Return the batch unchanged."""
        return batch

    def pairs(self, batch: DetectionBatch, groups: Codes, lowest: float) -> Ragged:
        """Return the pairs of overlapping shapes; see `Overlap.pairs`."""
        shapes = batch.groundtruths.shapes, batch.predictions.shapes
        if self.convert_to != "mask" and all(side.only_boxes for side in shapes):
            return box_pairs(batch, groups, lowest, self._of_prediction(batch))
        return self._shape_pairs(batch, groups, lowest)

    def _of_prediction(self, batch: DetectionBatch) -> NDArray[np.bool_]:
        truths = batch.groundtruths
        return truths.crowd if self.of_ignored == "union" else truths.crowd | truths.ignored

    def _shape_pairs(self, batch: DetectionBatch, groups: Codes, lowest: float) -> Ragged:
        """Return the overlapping pairs of any shapes, searched among overlapping boxes."""
        from valor_detection.geometry import conversion, ious

        batch = conversion.comparable(batch, self.convert_to)
        of_prediction = self._of_prediction(batch)
        starts, truths, _ = box_pairs(batch, groups, 0.0, of_prediction)
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        overlaps = ious.pair_ious(
            batch.groundtruths.shapes,
            batch.predictions.shapes,
            truths,
            rows,
            of_prediction[truths],
            at_least=lowest,
            raised=self.convert_to == "polygon",
        )
        kept = (overlaps > 0) & (overlaps >= lowest)
        starts = ends(np.bincount(rows[kept], minlength=len(starts) - 1))
        return starts, truths[kept], overlaps[kept]
