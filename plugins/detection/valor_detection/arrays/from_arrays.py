"""Batches from arrays, `supervision.Detections` and dicts of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from valor_core.errors import SchemaError, and_more, short_repr
from valor_core.schemas import DEFAULT_KEY, Codes, Datums
from valor_core.schemas.detection import DetectionBatch
from valor_detection.arrays.columns import as_array, column
from valor_detection.arrays.detector_outputs import names_of, objects_of, of_dict, of_supervision
from valor_detection.arrays.objects import BoxFormat, batch_of_rows, check_format
from valor_detection.arrays.sides import IouType, Labels, Names, Objects, Side
from valor_detection.geometry.validity import Policy, check_policy
from valor_detection.parameters.fields import check_choice

__all__ = ["IouType", "Objects", "from_arrays", "from_supervision", "from_torchvision"]


def from_arrays(
    groundtruths: Sequence[Objects],
    predictions: Sequence[Objects],
    *,
    uids: Sequence[Any] | None = None,
    sizes: Any = None,
    names: Names = None,
    iou_type: IouType | None = None,
    box_format: BoxFormat = "xyxy",
    label_key: str = DEFAULT_KEY,
    metadata: Mapping[str, Any] | None = None,
    invalid_geometry: Policy = "error",
) -> DetectionBatch:
    """Build a batch from arrays.

    Parameters
    ----------
    groundtruths, predictions : sequence of Objects
        Both sides of each image.
    uids : sequence of str or int, optional
        Names of the images. By default their positions.
    sizes : array of shape (n_images, 2), optional
        Height and width of the images.
    names : mapping of int to str, or sequence of str, optional
        Names of numeric labels. By default their digits.
    iou_type : {"bbox", "segm"}, optional
        Kind of shape to compare: ``bbox`` for boxes (or bounding boxes of masks), ``segm`` for
        masks. By default masks if both sides have them, else boxes.
    box_format : {"xyxy", "xywh", "cxcywh"}
        Format of the boxes.
    label_key : str
        Key of all labels.
    metadata : mapping of str to sequence, optional
        Metadata of the images.
    invalid_geometry : {"error", "repair", "skip", "accept"}
        Policy for invalid boxes and masks, such as empty ones or, if `sizes` are given, those
        outside of their image. The report counts excluded and repaired objects.

    Raises
    ------
    SchemaError
        If lengths, shapes, types or sizes do not match, a number has no name, a box is invalid, or
        masks to compare are missing.
    ParameterError
        If `iou_type`, `box_format` or `invalid_geometry` is unknown.

    Examples
    --------
    >>> true = Objects(boxes=[[0, 0, 2, 1]], labels=[1])
    >>> predicted = Objects(boxes=[[0, 0, 2, 2]], labels=[1], scores=[0.75])
    >>> from_arrays([true], [predicted], names=["cat", "dog"]).predictions.shapes.boxes
    array([[0., 0., 2., 2.]])
    """
    check_policy(invalid_geometry)
    check_format(box_format)
    if iou_type is not None:
        check_choice("iou_type", iou_type, get_args(IouType))
    _check_names(names)
    _check_objects(groundtruths, predictions)
    facts = _checked_facts(metadata)
    count = len(predictions)
    datums = Datums.numbers(count, facts) if uids is None else Datums(uids, facts)
    if len(datums) != count:
        raise SchemaError(f"uids: expected one for each of {count:,} images, got {len(datums):,}")
    vocabulary = Labels(label_key, names)
    image_sizes = None if sizes is None else _sizes(sizes, len(datums))
    rest = (datums, vocabulary, box_format, invalid_geometry)
    truths = Side("groundtruths", groundtruths, *rest)
    predicted_side = Side("predictions", predictions, *rest)
    _check_order(groundtruths, predictions)
    for side in (truths, predicted_side):
        side.check(image_sizes)
    true_masks, masks = (
        truths.compares_masks(predicted_side, iou_type),
        predicted_side.compares_masks(truths, iou_type),
    )
    with_corners = not (true_masks or masks) and _compares_corners(truths, predicted_side)
    true, true_counts = truths.checked(image_sizes, true_masks, with_corners)
    predicted, counts = predicted_side.checked(image_sizes, masks, with_corners)
    return batch_of_rows(
        datums,
        vocabulary.vocabulary.labels,
        true,
        predicted,
        image_sizes,
        vocabulary.ids,
        {**true_counts, **counts},
    )


def _compares_corners(truths: Side, predicted: Side) -> bool:
    """Return whether all objects have corners; raise a `SchemaError` if only part of them do."""
    present = truths.first_with_corners(True) or predicted.first_with_corners(True)
    lacking = truths.first_with_corners(False) or predicted.first_with_corners(False)
    if present is None:
        return False
    if lacking is not None:
        raise SchemaError(
            f"{lacking}: expected the corners of oriented boxes (xyxyxyxy) as for {present}, "
            "got upright boxes",
            "Give the corners of all objects: Objects(corners=…), or "
            "Detections.data['xyxyxyxy'] in supervision. To compare upright boxes, give corners "
            "on neither side.",
        )
    return True


def _check_objects(groundtruths: Any, predictions: Any) -> None:
    """Reject sides that are not sequences of `Objects`, one per image."""
    for name, side in (("groundtruths", groundtruths), ("predictions", predictions)):
        for position, one in enumerate(_listed(name, side)):
            if not isinstance(one, Objects):
                raise SchemaError(
                    f"{name}[{position}]: expected Objects, got {short_repr(one)}",
                    "Use from_torchvision for dicts and from_supervision for "
                    "supervision.Detections.",
                )
    if len(groundtruths) != len(predictions):
        raise SchemaError(
            f"predictions: expected one set of objects for each of {len(groundtruths):,} images, "
            f"got {len(predictions):,}"
        )


def _check_order(groundtruths: Sequence[Objects], predictions: Sequence[Objects]) -> None:
    """Raise a `SchemaError` if the first side has scores and the second has none."""
    has_scores = [
        any(one.scores is not None for one in side if np.size(one.labels))
        for side in (groundtruths, predictions)
    ]
    if has_scores == [True, False] and any(np.size(one.labels) for one in predictions):
        raise SchemaError(
            "predictions: expected scores, got none; the ground truths have scores",
            "Put the ground truths first and the predictions second: "
            "evaluate(groundtruths, predictions, metrics)",
        )


def _check_names(names: Any) -> None:
    """Reject names that are neither a mapping nor a list, or are not distinct."""
    is_listed = isinstance(names, (Mapping, Sequence)) and not isinstance(names, (str, bytes))
    if names is not None and not is_listed and np.ndim(names) != 1:
        raise SchemaError(
            "names: expected a list of names, or a dict of them by number, "
            f"got {short_repr(names)}",
            "Write the name of each number: names=['cat', 'dog'], or names={17: 'cat', 18: 'dog'}.",
        )
    listed = [] if names is None else list(names.values() if isinstance(names, Mapping) else names)
    twice = [str(one) for one in listed if isinstance(one, str) and listed.count(one) > 1]
    if twice:
        raise SchemaError(
            f"names: expected every name once, got {twice[0]!r} twice",
            "Give each number a unique name, and merge classes with label_map.",
        )


def _checked_facts(metadata: Any) -> Mapping[str, Any]:
    """Validate metadata as lists by name; `Datums` checks their lengths."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise SchemaError(
            f"metadata: expected a dict of lists by name, got {short_repr(metadata)}",
            "Write the values of each field in a list: metadata={'weather': ['rain', 'sun']}.",
        )
    for name, values in metadata.items():
        is_list = isinstance(values, Sequence) and not isinstance(values, (str, bytes))
        if not is_list and not getattr(values, "shape", ()):
            raise SchemaError(
                f"metadata[{name!r}]: expected a list with one value per image, "
                f"got {short_repr(values)}"
            )
    return metadata


