"""`evaluate_segmentation`, the function of the metrics documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from valor_labels import (
    Annotation,
    GroundTruth,
    Prediction,
    ScoredLabel,
    annotated,
    without_data_argument,
)

from valor_core import evaluate
from valor_core.errors import SchemaError
from valor_core.evaluation import MetricChoice
from valor_core.results import Report
from valor_core.schemas import Label
from valor_core.schemas.segmentation import Segmentation

DEFAULT_METRICS = ("IOU", "mIOU", "Precision", "Recall", "F1")
"""Metrics of a call that selects none."""

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
    """Evaluate segmentation metrics over rasters of ground truths and predictions.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once per side. Datums of only one side are counted. Dictionaries of the
        same shape are accepted. Annotations without a raster, or of single objects, are skipped.
        Rasters of one label are merged.
    label_map : mapping or list of pairs, optional
        Renames of labels, applied to both sides after the check for shared pixels.
    metrics_to_return : sequence, optional
        Names, or tables of a name and parameters. Defaults to `DEFAULT_METRICS`.
    overlap : {"error", "first", "last"}
        Label of a pixel that rasters of several labels share.

    Raises
    ------
    SchemaError
        If a datum occurs twice on a side, rasters differ in size, or labels share pixels.

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


def _masks(annotations: Sequence[Annotation], where: str) -> dict[Label, NDArray[np.bool_]]:
    """Return one mask per label."""
    images: dict[Label, NDArray[np.bool_]] = {}
    for annotation in annotations:
        if annotation.raster is None or annotation.is_instance:
            continue
        image = annotation.raster.array
        for label in map(_label, annotation.labels):
            merged = images.get(label, image)
            if merged.shape != image.shape:
                raise SchemaError(
                    f"{where}: expected rasters of one size for '{label}', got "
                    f"{merged.shape[0]} by {merged.shape[1]} and {image.shape[0]} by "
                    f"{image.shape[1]} pixels"
                )
            images[label] = merged | image
    return images


def _label(label: Label | ScoredLabel) -> Label:
    return label.label if isinstance(label, ScoredLabel) else label
