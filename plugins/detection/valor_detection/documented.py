"""The one-call function in the style of the metrics documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from valor_core.errors import SchemaError
from valor_core.evaluate import evaluate
from valor_core.parameters import declared
from valor_core.plan import MetricChoice
from valor_core.report import Report
from valor_core.schemas.annotation import (
    Annotated,
    Annotation,
    GroundTruth,
    Prediction,
    annotated,
    scored_labels,
    true_labels,
)
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Geometry
from valor_core.spec import MetricSpec, fold
from valor_detection.parameters import COCO_IOUS, Rule
from valor_detection.plugin import valor_metrics

DEFAULT_METRICS = (
    "AP",
    "AR",
    "mAP",
    "mAR",
    "APAveragedOverIOUs",
    "mAPAveragedOverIOUs",
    "PrecisionRecallCurve",
)
"""What is computed where nothing is chosen."""


def evaluate_detection(
    groundtruths: Iterable[GroundTruth | Mapping[str, Any]],
    predictions: Iterable[Prediction | Mapping[str, Any]],
    *,
    label_map: Mapping[Any, Any] | Sequence[Any] = (),
    metrics_to_return: Sequence[MetricChoice] | None = None,
    convert_annotations_to_type: str | None = None,
    iou_thresholds_to_compute: Sequence[float] = COCO_IOUS,
    iou_thresholds_to_return: Sequence[float] = (0.5, 0.75),
    recall_score_threshold: float = 0.0,
    pr_curve_iou_threshold: float = 0.5,
    pr_curve_max_examples: int = 1,
    matching: Rule = "valor",
) -> Report:
    """Report of detection metrics over ground truths and predictions, matched by datum.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once on a side; one that is on one side only takes part. Dictionaries
        of the same shape will do. Annotations without a geometry, or whose ``is_instance`` is
        false, belong to other tasks and are passed over.
    label_map : mapping or list of pairs, optional
        Renames of labels, applied to both sides first.
    metrics_to_return : sequence, optional
        Names, or tables of a name and parameters; `DEFAULT_METRICS` unless given.
    convert_annotations_to_type : str, optional
        ``box``, ``polygon`` or ``raster``; the least detailed of each image unless given.
    iou_thresholds_to_compute : sequence of float
        IoU thresholds that AR, mAR and the averages over IoUs are over.
    iou_thresholds_to_return : sequence of float
        IoU thresholds of AP, mAP and other metrics that have one result for each.
    recall_score_threshold : float
        Score from which a prediction counts towards AR and mAR.
    pr_curve_iou_threshold : float
        IoU threshold of the precision-recall curves.
    pr_curve_max_examples : int
        Most objects shown for each count of a DetailedPrecisionRecallCurve.
    matching : str
        Rule of the matching, for metrics that do not name one themselves. ``valor``, by which a
        prediction has its one best ground truth or none, gives the numbers that the documented
        library gave. ``ranked`` is the algorithm as the documentation writes it out: a prediction
        whose best ground truth is taken has the best one left. ``coco`` is that of pycocotools.

    Raises
    ------
    SchemaError
        If a datum stands twice on a side, a ground truth has a score or a prediction none, or a
        side has annotations and none of an object.

    Examples
    --------
    >>> corners = [[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]]
    >>> box = {"bounding_box": [corners], "is_instance": True}
    >>> true, seen = {"value": "dog"}, {"value": "dog", "score": 0.75}
    >>> report = evaluate_detection(
    ...     [{"datum": "a", "annotations": [box | {"labels": [true]}]}],
    ...     [{"datum": "a", "annotations": [box | {"labels": [seen]}]}],
    ...     metrics_to_return=["mAPAveragedOverIOUs"],
    ... )
    >>> report["mAPAveragedOverIOUs"].value
    1.0
    """
    given = {
        "convert_annotations_to_type": _KINDS.get(
            convert_annotations_to_type, convert_annotations_to_type
        ),
        "iou_thresholds_to_compute": iou_thresholds_to_compute,
        "iou_thresholds_to_return": iou_thresholds_to_return,
        "recall_score_threshold": recall_score_threshold,
        "pr_curve_iou_threshold": pr_curve_iou_threshold,
        "pr_curve_max_examples": pr_curve_max_examples,
        "matching": matching,
    }
    chosen = DEFAULT_METRICS if metrics_to_return is None else metrics_to_return
    items = list(annotated(groundtruths, predictions))
    _check_objects("groundtruths", [one for item in items for one in item.groundtruths])
    _check_objects("predictions", [one for item in items for one in item.predictions])
    return evaluate(
        list(map(_item, items)),
        [_with_arguments(choice, given) for choice in chosen],
        task="detection",
        label_map=label_map,
    )


_KINDS: Mapping[str | None, str] = {"raster": "mask"}


def _with_arguments(choice: MetricChoice, given: Mapping[str, Any]) -> MetricChoice:
    """The choice with those arguments of the call that its metric takes and it does not set."""
    values: dict[str, Any] = {"name": choice} if not isinstance(choice, Mapping) else dict(choice)
    spec = _spec(values.get("name"))
    if spec is None:
        return choice
    for parameter in declared(spec.parameters):
        names = {parameter.name, *parameter.aliases}
        if not names & values.keys():
            values.update((name, value) for name, value in given.items() if name in names)
    return values


def _spec(name: Any) -> MetricSpec | None:
    """The detection metric of a name, None for another."""
    if not isinstance(name, str):
        return None
    wanted = fold(name.partition("@")[0].removeprefix("detection."))
    return next(
        (spec for spec in valor_metrics() if wanted in map(fold, (spec.short_name, *spec.aliases))),
        None,
    )


def _check_objects(side: str, annotations: Sequence[Annotation]) -> None:
    if annotations and not any(True for _ in _objects(annotations)):
        raise SchemaError(
            f"{side}: expected annotations with a bounding_box, polygon or raster, "
            f"found none in {len(annotations):,}"
        )


def _objects(annotations: Iterable[Annotation]) -> Iterator[tuple[Annotation, Geometry]]:
    for annotation in annotations:
        if annotation.geometry is not None and annotation.is_instance is not False:
            yield annotation, annotation.geometry


def _item(one: Annotated) -> Detection:
    return Detection(
        one.datum.uid,
        [
            TrueObject(true_labels(one.datum, annotation), geometry)
            for annotation, geometry in _objects(one.groundtruths)
        ],
        [
            PredictedObject(scored_labels(one.datum, annotation), geometry)
            for annotation, geometry in _objects(one.predictions)
        ],
        one.datum.metadata,
        _size(one.datum.metadata),
    )


def _size(metadata: Mapping[str, Any]) -> tuple[int, int] | None:
    """Height and width of the image, where its metadata say so."""
    height, width = metadata.get("height"), metadata.get("width")
    return (height, width) if isinstance(height, int) and isinstance(width, int) else None
