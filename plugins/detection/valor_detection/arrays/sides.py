"""Sides: the arrays of all images on one side, checked and put into rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas import (
    Codes,
    Datums,
    Floats,
    Label,
    Vocabulary,
    check_finite,
    check_not_masked,
    label_value,
    objects,
    widen_as_printed,
)
from valor_core.schemas.geometry import Rings, RunLengths, ends
from valor_detection.arrays.columns import as_array, boxes_around, check_masks, column, run_lengths
from valor_detection.arrays.objects import BoxFormat, Rows, checked_rows, upright
from valor_detection.geometry.validity import Policy

Names = Mapping[int, str] | Sequence[str] | None

IouType = Literal["bbox", "segm"]
"""What is compared, under COCO's names: boxes or masks."""

_ROWS = ("boxes", "scores", "masks", "crowd", "areas", "corners")

_MOST = 1 << 63  # what a number of 64 bits does not reach


def _label_array(labels: Any) -> Any:
    """Labels as an array; of a list with several types, each label keeps its own."""
    if isinstance(labels, (list, tuple)) and len(set(map(type, labels))) > 1:
        return objects(labels)
    return as_array(labels)


@frozen(eq=False, kw_only=True)
class Objects:
    """The objects of one image and side, as arrays.

    Parameters
    ----------
    boxes : array of shape (n, 4), optional
        Boxes. Beside masks they are checked, and compared if `iou_type` of `from_arrays` says so.
    labels : array of shape (n,)
        Whole numbers or strings.
    scores : array of shape (n,), optional
        Scores; of predictions.
    masks : array of shape (n, height, width), optional
        Masks: what is true, or a whole number that is not 0, is inside; floats are 0 or 1.
    crowd : array of shape (n,), optional
        Which of them are crowds: true or false, 1 or 0; of true objects.
    areas : array of shape (n,), optional
        Areas; of true objects.
    corners : array of shape (n, 4, 2), optional
        Corners of oriented boxes, x before y, in the order along the outline. Where both sides
        have them, they are compared instead of `boxes`.
    """

    labels: NDArray[Any] = field(converter=_label_array)
    boxes: NDArray[Any] | None = field(default=None, converter=as_array)
    scores: NDArray[Any] | None = field(default=None, converter=as_array)
    masks: NDArray[Any] | None = field(default=None, converter=as_array)
    crowd: NDArray[Any] | None = field(default=None, converter=as_array)
    areas: NDArray[Any] | None = field(default=None, converter=as_array)
    corners: NDArray[Any] | None = field(default=None, converter=as_array)

    def __len__(self) -> int:
        return len(self.labels)


@frozen(eq=False)
class Labels:
    """Labels as they come, with the numbers that the data give them.

    Parameters
    ----------
    key : str
        Key of all labels.
    names : mapping of int to str, or sequence of str, optional
        Names of labels that are numbers; their digits unless given.
    """

    key: str
    names: Names
    known: Vocabulary = field(factory=Vocabulary, init=False)
    numbers: dict[int, int] = field(factory=dict, init=False)
    _codes: dict[Any, int] = field(factory=dict, init=False, repr=False)

    def codes(self, labels: NDArray[Any], place: str) -> Codes:
        """Codes of a column of numbers or strings; messages call it by its place."""
        if labels.dtype == object:
            return np.array([self._code(value, place) for value in labels.tolist()], np.int64)
        distinct, inverse = np.unique(labels, return_inverse=True)
        codes = [self._code(value, place) for value in distinct.tolist()]
        return np.array(codes, np.int64)[inverse]

    def codes_of_images(
        self, labels: NDArray[Any], images: Codes, place: Callable[[int], str]
    ) -> Codes:
        """Codes of numbers or strings of all images, given as `codes` gives them image by image."""
        distinct, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
        codes = np.empty(len(distinct), np.int64)
        order = np.lexsort((np.arange(len(distinct)), images[first]))
        values, owners = distinct[order].tolist(), images[first[order]].tolist()
        for number, value, image in zip(order.tolist(), values, owners, strict=True):
            codes[number] = self._code(value, place(image))
        return codes[inverse]

    def _code(self, value: Any, place: str) -> int:
        """Code of one label; the same few stand in image after image."""
        if type(value) not in (int, str):  # True would be found as 1
            return self._new_code(value, place)
        code = self._codes.get(value)
        if code is None:
            code = self._codes[value] = self._new_code(value, place)
        return code

    def _new_code(self, value: Any, place: str) -> int:
        if isinstance(value, str):
            return self.known.code(Label(self.key, value))
        digits = label_value(value)
        number = _MOST if digits is None else int(digits)
        if not -_MOST <= number < _MOST:
            raise SchemaError(
                f"{place}, labels: expected whole numbers or strings, got {shown(value)}"
            )
        code = self.known.code(Label(self.key, self._name(number, place)))
        self.numbers.setdefault(code, number)
        return code

    def _name(self, number: int, place: str) -> str:
        if self.names is None:
            return str(number)
        known = self.names if isinstance(self.names, Mapping) else range(len(self.names))
        if number not in known:
            raise SchemaError(
                f"{place}, labels: expected a number that has a name, got {number}",
                f"Add a name for {number}; {len(known)} numbers have one.",
            )
        name: Any = self.names[number]
        if not isinstance(name, str) or not name:
            raise SchemaError(f"names[{number}]: expected a name, got {shown(name)}")
        return name

    @property
    def ids(self) -> Codes | None:
        """Numbers of all labels, if all have one."""
        if len(self.numbers) < len(self.known):
            return None
        return np.array([self.numbers[code] for code in range(len(self.known))], np.int64)


