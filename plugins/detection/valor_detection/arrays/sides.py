"""Arrays of all images on one side, validated and converted to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas import Codes, Datums, Floats, Label, Vocabulary
from valor_core.schemas.columns import (
    check_finite,
    check_not_masked,
    object_column,
    widen_as_printed,
)
from valor_core.schemas.detection import TrueObjects
from valor_core.schemas.geometry import Keypoints, Rings, RunLengths, Shapes
from valor_core.schemas.geometry.shapes import MASK, POLYGON, ends
from valor_core.schemas.label import label_value
from valor_detection.arrays.columns import as_array, boxes_around, check_masks, column, run_lengths
from valor_detection.arrays.objects import BoxFormat, Rows, checked_rows, upright
from valor_detection.geometry.validity import Policy

Names = Mapping[int, str] | Sequence[str] | None

IouType = Literal["bbox", "segm"]
"""Kind of shape to compare: boxes or masks, with COCO's names."""


_ROWS = ("boxes", "scores", "masks", "crowd", "areas", "corners", "keypoints")

_MOST = 1 << 63  # above the range of int64


def _label_array(labels: Any) -> Any:
    """Convert labels to an array; labels of mixed types keep their types."""
    if isinstance(labels, (list, tuple)) and len(set(map(type, labels))) > 1:
        return object_column(labels)
    return as_array(labels)


@frozen(eq=False, kw_only=True)
class Objects:
    """Objects of one image and side as arrays.

    Parameters
    ----------
    boxes : array of shape (n, 4), optional
        Boxes. Objects with masks are compared by boxes only if `iou_type` of `from_arrays` is
        ``bbox``.
    labels : array of shape (n,)
        Integers or strings.
    scores : array of shape (n,), optional
        Scores, for predictions.
    masks : array of shape (n, height, width), or list of Mask, optional
        Masks: true or nonzero integers are inside; floats must be 0 or 1. `Mask` objects hold run
        lengths and may differ in size.
    crowd : array of shape (n,), optional
        Crowd flags (true or false, 1 or 0), for ground truths.
    areas : array of shape (n,), optional
        Areas, for ground truths.
    corners : array of shape (n, 4, 2), optional
        Corners (x, y) of oriented boxes in the order of the outline. If both sides have corners,
        they are compared instead of `boxes`.
    keypoints : array of shape (n, k, 3) or (n, k, 2), optional
        x, y and visibility of the points of each object. Visibilities above 0, the default, are
        labelled points. Without boxes, those around the points are used: around the labelled ones
        of ground truths, and all of predictions.
    """

    labels: NDArray[Any] = field(converter=_label_array)
    boxes: NDArray[Any] | None = field(default=None, converter=as_array)
    scores: NDArray[Any] | None = field(default=None, converter=as_array)
    masks: NDArray[Any] | None = field(default=None, converter=as_array)
    crowd: NDArray[Any] | None = field(default=None, converter=as_array)
    areas: NDArray[Any] | None = field(default=None, converter=as_array)
    corners: NDArray[Any] | None = field(default=None, converter=as_array)
    keypoints: NDArray[Any] | None = field(default=None, converter=as_array)

    def __len__(self) -> int:
        return len(self.labels)


@frozen(eq=False)
class Labels:
    """Vocabulary of labels with their numbers in the data.

    Parameters
    ----------
    key : str
        Key of all labels.
    names : mapping of int to str, or sequence of str, optional
        Names of numeric labels. By default their digits.
    """

    key: str
    names: Names
    vocabulary: Vocabulary = field(factory=Vocabulary, init=False)
    numbers: dict[int, int] = field(factory=dict, init=False)
    _codes: dict[Any, int] = field(factory=dict, init=False, repr=False)

    def codes(self, labels: NDArray[Any], where: str) -> Codes:
        """Return codes of a column of numbers or strings; `where` is its location in messages."""
        if labels.dtype == object:
            return np.array([self._code(value, where) for value in labels.tolist()], np.int64)
        return self.codes_of_images(labels, np.zeros(len(labels), np.int64), lambda image: where)

    def codes_of_images(
        self, labels: NDArray[Any], images: Codes, where: Callable[[int], str]
    ) -> Codes:
        """Return codes of labels of all images, equal to those of `codes` image by image."""
        distinct, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
        codes = np.empty(len(distinct), np.int64)
        order = np.lexsort((np.arange(len(distinct)), images[first]))
        values, owners = distinct[order].tolist(), images[first[order]].tolist()
        for number, value, image in zip(order.tolist(), values, owners, strict=True):
            codes[number] = self._code(value, where(image))
        return codes[inverse]

    def _code(self, value: Any, where: str) -> int:
        """Return the code of a label; cached, since images repeat labels."""
        if type(value) not in (int, str):  # True equals 1 as a key
            return self._new_code(value, where)
        code = self._codes.get(value)
        if code is None:
            code = self._codes[value] = self._new_code(value, where)
        return code

    def _new_code(self, value: Any, where: str) -> int:
        if isinstance(value, str):
            return self.vocabulary.code(Label(self.key, value))
        digits = label_value(value)
        number = _MOST if digits is None else int(digits)
        if not -_MOST <= number < _MOST:
            raise SchemaError(
                f"{where}, labels: expected whole numbers or strings, got {short_repr(value)}"
            )
        code = self.vocabulary.code(Label(self.key, self._name(number, where)))
        self.numbers.setdefault(code, number)
        return code

    def _name(self, number: int, where: str) -> str:
        if self.names is None:
            return str(number)
        numbers = self.names if isinstance(self.names, Mapping) else range(len(self.names))
        if number not in numbers:
            raise SchemaError(
                f"{where}, labels: expected a number that has a name, got {number}",
                f"Add a name for {number}; {len(numbers)} numbers have one.",
            )
        name: Any = self.names[number]
        if not isinstance(name, str) or not name:
            raise SchemaError(f"names[{number}]: expected a name, got {short_repr(name)}")
        return name

    @property
    def ids(self) -> Codes | None:
        """Numbers of all labels, if all have one."""
        if len(self.numbers) < len(self.vocabulary):
            return None
        return np.array([self.numbers[code] for code in range(len(self.vocabulary))], np.int64)


