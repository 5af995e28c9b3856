"""Intersection over union of boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes
from valor_core.schemas.detection import DetectionBatch
from valor_detection.kernels import matching as kernels
from valor_detection.matching.image_objects import Ragged


def box_pairs(
    batch: DetectionBatch, groups: Codes, lowest: float, of_prediction: NDArray[np.bool_]
) -> Ragged:
    """Return the pairs of bounding boxes.

    Parameters
    ----------
    batch, groups, lowest
        As for `Overlap.pairs`.
    of_prediction : ndarray of bool, shape (g,)
        True for ground truths whose overlap is the share of the prediction inside.
    """
    truths, predictions = batch.groundtruths, batch.predictions
    return kernels.box_pairs(
        np.ascontiguousarray(truths.datums),
        groups[truths.labels],
        truths.shapes.boxes,
        np.ascontiguousarray(of_prediction),
        np.ascontiguousarray(predictions.datums),
        groups[predictions.labels],
        predictions.shapes.boxes,
        lowest,
    )