@frozen(eq=False)
class Side:
    """Objects of all images, on one side.

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
        How boxes are written.
    policy : {"error", "repair", "skip", "accept"}
        What becomes of boxes and masks that cannot be right.
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
        """Refuse arrays whose lengths differ, and masks that are none."""
        has_scores = self.name == "predictions"
        for position, one in enumerate(self.objects):
            if _is_plain(one, has_scores):
                continue
            self._check_lengths(position)
            if one.masks is not None and len(one):
                size = None if sizes is None else sizes[position].tolist()
                check_masks(one.masks, f"{self._place(position)}, masks", size)

    def compares_masks(self, other: Side, iou_type: IouType | None) -> bool:
        """Whether the masks of this side take part, and not its boxes."""
        if iou_type is not None:
            return iou_type == "segm"
        has_masks = any(one.masks is not None for one in self.objects if len(one))
        return has_masks and (not other.lacks("masks") or self.lacks("boxes"))

    def lacks(self, name: str) -> bool:
        """Whether some object has none of a field."""
        return any(getattr(one, name) is None for one in self.objects if len(one))

    def first_with_corners(self, are_there: bool) -> str | None:
        """The place of the first image whose objects have corners, or have none."""
        for position, one in enumerate(self.objects):
            if len(one) and (one.corners is not None) == are_there:
                return self._place(position)
        return None

    def checked(
        self, sizes: Codes | None, with_masks: bool, with_corners: bool = False
    ) -> tuple[Rows, dict[str, int]]:
        """The rows that the policy lets through, and what it left out or repaired."""
        rows = self.rows(with_masks, with_corners)
        starts = ends(self.counts)

        def place(row: int) -> str:
            image = int(rows.images[row])
            return self._row_place(image)(row - int(starts[image]))

        return checked_rows(rows, sizes, self.policy, self.name, place)

    def rows(self, with_masks: bool, with_corners: bool = False) -> Rows:
        """The objects as rows."""
        images = np.repeat(np.arange(len(self.counts)), self.counts)
        boxes = self._boxes_at_once()
        given = self._boxes() if boxes is None else {}  # which are checked in any case
        masks = self._masks() if with_masks else None
        points = self._corners() if with_corners else None
        if points is not None:
            boxes = np.concatenate([points.min(axis=1), np.ptp(points, axis=1)], axis=1)
        elif masks is not None:
            boxes = boxes_around(masks)
        elif boxes is None:
            boxes = self._all_boxes(given)
        return Rows(
            images=images,
            labels=self._codes(images),
            boxes=boxes,
            scores=self._column("scores", np.floating) if self.name == "predictions" else None,
            crowd=self._column("crowd", np.bool_),
            areas=self._column("areas"),
            masks=masks,
            rings=None if points is None else _quadrilaterals(points),
        )

    def _place(self, position: int) -> str:
        return f"{self.datums.name(position)}, {self.name}"

    def _check_lengths(self, position: int) -> None:
        one, place = self.objects[position], self._place(position)
        for name in ("labels", *_ROWS):
            values = getattr(one, name)
            if isinstance(values, np.ma.MaskedArray):
                check_not_masked(values, f"{place}, {name}", "Leave out these objects.")
        if np.ndim(one.labels) != 1:
            raise SchemaError(f"{place}, labels: expected shape (n,), got {shown(one.labels)}")
        for name in _ROWS:
            values = getattr(one, name)
            if values is not None and values.shape[:1] != (len(one),):
                found = f"{len(values):,}" if values.ndim else shown(values.item())
                raise SchemaError(
                    f"{place}, {name}: expected {len(one):,} rows as there are labels, got {found}"
                )
        if all(values is None for values in (one.boxes, one.masks, one.corners)) and len(one):
            raise SchemaError(f"{place}: expected boxes or masks, got neither")
        if self.name == "predictions" and one.scores is None and len(one):
            raise SchemaError(f"{place}: expected scores, got none")

    def _joined(self, name: str, row: tuple[int, ...] = ()) -> NDArray[Any] | None:
        """A field of all images as one array; None unless all are arrays of one type and shape."""
        every = [getattr(one, name) for one in self.objects]
        known = [own for own, count in zip(every, self.counts, strict=True) if count]
        if not known or any(type(own) is not np.ndarray for own in known):
            return None
        if len({own.dtype for own in known}) > 1 or {own.shape[1:] for own in known} != {row}:
            return None
        return np.concatenate(known)

    def _codes(self, images: Codes) -> Codes:
        labels = self._joined("labels")
        if labels is not None and labels.dtype.kind in "iu":
            return self.labels.codes_of_images(labels, images, self._place)
        found = [
            self.labels.codes(one.labels, self._place(i)) if len(one) else np.empty(0, np.int64)
            for i, one in enumerate(self.objects)
        ]
        return np.concatenate([np.empty(0, np.int64), *found])

    def _boxes_at_once(self) -> Floats | None:
        """Boxes of all images, if all are given and right; None for `_boxes` to say what is not."""
        boxes = self._joined("boxes", (4,))
        if boxes is None or boxes.dtype.kind not in "fiu":
            return None
        try:
            return upright(boxes, self.box_format, str, self.policy)
        except SchemaError:
            return None

    def _boxes(self) -> dict[int, Floats]:
        """The boxes that are given, by image."""
        found = {}
        for i, one in enumerate(self.objects):
            if len(one) and one.boxes is not None:
                place = f"{self._place(i)}, boxes"
                if one.boxes.ndim == 2 and one.boxes.shape[1] in (5, 8):
                    raise SchemaError(
                        f"{place}: expected numbers of shape (n, 4), got {shown(one.boxes)}",
                        "Give oriented boxes by their corners: Objects(corners=…), of shape "
                        "(n, 4, 2).",
                    )
                own = column(one.boxes, np.float64, place, width=4)
                found[i] = upright(own, self.box_format, self._row_place(i), self.policy)
        return found

    def _all_boxes(self, given: Mapping[int, Floats]) -> Floats:
        """The boxes of all images; those around the masks where none are given."""
        found = []
        for i, one in enumerate(self.objects):
            if i in given:
                found.append(given[i])
            elif len(one) and one.masks is not None:
                found.append(boxes_around(run_lengths([one.masks])))
        return np.concatenate([np.empty((0, 4)), *found])

    def _corners(self) -> Floats | None:
        """Corners of all objects, shape (n, 4, 2); None where there is no object."""
        found = []
        for i, one in enumerate(self.objects):
            if len(one) and one.corners is not None:
                place = f"{self._place(i)}, corners"
                flat = one.corners
                if flat.ndim == 3 and flat.shape[1:] == (4, 2):
                    flat = flat.reshape(len(flat), 8)
                if flat.ndim != 2 or flat.shape[1] != 8:
                    raise SchemaError(
                        f"{place}: expected numbers of shape (n, 4, 2), got {shown(one.corners)}"
                    )
                found.append(column(flat, np.float64, place, width=8))
                check_finite(found[-1], place)
        return np.concatenate(found).reshape(-1, 4, 2) if found else None

    def _row_place(self, position: int) -> Callable[[int], str]:
        return lambda row: f"{self._place(position)}[{row}]"

    def _column(self, name: str, dtype: Any = np.float64) -> Any:
        """A column of all images, if any has it."""
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
                    f"{self._place(i)}: expected {name} as other images have, got none"
                )
        filled = []
        for i, values in enumerate(given):
            if values is not None and len(values):
                place = f"{self._place(i)}, {name}"
                filled.append(column(values, dtype, place))
                if dtype is not np.bool_:
                    check_finite(filled[-1], place)
        if len({own.dtype for own in filled}) > 1:
            filled = [widen_as_printed(own) for own in filled]
        return np.concatenate(filled) if filled else column([], dtype, name)

    def _masks(self) -> RunLengths | None:
        """Masks of all images, None where there is no object."""
        found = []
        for i, one in enumerate(self.objects):
            if len(one) and one.masks is None:
                raise SchemaError(
                    f"{self._place(i)}: expected masks, got boxes alone",
                    "Give masks of all objects, or compare boxes: iou_type='bbox'.",
                )
            if len(one) and one.masks is not None:
                found.append(one.masks)
        return run_lengths(found) if found else None


def _is_plain(one: Objects, has_scores: bool) -> bool:
    """Whether objects of an image are arrays of labels, boxes and scores whose lengths fit."""
    labels, boxes, scores = one.labels, one.boxes, one.scores
    if type(labels) is not np.ndarray or type(boxes) is not np.ndarray or labels.ndim != 1:
        return False
    if one.masks is not None or one.crowd is not None or one.areas is not None:
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
    """Polygons of four corners each."""
    each = np.arange(len(points) + 1)
    return Rings(points.reshape(-1, 2), each * 4, each, each)
