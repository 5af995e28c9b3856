"""The one-call function in the style of the metrics documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from valor_core import evaluate
from valor_core.errors import SchemaError
from valor_core.evaluation import MetricChoice
from valor_core.results import Report
from valor_core.schemas import Label
from valor_core.schemas.annotation import (
    Annotation,
    GroundTruth,
    Prediction,
    ScoredLabel,
    annotated,
    without_data_argument,
)
from valor_core.schemas.segmentation import Segmentation

DEFAULT_METRICS = ("IOU", "mIOU", "Precision", "Recall", "F1")
"""What is computed where nothing is chosen."""

Overlap = Literal["error", "first", "last"]


@without_data_argument
def evaluate_segmentation(
    groundtruths: Iterable[GroundTruth | Mapping[str, Any]],
    predictions: Iterable[Prediction | Mapping[str, Any]],
    *,
    label_map: Mapping[Any, Any] | Sequence[Any] = (),
    metrics_to_return: Sequence[MetricChoice] | MetricChoice | None = None,
    overlap: Overlap = "error",
) -> Report:
    """Report of segmentation metrics over rasters of ground truths and predictions.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once on a side; one that is on one side only takes part. Dictionaries
        of the same shape will do. Annotations without a raster, or of single objects, are passed
        over; rasters of one label are one.
    label_map : mapping or list of pairs, optional
        Renames of labels, applied to both sides once labels are known to share no pixel.
    metrics_to_return : sequence, optional
        Names, or tables of a name and parameters; `DEFAULT_METRICS` unless given.
    overlap : {"error", "first", "last"}
        Which of several labels of one key has a pixel that their rasters share.

    Raises
    ------
    SchemaError
        If a datum stands twice on a side, rasters differ in size, or labels share pixels.

    Examples
    --------
    >>> report = evaluate_segmentation(
    ...     [GroundTruth("img_1", [Annotation(["dog"], raster=[[1, 0]])])],
    ...     [Prediction("img_1", [Annotation(["dog"], raster=[[1, 1]])])],
    ...     metrics_to_return=["IOU"],
    ... )
    >>> report["IOU", "dog"].value
    0.5
    """
    chosen = DEFAULT_METRICS if metrics_to_return is None else metrics_to_return
    items = [
        Segmentation(
            one.datum.uid,
            _masks(one.groundtruths, f"item {one.datum.uid!r}, groundtruth"),
            _masks(one.predictions, f"item {one.datum.uid!r}, prediction"),
            overlap=overlap,
            metadata=one.datum.metadata,
        )
        for one in annotated(groundtruths, predictions)
    ]
    return evaluate(items, chosen, task="segmentation", label_map=label_map)


def _masks(annotations: Sequence[Annotation], place: str) -> dict[Label, NDArray[np.bool_]]:
    """One image for each label."""
    images: dict[Label, NDArray[np.bool_]] = {}
    for annotation in annotations:
        if annotation.raster is None or annotation.is_instance:
            continue
        image = annotation.raster.array
        for label in map(_label, annotation.labels):
            known = images.get(label, image)
            if known.shape != image.shape:
                raise SchemaError(
                    f"{place}: expected rasters of one size for '{label}', got "
                    f"{known.shape[0]} by {known.shape[1]} and {image.shape[0]} by "
                    f"{image.shape[1]} pixels"
                )
            images[label] = known | image
    return images


def _label(label: Label | ScoredLabel) -> Label:
    return label.label if isinstance(label, ScoredLabel) else label
