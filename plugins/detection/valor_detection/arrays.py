"""Batches of what programs have in memory: arrays, `supervision.Detections`, dicts of tensors.

None of these programs is needed: objects are taken for what their fields are called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from valor_core.plugin import ParameterError, SchemaError, and_more, did_you_mean, shown
from valor_core.schemas.columns import Codes
from valor_core.schemas.datum import Datums
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry.policy import Policy, check_policy
from valor_core.schemas.label import DEFAULT_KEY
from valor_detection.array_sides import IouType, Labels, Names, Objects, Side
from valor_detection.columns import as_array, column
from valor_detection.mask_arrays import thresholded
from valor_detection.object_rows import BoxFormat, batch_of_rows, check_format

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
    """A batch of arrays.

    Parameters
    ----------
    groundtruths, predictions : sequence of Objects
        Both sides of each image.
    uids : sequence of str or int, optional
        Names of the images; their positions unless given.
    sizes : array of shape (n_images, 2), optional
        Height and width of the images.
    names : mapping of int to str, or sequence of str, optional
        Names of labels that are numbers; their digits unless given.
    iou_type : {"bbox", "segm"}, optional
        What is compared: ``bbox`` is boxes, those around the masks where no boxes are given;
        ``segm`` is masks. Unless given, it is masks where both sides have them, else boxes.
    box_format : {"xyxy", "xywh", "cxcywh"}
        How boxes are written.
    label_key : str
        Key of all labels.
    metadata : mapping of str to sequence, optional
        Facts about the images.
    invalid_geometry : {"error", "repair", "skip", "accept"}
        What becomes of boxes and masks that cannot be right, such as empty ones or, where `sizes`
        are given, those outside of their image. The report says what was left out or repaired.

    Raises
    ------
    SchemaError
        If lengths, shapes, types or sizes do not fit, a number has no name, a box cannot be one,
        or masks are to be compared and not given; names image, side and field.
    ParameterError
        If `iou_type`, `box_format` or `invalid_geometry` is something else.

    Examples
    --------
    >>> true = Objects(boxes=[[0, 0, 2, 1]], labels=[1])
    >>> seen = Objects(boxes=[[0, 0, 2, 2]], labels=[1], scores=[0.75])
    >>> from_arrays([true], [seen], names=["cat", "dog"]).predictions.shapes.boxes
    array([[0., 0., 2., 2.]])
    """
    check_policy(invalid_geometry)
    check_format(box_format)
    _check_iou_type(iou_type)
    _check_names(names)
    _check_objects(groundtruths, predictions)
    facts = _checked_facts(metadata)
    count = len(predictions)
    datums = Datums.numbers(count, facts) if uids is None else Datums(uids, facts)
    if len(datums) != count:
        raise SchemaError(f"uids: expected one for each of {count:,} images, got {len(datums):,}")
    vocabulary = Labels(label_key, names)
    known = None if sizes is None else _sizes(sizes, len(datums))
    rest = (datums, vocabulary, box_format, invalid_geometry)
    truths = Side("groundtruths", groundtruths, *rest)
    seen = Side("predictions", predictions, *rest)
    for side in (truths, seen):
        side.check(known)
    true, true_counts = truths.checked(known, truths.compares_masks(seen, iou_type))
    predicted, counts = seen.checked(known, seen.compares_masks(truths, iou_type))
    return batch_of_rows(
        datums,
        vocabulary.known.labels,
        true,
        predicted,
        known,
        vocabulary.ids,
        {**true_counts, **counts},
    )


def _check_objects(groundtruths: Any, predictions: Any) -> None:
    """Refuse sides that are no sequences of `Objects`, one for each image."""
    for name, side in (("groundtruths", groundtruths), ("predictions", predictions)):
        for position, one in enumerate(_listed(name, side)):
            if not isinstance(one, Objects):
                raise SchemaError(
                    f"{name}[{position}]: expected Objects, got {shown(one)}",
                    "Dicts are taken by from_torchvision." if isinstance(one, Mapping) else None,
                )
    if len(groundtruths) != len(predictions):
        raise SchemaError(
            f"predictions: expected one set of objects for each of {len(groundtruths):,} images, "
            f"got {len(predictions):,}"
        )


def _check_iou_type(value: object) -> None:
    known = get_args(IouType)
    if value is not None and value not in known:
        raise ParameterError(
            f"iou_type: expected one of {', '.join(known)}, got {shown(value)}",
            did_you_mean(value, known) if isinstance(value, str) else None,
        )


def _check_names(names: Any) -> None:
    """Refuse names that are neither by number nor in a list, or are not distinct."""
    is_listed = isinstance(names, (Mapping, Sequence)) and not isinstance(names, (str, bytes))
    if names is not None and not is_listed and np.ndim(names) != 1:
        raise SchemaError(
            f"names: expected a list of names, or a dict of them by number, got {shown(names)}",
            "Write the name of each number: names=['cat', 'dog'], or names={17: 'cat', 18: 'dog'}.",
        )
    listed = [] if names is None else list(names.values() if isinstance(names, Mapping) else names)
    twice = [str(one) for one in listed if isinstance(one, str) and listed.count(one) > 1]
    if twice:
        raise SchemaError(
            f"names: expected every name once, got {twice[0]!r} twice",
            "Give each number a name of its own, and join classes with label_map.",
        )


def _checked_facts(metadata: Any) -> Mapping[str, Any]:
    """Facts by name, each a list; how long they are is for `Datums` to see to."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise SchemaError(
            f"metadata: expected a dict of lists by name, got {shown(metadata)}",
            "Write the values of each fact in a list: metadata={'weather': ['rain', 'sun']}.",
        )
    for name, values in metadata.items():
        is_list = isinstance(values, Sequence) and not isinstance(values, (str, bytes))
        if not is_list and not getattr(values, "shape", ()):
            raise SchemaError(
                f"metadata[{name!r}]: expected a list with one value per image, got {shown(values)}"
            )
    return metadata


