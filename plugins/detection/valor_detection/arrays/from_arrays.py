"""Batches of objects in memory: arrays, `supervision.Detections`, dicts of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from valor_core.errors import ParameterError, SchemaError, and_more, did_you_mean, shown
from valor_core.schemas import DEFAULT_KEY, Codes, Datums
from valor_core.schemas.detection import DetectionBatch
from valor_detection.arrays.columns import as_array, column
from valor_detection.arrays.detector_outputs import names_of, objects_of, of_dict, of_supervision
from valor_detection.arrays.objects import BoxFormat, batch_of_rows, check_format
from valor_detection.arrays.sides import IouType, Labels, Names, Objects, Side
from valor_detection.geometry.validity import Policy, check_policy

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
    _check_order(groundtruths, predictions)
    for side in (truths, seen):
        side.check(known)
    true_masks, masks = (
        truths.compares_masks(seen, iou_type),
        seen.compares_masks(truths, iou_type),
    )
    with_corners = not (true_masks or masks) and _compares_corners(truths, seen)
    true, true_counts = truths.checked(known, true_masks, with_corners)
    predicted, counts = seen.checked(known, masks, with_corners)
    return batch_of_rows(
        datums,
        vocabulary.known.labels,
        true,
        predicted,
        known,
        vocabulary.ids,
        {**true_counts, **counts},
    )


def _compares_corners(truths: Side, seen: Side) -> bool:
    """Whether all objects have corners. Raise a `SchemaError` if only some of them do."""
    there = truths.first_with_corners(True) or seen.first_with_corners(True)
    lacking = truths.first_with_corners(False) or seen.first_with_corners(False)
    if there is None:
        return False
    if lacking is not None:
        raise SchemaError(
            f"{lacking}: expected the corners of oriented boxes (xyxyxyxy) as {there} has them, "
            "got upright boxes",
            "Give the corners of all objects: Objects(corners=…), or "
            "Detections.data['xyxyxyxy'] in supervision. To compare upright boxes, give corners "
            "on neither side.",
        )
    return True


def _check_objects(groundtruths: Any, predictions: Any) -> None:
    """Refuse sides that are no sequences of `Objects`, one for each image."""
    for name, side in (("groundtruths", groundtruths), ("predictions", predictions)):
        for position, one in enumerate(_listed(name, side)):
            if not isinstance(one, Objects):
                raise SchemaError(
                    f"{name}[{position}]: expected Objects, got {shown(one)}",
                    "Dicts are read by from_torchvision, supervision.Detections by "
                    "from_supervision.",
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
        Masks are read if present, and the corners of oriented boxes in ``data["xyxyxyxy"]``: the
        turned boxes are compared, and must be given on both sides.
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
        [of_supervision(one, f"{name}[{i}]") for i, one in enumerate(_listed(name, side))]
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
        [of_dict(one, f"{name}[{i}]") for i, one in enumerate(_listed(name, side))]
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


def two_sides(groundtruths: Any, predictions: Any) -> DetectionBatch | None:
    """A batch of two sides in the formats of detectors, for one image or several.

    The sides may differ in format. None if an object has another format.
    """
    true, seen = (
        list(side) if isinstance(side, (list, tuple)) else [side]
        for side in (groundtruths, predictions)
    )
    if all(isinstance(one, Mapping) and "labels" in one for one in (*true, *seen)):
        return from_torchvision(true, seen)
    objects: list[list[Objects]] = []
    for name, side in (("groundtruths", true), ("predictions", seen)):
        objects.append([])
        for position, one in enumerate(side):
            read = objects_of(one, f"{name}[{position}]")
            if read is None:
                return None
            objects[-1].append(read)
    names = _shared_names([*true, *seen])
    if names is None:
        _check_all_named(*objects)
    return from_arrays(*objects, names=names)


def _shared_names(found: Sequence[Any]) -> dict[int, str] | None:
    """Names of the classes of all `Results` of Ultralytics; None where there are none."""
    given = [names for names in map(names_of, found) if names is not None]
    joined = {number: name for names in given for number, name in names.items()}
    if any(names[number] != joined[number] for names in given for number in names):
        raise SchemaError(
            "data: expected Results of models with the same classes, got several names of a class",
            "Evaluate the Results of one model at a time.",
        )
    return joined or None
