"""Objects of one image, in the output formats of detectors and data sets.

`supervision.Detections`, torchvision's dictionaries, `Results` of Ultralytics and `Instances` of
Detectron2 are recognized by their attributes, so that none of these packages is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from valor_core.errors import SchemaError, short_repr
from valor_detection.arrays.columns import as_array, thresholded
from valor_detection.arrays.sides import Objects

_BOXES = ("boxes", "bbox", "bboxes", "objects")
_LABEL_NAMES = ("classes", "class_ids", "class_id", "category", "categories", "category_id")
_SCORE_NAMES = ("score", "confidence", "conf", "confidences")
_CLASSES = "class_id=np.zeros(len(detections), int)"


def objects_of(found: Any, where: str) -> Objects | None:
    """Return the objects of one image; None for an object of another kind.

    Parameters
    ----------
    found : object
        Output of a detector, or its ground truth.
    where : str
        Name of the image and side in error messages.

    Raises
    ------
    SchemaError
        For a dictionary of boxes under other keys than torchvision's; names the function that
        reads it.

    Examples
    --------
    >>> objects_of({"boxes": [[0, 0, 2, 1]], "labels": [1]}, "groundtruths[0]").boxes
    array([[0, 0, 2, 1]])
    """
    if isinstance(found, Objects):
        return found
    if isinstance(found, Mapping):
        if "labels" in found:
            return of_dict(found, where)
        if hasattr(found.get("instances"), "get_fields"):
            return _of_instances(found["instances"], where)
        _check_keys(found, where)
        return None
    if hasattr(found, "xyxy") or _are_key_points(found):
        return of_supervision(found, where)
    if hasattr(found, "get_fields") and hasattr(found, "image_size"):
        return _of_instances(found, where)
    if hasattr(found, "names") and hasattr(found, "orig_shape"):
        return _of_results(found, where)
    return None


def names_of(found: Any) -> Mapping[int, str] | None:
    """Return the class names of Ultralytics' `Results`; None for objects of another kind."""
    names = getattr(found, "names", None)
    if not hasattr(found, "orig_shape") or not isinstance(names, Mapping):
        return None
    return {int(number): str(name) for number, name in names.items()}


def of_supervision(found: Any, where: str) -> Objects:
    """Read the objects of `supervision.Detections` or `supervision.KeyPoints`.

    Raises
    ------
    SchemaError
        For an object of another kind, or boxes without a class.
    """
    if _are_key_points(found):
        return _of_key_points(found, where)
    if not hasattr(found, "xyxy"):
        raise SchemaError(
            f"{where}: expected supervision.Detections, got {short_repr(found)}",
            "Dictionaries are read by from_torchvision, arrays by from_arrays.",
        )
    data = getattr(found, "data", None)
    data = data if isinstance(data, Mapping) else {}
    names = as_array(data.get("class_name"))
    labels = getattr(found, "class_id", None) if names is None or not names.size else names
    boxes = as_array(found.xyxy)
    if labels is None and boxes is not None and boxes.size:
        raise SchemaError(
            f"{where}: expected class_id or data['class_name'], got neither",
            f"Set the class of each box. To ignore classes, set {_CLASSES} on both sides.",
        )
    return Objects(
        boxes=boxes,
        labels=np.empty(0, np.int64) if labels is None else labels,
        scores=getattr(found, "confidence", None),
        masks=getattr(found, "mask", None),
        corners=data.get("xyxyxyxy"),
    )


def _are_key_points(found: Any) -> bool:
    return hasattr(found, "xy") and hasattr(found, "class_id") and not hasattr(found, "xyxy")


def _of_key_points(found: Any, where: str) -> Objects:
    """Read `supervision.KeyPoints`, whose older versions have no confidence of an object.

    The score of an object without one is the mean confidence of its points.
    """
    points = as_array(found.xy)
    data = getattr(found, "data", None)
    names = as_array(data.get("class_name")) if isinstance(data, Mapping) else None
    labels = found.class_id if names is None or not names.size else names
    if labels is None and points is not None and points.size:
        raise SchemaError(
            f"{where}: expected class_id or data['class_name'], got neither",
            "Set the class of each object. To ignore classes, set class_id=np.zeros(len(points), "
            "int) on both sides.",
        )
    confidences = as_array(
        getattr(found, "keypoint_confidence", getattr(found, "confidence", None))
    )
    scores = as_array(getattr(found, "detection_confidence", None))
    if scores is None and confidences is not None and confidences.ndim == 2:
        scores = confidences.mean(axis=1) if confidences.size else np.empty(0)
    is_visible = as_array(getattr(found, "visible", None))
    if points is not None and points.ndim == 3 and is_visible is not None:
        points = np.concatenate([points, is_visible.astype(np.float64)[:, :, None]], axis=2)
    return Objects(
        labels=np.empty(0, np.int64) if labels is None else labels,
        scores=scores,
        keypoints=points,
    )


