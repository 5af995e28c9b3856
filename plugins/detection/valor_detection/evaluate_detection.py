"""The one-call function in the style of the metrics documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from attrs import evolve, frozen

from valor_core import evaluate
from valor_core.errors import ParameterError, SchemaError, and_more, did_you_mean, shown
from valor_core.evaluation import MetricChoice
from valor_core.parameters import declared
from valor_core.results import Report
from valor_core.schemas.annotation import (
    SIDES,
    Annotated,
    Annotation,
    GroundTruth,
    Prediction,
    annotated,
    scored_labels,
    true_labels,
    without_data_argument,
)
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import GEOMETRY_KINDS, Geometry, geometry_kind
from valor_core.specs import MetricSpec, fold
from valor_detection.geometry.validity import Policy, batch_of, check_policy
from valor_detection.parameters.fields import COCO_IOUS, Rule
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


@without_data_argument
def evaluate_detection(
    groundtruths: Iterable[GroundTruth | Mapping[str, Any]],
    predictions: Iterable[Prediction | Mapping[str, Any]],
    *,
    label_map: Mapping[Any, Any] | Sequence[Any] = (),
    metrics_to_return: MetricChoice | Sequence[MetricChoice] | None = None,
    convert_annotations_to_type: str | None = None,
    iou_thresholds_to_compute: Sequence[float] = COCO_IOUS,
    iou_thresholds_to_return: Sequence[float] = (0.5, 0.75),
    recall_score_threshold: float = 0.0,
    pr_curve_iou_threshold: float = 0.5,
    pr_curve_max_examples: int = 1,
    matching: Rule = "valor",
    invalid_geometry: Policy = "error",
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
    metrics_to_return : str, mapping or sequence of these, optional
        Names, or tables of a name and parameters; `DEFAULT_METRICS` unless given.
    convert_annotations_to_type : str, optional
        ``box``, ``polygon`` or ``raster``; the less detailed of each pair unless given. What is of
        a lesser kind is refused, also a box where polygons are asked for, as the documented
        library does.
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
    invalid_geometry : {"error", "repair", "skip", "accept"}
        What becomes of geometries that cannot be right: empty, self-crossing, inverted, not finite,
        or out of the image where the datum's metadata have ``height`` and ``width``. The report
        says what was left out or repaired.

    Raises
    ------
    SchemaError
        If a datum stands twice on a side or has two sizes, a ground truth has a score or a
        prediction none, a geometry is refused or of a lesser kind than asked for, or a side has
        annotations and none of an object.
    ParameterError
        If `convert_annotations_to_type` or `invalid_geometry` is not one of those named.

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
    check_policy(invalid_geometry)
    given = {
        "convert_annotations_to_type": _kind(convert_annotations_to_type),
        "iou_thresholds_to_compute": iou_thresholds_to_compute,
        "iou_thresholds_to_return": iou_thresholds_to_return,
        "recall_score_threshold": recall_score_threshold,
        "pr_curve_iou_threshold": pr_curve_iou_threshold,
        "pr_curve_max_examples": pr_curve_max_examples,
        "matching": matching,
    }
    chosen = DEFAULT_METRICS if metrics_to_return is None else metrics_to_return
    if isinstance(chosen, (str, Mapping, MetricSpec)):
        chosen = (chosen,)
    items = list(annotated(groundtruths, predictions))
    _check_objects("groundtruths", [one for item in items for one in item.groundtruths])
    _check_objects("predictions", [one for item in items for one in item.predictions])
    metrics = [_with_arguments(choice, given) for choice in chosen]
    objects = [_sides(item) for item in items]
    if any(_is_converted(choice) for choice in metrics):
        _check_detail(objects, convert_annotations_to_type)
    batch = _batch(items, objects, invalid_geometry)
    return evaluate(batch, metrics, task="detection", label_map=label_map)


_KINDS = {"box": "box", "polygon": "polygon", "raster": "mask"}
"""Kinds of geometry under the names of the documentation."""


def _kind(value: Any) -> str | None:
    """The kind that `convert_annotations_to_type` asks for."""
    if value is None or value in _KINDS.values():
        return cast("str | None", value)
    if value not in _KINDS:
        raise ParameterError(
            f"convert_annotations_to_type: expected one of {', '.join(_KINDS)}, got {shown(value)}",
            did_you_mean(value, _KINDS) if isinstance(value, str) else None,
        )
    return _KINDS[value]


def _is_converted(choice: MetricChoice) -> bool:
    """Whether a metric takes the kind of geometry that the call asks for."""
    own = choice.get("convert_annotations_to_type") if isinstance(choice, Mapping) else None
    return own is not None


def _with_arguments(choice: MetricChoice, given: Mapping[str, Any]) -> MetricChoice:
    """The choice with those arguments of the call that its metric takes and it does not set."""
    values: dict[str, Any] = {"name": choice} if not isinstance(choice, Mapping) else dict(choice)
    spec = _spec(values.get("name"))
    if spec is None:
        return choice
    own = values.get("convert_annotations_to_type", values.get("convert_to"))
    if own == "raster":
        values.pop("convert_to", None)
        values["convert_annotations_to_type"] = _KINDS[own]
    for parameter in declared(spec.parameter_class):
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
    if annotations and not any(map(_is_object, annotations)):
        raise SchemaError(
            f"{side}: expected annotations with a bounding_box, polygon or raster, "
            f"found none in {len(annotations):,}"
        )


def _is_object(annotation: Annotation) -> bool:
    return annotation.geometry is not None and annotation.is_instance is not False


@frozen
class _Object:
    """An annotation of an object, and where the call has it."""

    place: str
    position: int
    annotation: Annotation
    geometry: Geometry


_Sides = dict[str, list[_Object]]


def _sides(one: Annotated) -> _Sides:
    """Objects of both sides of an item."""
    return {
        side: [
            _Object(f"item {one.datum.uid!r}, {side}[{i}]", i, annotation, annotation.geometry)
            for i, annotation in enumerate(annotations)
            if annotation.geometry is not None and _is_object(annotation)
        ]
        for side, annotations in (
            ("groundtruths", one.groundtruths),
            ("predictions", one.predictions),
        )
    }


def _check_detail(items: Sequence[_Sides], wanted: str | None) -> None:
    """Raise a `SchemaError` that names the first geometry of a lesser kind than asked for."""
    asked = GEOMETRY_KINDS.index(_kind(wanted) or GEOMETRY_KINDS[0])
    names = tuple(_KINDS)
    given = [own for item in items for objects in item.values() for own in objects]
    less = [own for own in given if geometry_kind(own.geometry) < asked]
    if less:
        found = names[geometry_kind(less[0].geometry)]
        raise SchemaError(
            f"{less[0].place}: expected {' or '.join(f'a {name}' for name in names[asked:])}, as "
            f"convert_annotations_to_type: {names[asked]} asks for, got a {found}"
            f"{and_more(len(less) - 1)}",
            f"Set convert_annotations_to_type: {found}, or leave it out.",
        )


def _batch(
    items: Sequence[Annotated], objects: Sequence[_Sides], invalid_geometry: Policy
) -> DetectionBatch:
    """The objects as columns; positions are those among all annotations of the call."""
    batch = batch_of(
        (_item(*one) for one in zip(items, objects, strict=True)),
        invalid_geometry,
        lambda side, item, own: objects[item][side][own].place,
    )
    positions = {
        side: [[own.position for own in sides[side]] for sides in objects]
        for side in ("groundtruths", "predictions")
    }
    return evolve(
        batch,
        groundtruths=batch.groundtruths.renumber(positions["groundtruths"]),
        predictions=batch.predictions.renumber(positions["predictions"]),
    )


def _item(one: Annotated, sides: _Sides) -> Detection:
    return Detection(
        one.datum.uid,
        [
            TrueObject(true_labels(one.datum, own.annotation), own.geometry)
            for own in sides["groundtruths"]
        ],
        [
            PredictedObject(scored_labels(one.datum, own.annotation), own.geometry)
            for own in sides["predictions"]
        ],
        one.datum.metadata,
        _size(one.datum.metadata),
    )


def _size(metadata: Mapping[str, Any]) -> tuple[int, int] | None:
    """Height and width of the image, where its metadata say so."""
    sides = [metadata.get(name) for name in SIDES]
    height, width = (
        side if isinstance(side, int) and not isinstance(side, bool) else None for side in sides
    )
    return None if height is None or width is None else (height, width)
