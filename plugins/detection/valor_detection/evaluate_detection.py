"""`evaluate_detection`, the function of the metrics documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from attrs import evolve, frozen
from valor_labels import (
    SIDES,
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

from valor_core.errors import SchemaError, and_more
from valor_core.evaluation import MetricChoice
from valor_core.results import Report
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Geometry
from valor_core.schemas.geometry.shapes import GEOMETRY_KINDS, geometry_kind
from valor_core.specs import MetricSpec
from valor_detection.geometry.validity import Policy, batch_of, check_policy
from valor_detection.parameters.fields import COCO_IOUS, ProtocolName, check_choice

DEFAULT_METRICS = (
    "AP",
    "AR",
    "mAP",
    "mAR",
    "APAveragedOverIOUs",
    "mAPAveragedOverIOUs",
    "PrecisionRecallCurve",
)
"""Default metrics."""


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
    matching: ProtocolName = "valor",
    invalid_geometry: Policy = "error",
) -> Report:
    """Evaluate detection metrics over ground truths and predictions, paired by datum.

    Parameters
    ----------
    groundtruths, predictions : iterable of GroundTruth and of Prediction
        Each datum at most once per side. Datums of only one side are counted. Dictionaries of the
        same shape are accepted. Annotations without a geometry, or with a false ``is_instance``,
        belong to other tasks and are skipped.
    label_map : mapping or list of pairs, optional
        Renames of labels, applied to both sides first.
    metrics_to_return : str, mapping or sequence of these, optional
        Names, or tables of a name and parameters. Defaults to `DEFAULT_METRICS`.
    convert_annotations_to_type : str, optional
        ``box``, ``polygon`` or ``raster``. Defaults to the less detailed kind of each pair. A less
        detailed geometry is an error, as in the documented library.
    iou_thresholds_to_compute : sequence of float
        IoU thresholds of AR, mAR and the averages over IoUs.
    iou_thresholds_to_return : sequence of float
        IoU thresholds of AP, mAP and other metrics with one result per threshold.
    recall_score_threshold : float
        Minimum score of the predictions that AR and mAR count.
    pr_curve_iou_threshold : float
        IoU threshold of the precision-recall curves.
    pr_curve_max_examples : int
        Maximum number of objects listed for each count of a DetailedPrecisionRecallCurve.
    matching : str
        Protocol of metrics without one. ``valor`` matches each prediction only to its best
        ground truth and gives the numbers of the documented library. ``ranked`` is the algorithm
        of the documentation: each prediction gets the best unmatched ground truth. ``coco`` is the
        protocol of pycocotools.
    invalid_geometry : {"error", "repair", "skip", "accept"}
        Policy for invalid geometries: empty, self-crossing, inverted, not finite, or outside the
        image if the datum's metadata have ``height`` and ``width``. The report counts skipped and
        repaired geometries.

    Raises
    ------
    SchemaError
        If a datum occurs twice on a side or has two sizes, a ground truth has a score or a
        prediction has none, a geometry is invalid or less detailed than requested, or a side has
        annotations but no objects.
    ParameterError
        If `convert_annotations_to_type` or `invalid_geometry` is unknown.

    Examples
    --------
    >>> corners = [[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]]
    >>> box = {"bounding_box": [corners], "is_instance": True}
    >>> true, predicted = {"value": "dog"}, {"value": "dog", "score": 0.75}
    >>> report = evaluate_detection(
    ...     [{"datum": "a", "annotations": [box | {"labels": [true]}]}],
    ...     [{"datum": "a", "annotations": [box | {"labels": [predicted]}]}],
    ...     metrics_to_return=["mAPAveragedOverIOUs"],
    ... )
    >>> report["mAPAveragedOverIOUs"].value
    1.0
    """
    check_policy(invalid_geometry)
    kind = _kind(convert_annotations_to_type)
    items = list(annotated(groundtruths, predictions))
    _check_objects("groundtruths", [one for item in items for one in item.groundtruths])
    _check_objects("predictions", [one for item in items for one in item.predictions])
    objects = [_objects_of(item) for item in items]
    if kind is not None:
        _check_detail(objects, kind)
    chosen = DEFAULT_METRICS if metrics_to_return is None else metrics_to_return
    if isinstance(chosen, (str, Mapping, MetricSpec)):
        chosen = (chosen,)
    return documented_call(
        _batch(items, objects, invalid_geometry),
        [_without_raster(choice) for choice in chosen],
        "detection",
        {
            "convert_annotations_to_type": kind,
            "iou_thresholds_to_compute": iou_thresholds_to_compute,
            "iou_thresholds_to_return": iou_thresholds_to_return,
            "recall_score_threshold": recall_score_threshold,
            "pr_curve_iou_threshold": pr_curve_iou_threshold,
            "pr_curve_max_examples": pr_curve_max_examples,
            "matching": matching,
        },
        label_map=label_map,
    )


_SIDES = ("groundtruths", "predictions")

_KINDS = {"box": "box", "polygon": "polygon", "raster": "mask"}
"""Kinds of geometry under the names of the documentation."""


def _kind(value: Any) -> str | None:
    """Return the geometry kind of a value of `convert_annotations_to_type`."""
    if value is None or value in _KINDS.values():
        return cast("str | None", value)
    check_choice("convert_annotations_to_type", value, tuple(_KINDS))
    return _KINDS[value]


def _without_raster(choice: MetricChoice) -> MetricChoice:
    """Replace the documented kind ``raster`` in a metric's table by ``mask``."""
    if not isinstance(choice, Mapping):
        return choice
    names = ("convert_annotations_to_type", "convert_to")
    return {
        name: _KINDS.get(value, value) if name in names and isinstance(value, str) else value
        for name, value in choice.items()
    }


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
    """An annotation of an object, with its position for messages."""

    where: str
    position: int
    annotation: Annotation
    geometry: Geometry