def of_dict(found: Any, where: str) -> Objects:
    """Read the objects of a dictionary with torchvision's keys.

    Raises
    ------
    SchemaError
        For an object of another kind, or a dictionary without ``labels``.
    """
    if not isinstance(found, Mapping) or "labels" not in found:
        if isinstance(found, Mapping):
            _check_keys(found, where)
        given = list(found) if isinstance(found, Mapping) else found
        remedy = None
        if hasattr(found, "xyxy"):
            remedy = "supervision.Detections are read by from_supervision."
        raise SchemaError(
            f"{where}: expected a dict with boxes and labels, got {short_repr(given)}", remedy
        )
    score = next((name for name in _SCORE_NAMES if name in found), None)
    if score is not None and "scores" not in found and where.startswith("predictions"):
        raise SchemaError(
            f"{where}: expected scores, got the key {score!r}",
            f"Rename it: {{**one, 'scores': one[{score!r}]}}",
        )
    return Objects(
        boxes=found.get("boxes"),
        labels=found["labels"],
        scores=found.get("scores"),
        masks=thresholded(as_array(found.get("masks"))),
        crowd=found.get("iscrowd"),
        areas=found.get("area"),
        keypoints=found.get("keypoints"),
    )


def _of_results(found: Any, where: str) -> Objects:
    """Read the objects of Ultralytics' `Results`: oriented boxes if present, otherwise boxes.

    Masks have the size of the network's input instead of the image's, and are not read.
    """
    oriented = getattr(found, "obb", None)
    given = getattr(found, "boxes", None) if oriented is None else oriented
    if given is None:
        raise SchemaError(
            f"{where}: expected Results of Ultralytics with boxes or oriented boxes, got neither",
            "Use a model of the task detect, segment, pose or obb.",
        )
    classes = as_array(given.cls)
    return Objects(
        boxes=given.xyxy,
        labels=classes.astype(np.int64),
        scores=given.conf,
        corners=None if oriented is None else oriented.xyxyxyxy,
    )


def _of_instances(found: Any, where: str) -> Objects:
    """Read the objects of Detectron2's `Instances`, predicted or annotated."""
    fields = found.get_fields()
    side = "pred" if "pred_classes" in fields else "gt"
    boxes, labels = fields.get(f"{side}_boxes"), fields.get(f"{side}_classes")
    if boxes is None or labels is None:
        raise SchemaError(
            f"{where}: expected Instances with pred_boxes and pred_classes, or gt_boxes and "
            f"gt_classes, got {short_repr(list(fields))}"
        )
    masks = as_array(fields["pred_masks"]) if "pred_masks" in fields else None
    return Objects(
        boxes=getattr(boxes, "tensor", boxes),
        labels=labels,
        scores=fields.get("scores"),
        masks=None if masks is None or masks.ndim != 3 else masks,
    )


def _check_keys(found: Mapping[Any, Any], where: str) -> None:
    """Raise a `SchemaError` that names the remedy for boxes under other keys than torchvision's."""
    boxes = next((name for name in _BOXES if name in found), None)
    if boxes is None:
        return
    inner = found[boxes]
    if isinstance(inner, Mapping) and any(name in inner for name in _BOXES):
        label = next((name for name in (*_LABEL_NAMES, "label", "labels") if name in inner), "…")
        key = next(name for name in _BOXES if name in inner)
        raise SchemaError(
            f"{where}: expected boxes and labels, got them under the key {boxes!r}",
            "Name their format ('xywh' in most data sets of Hugging Face): "
            "from valor_detection import Objects, from_arrays; from_arrays([Objects("
            f"boxes=one[{boxes!r}][{key!r}], labels=one[{boxes!r}][{label!r}]) for one in …], "
            "[Objects(boxes=…, labels=…, scores=…)], box_format='xywh')",
        )
    given = next((name for name in (*_LABEL_NAMES, "label") if name in found), None)
    got = f"the key {given!r}" if given else f"the keys {short_repr(list(found))}"
    renamed = f"'labels': one[{given!r}]" if given else ""
    if given and boxes != "boxes":
        renamed += f", 'boxes': one[{boxes!r}]"
    values = "…" if boxes == "objects" else f"one[{boxes!r}]"
    raise SchemaError(
        f"{where}: expected a dict with boxes and labels, got {got}",
        (f"Rename it: {{**one, {renamed}}}; or make" if given else "Make")
        + " a batch of arrays: from valor_detection import Objects, from_arrays; "
        f"from_arrays([Objects(boxes={values}, labels=…)], [Objects(boxes=…, labels=…, "
        "scores=…)], box_format='xyxy')",
    )
