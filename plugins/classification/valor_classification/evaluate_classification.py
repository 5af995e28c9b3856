"""`evaluate_classification`, the function of the metrics documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from valor_labels import (
    Annotated,
    Annotation,
    GroundTruth,
    Prediction,
    annotated,
    documented_call,
    scored_labels,
    true_labels,
    without_data_argument,
)

from valor_core.evaluation import MetricChoice
from valor_core.results import Report
from valor_core.schemas.classification import Classification

DEFAULT_METRICS = (
    "Accuracy",
    "Precision",
    "Recall",
    "F1",
    "ROCAUC",
    "mROCAUC",
    "ConfusionMatrix",
)
"""Metrics of a call that selects none."""


@without_data_argument
def evaluate_classification(
    groundtruths: Iterable[GroundTruth | Mapping[str, Any]],
    predictions: Iterable[Prediction | Mapping[str, Any]],
    *,
    label_map: Mapping[Any, Any] | Sequence[Any] = (),
    metrics_to_return: Sequence[MetricChoice] | MetricChoice | None = None,
    pr_curve_max_examples: int = 1,
    pr_curve_iou_threshold: float | None = None,
) -> Report:
    """Evaluate classification metrics over ground truths and predictions, paired by datum.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once per side. Datums of only one side are counted. Dictionaries of the
        same shape are accepted. Annotations with a geometry are skipped.
    label_map : mapping or list of pairs, optional
        Renames of labels, applied to both sides first.
    metrics_to_return : sequence, optional
        Names, or tables of a name and parameters. Defaults to `DEFAULT_METRICS`.
    pr_curve_max_examples : int
        Maximum number of items listed for each count of a DetailedPrecisionRecallCurve.
    pr_curve_iou_threshold : float, optional
        Ignored: classification has no overlaps.

    Raises
    ------
    SchemaError
        If a datum occurs twice on a side, a ground truth has a score or a prediction has none.

    Examples
    --------
    >>> from valor_labels import ScoredLabel
    >>> from valor_core.schemas import Label
    >>> report = evaluate_classification(
    ...     [GroundTruth("img_1", [Annotation([Label("animal", "dog")])])],
    ...     [Prediction("img_1", [Annotation([ScoredLabel("animal", "dog", 0.75)])])],
    ...     metrics_to_return=["Accuracy"],
    ... )
    >>> report["Accuracy"].value
    1.0
    """
    return documented_call(
        list(map(_item, annotated(groundtruths, predictions))),
        DEFAULT_METRICS if metrics_to_return is None else metrics_to_return,
        "classification",
        {"pr_curve_max_examples": pr_curve_max_examples},
        label_map=label_map,
    )


def _item(one: Annotated) -> Classification:
    return Classification(
        one.datum.uid,
        [
            label
            for annotation in _of_whole_items(one.groundtruths)
            for label in true_labels(one.datum, annotation)
        ],
        [
            pair
            for annotation in _of_whole_items(one.predictions)
            for pair in scored_labels(one.datum, annotation)
        ],
        one.datum.metadata,
    )


def _of_whole_items(annotations: Sequence[Annotation]) -> list[Annotation]:
    return [annotation for annotation in annotations if annotation.geometry is None]