def _listed(name: str, side: Any) -> Sequence[Any]:
    if not isinstance(side, Sequence) or isinstance(side, str):
        raise SchemaError(f"{name}: expected a list with one entry per image, got {shown(side)}")
    return side


def _sizes(sizes: Any, count: int) -> Codes:
    """Heights and widths, whole and above 0."""
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
    """A batch of `supervision.Detections`, one for each image and side.

    Parameters
    ----------
    groundtruths, predictions : sequence of supervision.Detections
        With `xyxy`, and `class_id` or ``data["class_name"]``; predictions with `confidence`.
        Masks are taken where they are.
    **options
        As for `from_arrays`. `iou_type` says whether boxes or masks are compared: masks where both
        sides have them, unless given.

    Raises
    ------
    SchemaError
        As `from_arrays` does, or if some have names of classes and others only numbers, and no
        `names` are given.
    """
    true, predicted = (
        [_of_supervision(one, f"{name}[{i}]") for i, one in enumerate(_listed(name, side))]
        for name, side in (("groundtruths", groundtruths), ("predictions", predictions))
    )
    if options.get("names") is None:
        _check_all_named(true, predicted)
    return from_arrays(true, predicted, **options)


def _check_all_named(groundtruths: Sequence[Objects], predictions: Sequence[Objects]) -> None:
    """Refuse names of classes beside numbers, since 'dog' and 1 would never match."""
    places: dict[bool, str] = {}
    for side, objects in (("groundtruths", groundtruths), ("predictions", predictions)):
        for position, one in enumerate(objects):
            if one.labels.size:
                is_named = isinstance(one.labels.flat[0], str)
                places.setdefault(is_named, f"{side}[{position}]")
    if len(places) == 2:
        raise SchemaError(
            f"{places[False]}: expected data['class_name'] as {places[True]} has it, "
            "got class_id alone",
            "Name the classes in the order of their numbers: names=['cat', 'dog', …].",
        )


