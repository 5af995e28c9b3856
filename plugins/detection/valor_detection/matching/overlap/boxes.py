"""Intersection over union of boxes."""

from __future__ import annotations

import numpy as np

from valor_core.schemas import Codes
from valor_core.schemas.detection import DetectionBatch
from valor_detection.kernels import matching as kernels
from valor_detection.matching.image_objects import Ragged


def box_pairs(batch: DetectionBatch, groups: Codes, lowest: float) -> Ragged:
    """Return the pairs of bounding boxes; see `Overlap.pairs`."""
    truths, predictions = batch.groundtruths, batch.predictions
    return kernels.box_pairs(
        np.ascontiguousarray(truths.datums),
        groups[truths.labels],
        truths.shapes.boxes,
        np.ascontiguousarray(truths.crowd),
        np.ascontiguousarray(predictions.datums),
        groups[predictions.labels],
        predictions.shapes.boxes,
        lowest,
    )