@frozen(eq=False)
class Side:
    """Objects of all images on one side.

    Parameters
    ----------
    name : str
        ``groundtruths`` or ``predictions``.
    objects : sequence of Objects
        The objects of each image.
    datums : Datums
        The images.
    labels : Labels
        The labels of both sides.
    box_format : {"xyxy", "xywh", "cxcywh"}
        Format of the boxes.
    policy : {"error", "repair", "skip", "accept"}
        Policy for invalid boxes and masks.
    """

    name: str
    objects: Sequence[Objects]
    datums: Datums
    labels: Labels
    box_format: BoxFormat
    policy: Policy

    @cached_property
    def counts(self) -> list[int]:
        """Number of objects of each image."""
        return [len(one.labels) for one in self.objects]

    def check(self, sizes: Codes | None) -> None:
        """Reject arrays of different lengths and invalid masks."""
        has_scores = self.name == "predictions"
        for position, one in enumerate(self.objects):
            if _is_regular(one, has_scores):
                continue
            self._check_lengths(position)
            if one.masks is not None and len(one):
                size = None if sizes is None else sizes[position].tolist()
                check_masks(one.masks, f"{self._where(position)}, masks", size)

    def compares_masks(self, other: Side, iou_type: IouType | None) -> bool:
        """Return whether masks of this side are compared instead of boxes."""
        if iou_type is not None:
            return iou_type == "segm"
        has_masks = any(self._given("masks"))
        return has_masks and (not other.lacks("masks") or self.lacks("boxes"))

    def lacks(self, name: str) -> bool:
        """Return whether a field is missing for an image with objects."""
        return any(getattr(one, name) is None for one in self.objects if len(one))

    def first_with_corners(self, present: bool) -> str | None:
        """Return the location of the first image with corners, or without."""
        for position, one in enumerate(self.objects):
            if len(one) and (one.corners is not None) == present:
                return self._where(position)
        return None

    def checked(
        self, sizes: Codes | None, with_masks: bool, with_corners: bool = False
    ) -> tuple[Rows, dict[str, int]]:
        """Return the rows accepted by the policy, and counts of excluded or repaired rows."""
        rows = self.rows(with_masks, with_corners)
        starts = ends(self.counts)

        def where(row: int) -> str:
            image = int(rows.images[row])
            return self._row_where(image)(row - int(starts[image]))

        return checked_rows(rows, sizes, self.policy, self.name, where)

    def rows(self, with_masks: bool, with_corners: bool = False) -> Rows:
        """Convert the objects to rows."""
        images = np.repeat(np.arange(len(self.counts)), self.counts)
        is_true = self.name == "groundtruths"
        shapes, labels = self._shapes(with_masks, with_corners), self._codes(images)
        scores = None if is_true else self._column("scores", np.floating)
        crowd, areas = self._column("crowd", np.bool_), self._column("areas")
        return Rows(
            images=images,
            labels=labels,
            shapes=shapes,
            scores=scores,
            crowd=crowd,
            areas=areas if is_true else None,
            keypoints=self._keypoints(),
        )

    def _shapes(self, with_masks: bool, with_corners: bool) -> Shapes:
        boxes = self._boxes_at_once()
        given = self._boxes() if boxes is None else {}  # validated even if not compared
        masks = self._masks() if with_masks else None
        if masks is not None:
            return Shapes(boxes_around(masks), np.full(len(masks), MASK), masks=masks)
        points = self._corners() if with_corners else None
        if points is not None:
            boxes = np.concatenate([points.min(axis=1), np.ptp(points, axis=1)], axis=1)
            return Shapes(boxes, np.full(len(points), POLYGON), _quadrilaterals(points))
        return Shapes(self._all_boxes(given) if boxes is None else boxes)

    def _where(self, position: int) -> str:
        return f"{self.datums.name(position)}, {self.name}"

    def _given(self, name: str) -> Iterator[tuple[int, NDArray[Any], str]]:
        """Yield position, values and location of a field of each image with objects."""
        for position, one in enumerate(self.objects):
            values = getattr(one, name)
            if values is not None and len(one):
                yield position, values, f"{self._where(position)}, {name}"

    def _check_lengths(self, position: int) -> None:
        one, where = self.objects[position], self._where(position)
        for name in ("labels", *_ROWS):
            values = getattr(one, name)
            if isinstance(values, np.ma.MaskedArray):
                check_not_masked(values, f"{where}, {name}", "Exclude these objects.")
        if np.ndim(one.labels) != 1:
            raise SchemaError(f"{where}, labels: expected shape (n,), got {short_repr(one.labels)}")
        for name in _ROWS:
            values = getattr(one, name)
            if values is not None and values.shape[:1] != (len(one),):
                found = f"{len(values):,}" if values.ndim else short_repr(values.item())
                raise SchemaError(
                    f"{where}, {name}: expected {len(one):,} rows, one per label, got {found}"
                )
        given = (one.boxes, one.masks, one.corners, one.keypoints)
        if all(values is None for values in given) and len(one):
            raise SchemaError(f"{where}: expected boxes, masks or keypoints, got none")
        if self.name == "predictions" and one.scores is None and len(one):
            raise SchemaError(f"{where}: expected scores, got none")

    def _joined(self, name: str, row: tuple[int, ...] = ()) -> NDArray[Any] | None:
        """Concatenate a field of all images; None if types or shapes differ."""
        every = [getattr(one, name) for one in self.objects]
        arrays = [array for array, count in zip(every, self.counts, strict=True) if count]
        if not arrays or any(type(array) is not np.ndarray for array in arrays):
            return None
        if len({array.dtype for array in arrays}) > 1:
            return None
        if {array.shape[1:] for array in arrays} != {row}:
            return None
        return np.concatenate(arrays)

    def _codes(self, images: Codes) -> Codes:
        labels = self._joined("labels")
        if labels is not None and labels.dtype.kind in "iu":
            return self.labels.codes_of_images(labels, images, self._where)
        found = [
            self.labels.codes(one.labels, self._where(i)) if len(one) else np.empty(0, np.int64)
            for i, one in enumerate(self.objects)
        ]
        return np.concatenate([np.empty(0, np.int64), *found])

    def _boxes_at_once(self) -> Floats | None:
        """Return valid boxes of all images at once; None lets `_boxes` find the error."""
        boxes = self._joined("boxes", (4,))
        if boxes is None or boxes.dtype.kind not in "fiu":
            return None
        try:
            return upright(boxes, self.box_format, str, self.policy)
        except SchemaError:
            return None

    def _boxes(self) -> dict[int, Floats]:
        """Return the given boxes by image."""
        found = {}
        for i, boxes, where in self._given("boxes"):
            if boxes.ndim == 2 and boxes.shape[1] in (5, 8):
                raise SchemaError(
                    f"{where}: expected numbers of shape (n, 4), got {short_repr(boxes)}",
                    "Give oriented boxes by their corners: Objects(corners=…), of shape (n, 4, 2).",
                )
            column_of_boxes = column(boxes, np.float64, where, width=4)
            found[i] = upright(column_of_boxes, self.box_format, self._row_where(i), self.policy)
        return found

    def _all_boxes(self, given: Mapping[int, Floats]) -> Floats:
        """Return boxes of all images; bounding boxes of masks replace missing boxes."""
        found = []
        for i, one in enumerate(self.objects):
            if i in given:
                found.append(given[i])
            elif len(one) and one.masks is not None:
                found.append(boxes_around(run_lengths([one.masks])))
            elif len(one) and one.keypoints is not None:
                points = _points(one.keypoints, f"{self._where(i)}, keypoints")
                found.append(_boxes_around_points(points, self.name == TrueObjects.side))
        return np.concatenate([np.empty((0, 4)), *found])

    def _keypoints(self) -> Keypoints | None:
        """Return the keypoints of all objects; None if no image has any."""
        given = {position: (values, where) for position, values, where in self._given("keypoints")}
        if not given:
            return None
        points: list[Floats] = []
        counts: list[int] = []
        for position, count in enumerate(self.counts):
            if count and position not in given:
                raise SchemaError(
                    f"{self._where(position)}: expected keypoints as for other images, got none"
                )
            if count:
                points.append(_points(*given[position]))
                counts += [points[-1].shape[1]] * count
        return Keypoints(np.concatenate([each.reshape(-1, 3) for each in points]), ends(counts))

    def _corners(self) -> Floats | None:
        """Return corners of all objects, shape (n, 4, 2); None without objects."""
        found = []
        for _, corners, where in self._given("corners"):
            flat = corners
            if flat.ndim == 3 and flat.shape[1:] == (4, 2):
                flat = flat.reshape(len(flat), 8)
            if flat.ndim != 2 or flat.shape[1] != 8:
                raise SchemaError(
                    f"{where}: expected numbers of shape (n, 4, 2), got {short_repr(corners)}"
                )
            found.append(column(flat, np.float64, where, width=8))
            check_finite(found[-1], where)
        return np.concatenate(found).reshape(-1, 4, 2) if found else None

    def _row_where(self, position: int) -> Callable[[int], str]:
        return lambda row: f"{self._where(position)}[{row}]"

    def _column(self, name: str, dtype: Any = np.float64) -> Any:
        """Return a column of all images; None if no image has it."""
        given = [getattr(one, name) for one in self.objects]
        if name != "scores" and all(values is None for values in given):
            return None
        joined = None if dtype is np.bool_ else self._joined(name)
        if joined is not None and joined.dtype in (np.float32, np.float64):
            found: NDArray[Any] = column(joined, dtype, name)
            if np.isfinite(found).all():
                return found
        for i, values in enumerate(given):
            if values is None and len(self.objects[i]):
                raise SchemaError(
                    f"{self._where(i)}: expected {name} as for other images, got none"
                )
        filled = []
        for _, values, where in self._given(name):
            filled.append(column(values, dtype, where))
            if dtype is not np.bool_:
                check_finite(filled[-1], where)
        if len({values.dtype for values in filled}) > 1:
            filled = [widen_as_printed(values) for values in filled]
        return np.concatenate(filled) if filled else column([], dtype, name)

    def _masks(self) -> RunLengths | None:
        """Return the masks of all images, or None without objects."""
        for i, one in enumerate(self.objects):
            if len(one) and one.masks is None:
                raise SchemaError(
                    f"{self._where(i)}: expected masks, got only boxes",
                    "Give masks of all objects, or compare boxes: iou_type='bbox'.",
                )
        found = [masks for _, masks, _ in self._given("masks")]
        return run_lengths(found) if found else None