def _of_supervision(found: Any, place: str) -> Objects:
    if not hasattr(found, "xyxy"):
        raise SchemaError(f"{place}: expected supervision.Detections, got {shown(found)}")
    data = getattr(found, "data", None)
    names = as_array(data.get("class_name")) if isinstance(data, Mapping) else None
    labels = getattr(found, "class_id", None) if names is None or not names.size else names
    boxes = as_array(found.xyxy)
    if labels is None and boxes is not None and boxes.size:
        raise SchemaError(f"{place}: expected class_id or data['class_name'], got neither")
    return Objects(
        boxes=boxes,
        labels=np.empty(0, np.int64) if labels is None else labels,
        scores=getattr(found, "confidence", None),
        masks=getattr(found, "mask", None),
    )


def from_torchvision(
    groundtruths: Sequence[Mapping[str, Any]],
    predictions: Sequence[Mapping[str, Any]],
    **options: Any,
) -> DetectionBatch:
    """A batch of dicts as torchvision's detectors take and give them, one for each image and side.

    Parameters
    ----------
    groundtruths, predictions : sequence of mapping
        With ``boxes`` (or ``masks``) and ``labels``; predictions with ``scores``. Of the ground
        truths, ``iscrowd``, ``area`` and ``image_id`` are taken where they are. In masks of
        floats, what is above 0.5 is inside.
    **options
        As for `from_arrays`. `iou_type` says whether ``boxes`` or ``masks`` are compared: masks
        where both sides have them, unless given. torchmetrics compares boxes unless told otherwise.

    Raises
    ------
    SchemaError
        As `from_arrays` does, or if there is no dict with labels, or an image has several ids.

    Examples
    --------
    >>> true = {"boxes": [[0, 0, 2, 1]], "labels": [1], "image_id": 7}
    >>> seen = {"boxes": [[0, 0, 2, 1]], "labels": [1], "scores": [0.5]}
    >>> from_torchvision([true], [seen]).datums.uids
    array([7])
    """
    true, predicted = (
        [_of_dict(one, f"{name}[{i}]") for i, one in enumerate(_listed(name, side))]
        for name, side in (("groundtruths", groundtruths), ("predictions", predictions))
    )
    ids = [one.get("image_id") for one in groundtruths]
    if ids and "uids" not in options and all(number is not None for number in ids):
        options["uids"] = [_image_id(number, i) for i, number in enumerate(ids)]
    return from_arrays(true, predicted, **options)


def _image_id(value: Any, position: int) -> Any:
    """The one value of a number, a string or a tensor."""
    array = as_array(value)
    if array.size != 1:
        raise SchemaError(
            f"groundtruths[{position}], image_id: expected one value, got {shown(array)}"
        )
    return array.item()


def _of_dict(found: Any, place: str) -> Objects:
    if not isinstance(found, Mapping) or "labels" not in found:
        given = list(found) if isinstance(found, Mapping) else found
        raise SchemaError(f"{place}: expected a dict with boxes and labels, got {shown(given)}")
    return Objects(
        boxes=found.get("boxes"),
        labels=found["labels"],
        scores=found.get("scores"),
        masks=thresholded(as_array(found.get("masks"))),
        crowd=found.get("iscrowd"),
        areas=found.get("area"),
    )


def two_sides(groundtruths: Any, predictions: Any) -> DetectionBatch | None:
    """A batch of torchvision's dicts or `supervision.Detections`, of one image or of several.

    None for what is neither.
    """
    true, seen = (
        list(side) if isinstance(side, (list, tuple)) else [side]
        for side in (groundtruths, predictions)
    )
    both = [*true, *seen]
    if all(hasattr(one, "xyxy") for one in both):
        return from_supervision(true, seen)
    if all(isinstance(one, Mapping) and "labels" in one for one in both):
        return from_torchvision(true, seen)
    return None
