"""The one-call function in the style of the metrics documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from valor_classification.plugin import valor_metrics
from valor_core import evaluate
from valor_core.evaluation import MetricChoice
from valor_core.results import Report
from valor_core.schemas.annotation import (
    Annotated,
    Annotation,
    GroundTruth,
    Prediction,
    annotated,
    scored_labels,
    true_labels,
    without_data_argument,
)
from valor_core.schemas.classification import Classification
from valor_core.specs import MetricSpec, fold

DEFAULT_METRICS = (
    "Accuracy",
    "Precision",
    "Recall",
    "F1",
    "ROCAUC",
    "mROCAUC",
    "ConfusionMatrix",
)
"""What is computed where nothing is chosen."""

_DETAILED = "DetailedPrecisionRecallCurve"
_EXAMPLES = {"max_examples", "pr_curve_max_examples"}


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
    """Report of classification metrics over ground truths and predictions, matched by datum.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once on a side; one that is on one side only takes part. Dictionaries
        of the same shape will do. Annotations of objects, with a geometry, are passed over.
    label_map : mapping or list of pairs, optional
        Renames of labels, applied to both sides first.
    metrics_to_return : sequence, optional
        Names, or tables of a name and parameters; one of them stands for a list of it.
        `DEFAULT_METRICS` unless given.
    pr_curve_max_examples : int
        Most items named for each count of a DetailedPrecisionRecallCurve, under whichever of its
        names, that does not set them itself.
    pr_curve_iou_threshold : float, optional
        Taken because the documentation passes it; classification has no overlaps.

    Raises
    ------
    SchemaError
        If a datum stands twice on a side, a ground truth has a score or a prediction none.

    Examples
    --------
    >>> from valor_core.schemas.annotation import ScoredLabel
    >>> from valor_core.schemas import Label
    >>> report = evaluate_classification(
    ...     [GroundTruth("img_1", [Annotation([Label("animal", "dog")])])],
    ...     [Prediction("img_1", [Annotation([ScoredLabel("animal", "dog", 0.75)])])],
    ...     metrics_to_return=["Accuracy"],
    ... )
    >>> report["Accuracy"].value
    1.0
    """
    chosen = DEFAULT_METRICS if metrics_to_return is None else metrics_to_return
    choices = [chosen] if isinstance(chosen, (str, Mapping, MetricSpec)) else chosen
    metrics = [_with_examples(choice, pr_curve_max_examples) for choice in choices]
    items = list(map(_item, annotated(groundtruths, predictions)))
    return evaluate(items, metrics, task="classification", label_map=label_map)


def _with_examples(choice: MetricChoice, most: int) -> MetricChoice:
    """The choice with the call's number of examples, if it is of the curve that shows some."""
    values: dict[str, Any] = dict(choice) if isinstance(choice, Mapping) else {"name": choice}
    if not _is_detailed(values.get("name")) or _EXAMPLES & values.keys():
        return choice
    return values | {"max_examples": most}


def _is_detailed(name: Any) -> bool:
    if isinstance(name, MetricSpec):
        return name.name == f"classification.{_DETAILED}"
    if not isinstance(name, str):
        return False
    wanted = fold(name.partition("@")[0].removeprefix("classification."))
    spec = next(spec for spec in valor_metrics() if spec.short_name == _DETAILED)
    return wanted in map(fold, (spec.short_name, *spec.aliases))


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