def _listed(name: str, side: Any) -> Sequence[Any]:
    if not isinstance(side, Sequence) or isinstance(side, str):
        raise SchemaError(
            f"{name}: expected a list with one entry per image, got {short_repr(side)}"
        )
    return side


def _sizes(sizes: Any, count: int) -> Codes:
    """Convert sizes to positive integers."""
    array: Codes = column(sizes, np.int64, "sizes", width=2)
    if len(array) != count:
        raise SchemaError(f"sizes: expected {count:,} rows of height and width, got {len(array):,}")
    bad = np.flatnonzero((array <= 0).any(axis=1))
    if len(bad):
        raise SchemaError(
            f"sizes[{bad[0]}]: expected a height and width above 0, "
            f"got {array[bad[0]].tolist()}{and_more(len(bad) - 1)}"
        )
    return array


def from_supervision(
    groundtruths: Sequence[Any], predictions: Sequence[Any], **options: Any
) -> DetectionBatch:
    """Build a batch from `supervision.Detections`, one per image and side.

    Parameters
    ----------
    groundtruths, predictions : sequence of supervision.Detections
        With `xyxy`, and `class_id` or ``data["class_name"]``; predictions with `confidence`.
        Masks are read if present, and corners of oriented boxes in ``data["xyxyxyxy"]``. Oriented
        boxes are compared as rotated boxes and must be given on both sides.
    **options
        Options of `from_arrays`. `iou_type` selects boxes or masks; by default masks if both sides
        have them.

    Raises
    ------
    SchemaError
        For the errors of `from_arrays`, or if detections with class names are mixed with numbers
        and no `names` are given.
    """
    true, predicted = (
        [of_supervision(one, f"{name}[{i}]") for i, one in enumerate(_listed(name, side))]
        for name, side in (("groundtruths", groundtruths), ("predictions", predictions))
    )
    if options.get("names") is None:
        _check_all_named(true, predicted)
    return from_arrays(true, predicted, **options)