def _points(values: NDArray[Any], where: str) -> Floats:
    """Return points of one image, shape (n, k, 3)."""
    if values.ndim != 3 or values.shape[2] not in (2, 3) or values.dtype.kind not in "fiub":
        raise SchemaError(
            f"{where}: expected numbers of shape (n, k, 3) or (n, k, 2), got {short_repr(values)}",
            "Reshape COCO's flat lists: np.reshape(keypoints, (len(keypoints), -1, 3)).",
        )
    check_finite(values.astype(np.float64), where)
    points = np.full((*values.shape[:2], 3), 2.0)
    points[:, :, : values.shape[2]] = values
    return points


def _boxes_around_points(points: Floats, only_labeled: bool) -> Floats:
    """Return boxes around all points, or around labelled points for objects that have any."""
    is_labeled = (points[:, :, 2] > 0) | (not only_labeled)
    is_labeled |= ~is_labeled.any(axis=1, keepdims=True)
    low, high = (
        getattr(np, name)(np.where(is_labeled[:, :, None], points[:, :, :2], far), axis=1)
        for name, far in (("min", np.inf), ("max", -np.inf))
    )
    return np.concatenate([low, high - low], axis=1)


def _is_regular(one: Objects, has_scores: bool) -> bool:
    """Return whether labels, boxes and scores of an image are arrays of equal length."""
    labels, boxes, scores = one.labels, one.boxes, one.scores
    if type(labels) is not np.ndarray or type(boxes) is not np.ndarray or labels.ndim != 1:
        return False
    if any(values is not None for values in (one.masks, one.crowd, one.areas, one.keypoints)):
        return False
    count = len(labels)
    if scores is None:
        return not has_scores and one.corners is None and boxes.shape == (count, 4)
    return (
        type(scores) is np.ndarray
        and one.corners is None
        and boxes.shape == (count, 4)
        and scores.shape == (count,)
    )


def _quadrilaterals(points: Floats) -> Rings:
    """Return the polygons of four corners each."""
    each = np.arange(len(points) + 1)
    return Rings(points.reshape(-1, 2), each * 4, each, each)