_Objects = dict[str, list[_Object]]


def _objects_of(one: Annotated) -> _Objects:
    """Return the objects of both sides of an item."""
    return {
        side: [
            _Object(f"item {one.datum.uid!r}, {side}[{i}]", i, annotation, annotation.geometry)
            for i, annotation in enumerate(getattr(one, side))
            if annotation.geometry is not None and _is_object(annotation)
        ]
        for side in _SIDES
    }


def _check_detail(items: Sequence[_Objects], wanted: str) -> None:
    """Raise a `SchemaError` that names the first geometry less detailed than `wanted`."""
    least = GEOMETRY_KINDS.index(wanted)
    names = tuple(_KINDS)
    geometries = [one for item in items for side in item.values() for one in side]
    less = [one for one in geometries if geometry_kind(one.geometry) < least]
    if less:
        found = names[geometry_kind(less[0].geometry)]
        raise SchemaError(
            f"{less[0].where}: expected {' or '.join(f'a {name}' for name in names[least:])} for "
            f"convert_annotations_to_type: {names[least]}, got a {found}"
            f"{and_more(len(less) - 1)}",
            f"Set convert_annotations_to_type: {found}, or omit it.",
        )


def _batch(
    items: Sequence[Annotated], objects: Sequence[_Objects], invalid_geometry: Policy
) -> DetectionBatch:
    """Convert objects to columns, numbered by their positions in the call."""
    batch = batch_of(
        (_item(*one) for one in zip(items, objects, strict=True)),
        invalid_geometry,
        lambda side, item, row: objects[item][side][row].where,
    )
    numbered = {
        side: getattr(batch, side).renumber(
            [[one.position for one in sides[side]] for sides in objects]
        )
        for side in _SIDES
    }
    return evolve(batch, **numbered)


def _item(one: Annotated, sides: _Objects) -> Detection:
    return Detection(
        one.datum.uid,
        [
            TrueObject(true_labels(one.datum, row.annotation), row.geometry)
            for row in sides["groundtruths"]
        ],
        [
            PredictedObject(scored_labels(one.datum, row.annotation), row.geometry)
            for row in sides["predictions"]
        ],
        one.datum.metadata,
        _size(one.datum.metadata),
    )


def _size(metadata: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return height and width of the image from its metadata."""
    sides = [metadata.get(name) for name in SIDES]
    height, width = (
        side if isinstance(side, int) and not isinstance(side, bool) else None for side in sides
    )
    return None if height is None or width is None else (height, width)