def _check_all_named(groundtruths: Sequence[Objects], predictions: Sequence[Objects]) -> None:
    """Reject a mix of class names and numbers, because 'dog' and 1 would never match."""
    locations: dict[bool, str] = {}
    for side, objects in (("groundtruths", groundtruths), ("predictions", predictions)):
        for position, one in enumerate(objects):
            if one.labels.size:
                is_named = isinstance(one.labels.flat[0], str)
                locations.setdefault(is_named, f"{side}[{position}]")
    if len(locations) == 2:
        raise SchemaError(
            f"{locations[False]}: expected data['class_name'] as for {locations[True]}, "
            "got only class_id",
            "Name the classes in the order of their numbers: names=['cat', 'dog', …].",
        )


def from_torchvision(
    groundtruths: Sequence[Mapping[str, Any]],
    predictions: Sequence[Mapping[str, Any]],
    **options: Any,
) -> DetectionBatch:
    """Build a batch from dicts in torchvision's format, one per image and side.

    Parameters
    ----------
    groundtruths, predictions : sequence of mapping
        With ``boxes`` (or ``masks``) and ``labels``; predictions with ``scores``. Ground truths may
        have ``iscrowd``, ``area`` and ``image_id``. Float masks are binarized at 0.5.
    **options
        Options of `from_arrays`. `iou_type` selects ``boxes`` or ``masks``; by default masks if
        both sides have them, whereas torchmetrics compares boxes by default.

    Raises
    ------
    SchemaError
        For the errors of `from_arrays`, or if a dict has no labels, or an image has several ids.

    Examples
    --------
    >>> true = {"boxes": [[0, 0, 2, 1]], "labels": [1], "image_id": 7}
    >>> predicted = {"boxes": [[0, 0, 2, 1]], "labels": [1], "scores": [0.5]}
    >>> from_torchvision([true], [predicted]).datums.uids
    array([7])
    """
    true, predicted = (
        [of_dict(one, f"{name}[{i}]") for i, one in enumerate(_listed(name, side))]
        for name, side in (("groundtruths", groundtruths), ("predictions", predictions))
    )
    ids = [one.get("image_id") for one in groundtruths]
    if ids and "uids" not in options and all(number is not None for number in ids):
        options["uids"] = [_image_id(number, i) for i, number in enumerate(ids)]
    return from_arrays(true, predicted, **options)


def _image_id(value: Any, position: int) -> Any:
    """Return the only value of a number, a string or a tensor."""
    array = as_array(value)
    if array.size != 1:
        raise SchemaError(
            f"groundtruths[{position}], image_id: expected one value, got {short_repr(array)}"
        )
    return array.item()


def two_sides(groundtruths: Any, predictions: Any) -> DetectionBatch | None:
    """Build a batch from two sides in formats of detectors, for one image or several.

    The sides may differ in format. Returns None for objects of other formats.
    """
    true, predicted = (
        list(side) if isinstance(side, (list, tuple)) else [side]
        for side in (groundtruths, predictions)
    )
    if all(isinstance(one, Mapping) and "labels" in one for one in (*true, *predicted)):
        return from_torchvision(true, predicted)
    objects: list[list[Objects]] = []
    for name, side in (("groundtruths", true), ("predictions", predicted)):
        objects.append([])
        for position, one in enumerate(side):
            read = objects_of(one, f"{name}[{position}]")
            if read is None:
                return None
            objects[-1].append(read)
    names = _shared_names([*true, *predicted])
    if names is None:
        _check_all_named(*objects)
    return from_arrays(*objects, names=names)


def _shared_names(found: Sequence[Any]) -> dict[int, str] | None:
    """Return the class names of all `Results` of Ultralytics; None without names."""
    given = [names for names in map(names_of, found) if names is not None]
    joined = {number: name for names in given for number, name in names.items()}
    if any(names[number] != joined[number] for names in given for number in names):
        raise SchemaError(
            "data: expected Results of models with the same classes, got several names of a class",
            "Evaluate the Results of one model at a time.",
        )
    return joined or None
