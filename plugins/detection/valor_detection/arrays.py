"""Batches of what programs have in memory: arrays, `supervision.Detections`, dicts of tensors.

None of these programs is needed: objects are taken for what their fields are called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, shown
from valor_core.schemas.arrays import Codes, Floats, check_finite
from valor_core.schemas.datum import Datums
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.label import DEFAULT_KEY, Label, Vocabulary
from valor_core.schemas.runs import encoded
from valor_core.schemas.shapes import RunLengths, ends
from valor_core.schemas.validity import Policy, check_policy
from valor_detection.columns import as_array, column
from valor_detection.kernels.masks import measured
from valor_detection.object_rows import (
    BoxFormat,
    Rows,
    batch_of_rows,
    check_format,
    checked_rows,
    upright,
)

Names = Mapping[int, str] | Sequence[str] | None

_MOST = 1 << 63  # what a number of 64 bits does not reach


@frozen(eq=False, kw_only=True)
class Objects:
    """The objects of one image and side, as arrays.

    Parameters
    ----------
    boxes : array of shape (n, 4), optional
        Boxes; taken from the masks if they are not given.
    labels : array of shape (n,)
        Whole numbers or strings.
    scores : array of shape (n,), optional
        Scores; of predictions.
    masks : array of shape (n, height, width), optional
        Masks: what is not 0 is inside.
    crowd : array of shape (n,), optional
        Which of them are crowds: true or false, 1 or 0; of true objects.
    areas : array of shape (n,), optional
        Areas; of true objects.
    """

    labels: NDArray[Any] = field(converter=as_array)
    boxes: NDArray[Any] | None = field(default=None, converter=as_array)
    scores: NDArray[Any] | None = field(default=None, converter=as_array)
    masks: NDArray[Any] | None = field(default=None, converter=as_array)
    crowd: NDArray[Any] | None = field(default=None, converter=as_array)
    areas: NDArray[Any] | None = field(default=None, converter=as_array)

    def __len__(self) -> int:
        return len(self.labels)


def from_arrays(
    groundtruths: Sequence[Objects],
    predictions: Sequence[Objects],
    *,
    uids: Sequence[Any] | None = None,
    sizes: Any = None,
    names: Names = None,
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
        If lengths, shapes, types or sizes do not fit, a number has no name, or a box cannot be
        one; names image, side and field.
    ParameterError
        If `box_format` or `invalid_geometry` is something else.

    Examples
    --------
    >>> true = Objects(boxes=[[0, 0, 2, 1]], labels=[1])
    >>> seen = Objects(boxes=[[0, 0, 2, 2]], labels=[1], scores=[0.75])
    >>> from_arrays([true], [seen], names=["cat", "dog"]).predictions.shapes.boxes
    array([[0., 0., 2., 2.]])
    """
    check_policy(invalid_geometry)
    check_format(box_format)
    _check_objects(groundtruths, predictions)
    facts = metadata or {}
    count = len(predictions)
    datums = Datums.numbers(count, facts) if uids is None else Datums(uids, facts)
    if len(datums) != count:
        raise SchemaError(f"uids: expected one for each of {count:,} images, got {len(datums):,}")
    vocabulary = _Labels(label_key, names)
    known = None if sizes is None else _sizes(sizes, len(datums))
    rest = (datums, vocabulary, box_format, invalid_geometry)
    true, true_counts = _Side("groundtruths", groundtruths, *rest).checked(known)
    predicted, counts = _Side("predictions", predictions, *rest).checked(known)
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
        As for `from_arrays`.
    """
    return from_arrays(
        *(
            [_of_supervision(one, f"{name}[{i}]") for i, one in enumerate(_listed(name, side))]
            for name, side in (("groundtruths", groundtruths), ("predictions", predictions))
        ),
        **options,
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
        truths, ``iscrowd``, ``area`` and ``image_id`` are taken where they are.
    **options
        As for `from_arrays`.

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
    masks = as_array(found.get("masks"))
    if (
        masks is not None and masks.ndim == 4 and masks.dtype.kind in "fiub"
    ):  # (n, 1, height, width), shares of pixels
        masks = masks[:, 0] > 0.5
    return Objects(
        boxes=found.get("boxes"),
        labels=found["labels"],
        scores=found.get("scores"),
        masks=masks,
        crowd=found.get("iscrowd"),
        areas=found.get("area"),
    )


@frozen(eq=False)
class _Labels:
    """Labels as they come, with the numbers that the data give them."""

    key: str
    names: Names
    known: Vocabulary = field(factory=Vocabulary)
    numbers: dict[int, int] = field(factory=dict)

    def codes(self, labels: NDArray[Any], place: str) -> Codes:
        if labels.dtype == object:
            return np.array([self._code(value, place) for value in labels.tolist()], np.int64)
        distinct, inverse = np.unique(labels, return_inverse=True)
        codes = [self._code(value, place) for value in distinct.tolist()]
        return np.array(codes, np.int64)[inverse]

    def _code(self, value: Any, place: str) -> int:
        if isinstance(value, str):
            return self.known.code(Label(self.key, value))
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not -_MOST <= value < _MOST:
            raise SchemaError(
                f"{place}, labels: expected whole numbers or strings, got {shown(value)}"
            )
        code = self.known.code(Label(self.key, self._name(value, place)))
        self.numbers.setdefault(code, value)
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
        return self.names[number]

    @property
    def ids(self) -> Codes | None:
        """Numbers of all labels, if all have one."""
        if len(self.numbers) < len(self.known):
            return None
        return np.array([self.numbers[code] for code in range(len(self.known))], np.int64)


@frozen(eq=False)
class _Side:
    """Objects of all images, on one side."""

    name: str
    objects: Sequence[Objects]
    datums: Datums
    labels: _Labels
    box_format: BoxFormat
    policy: Policy

    def checked(self, sizes: Codes | None) -> tuple[Rows, dict[str, int]]:
        """The rows that the policy lets through, and what it left out or repaired."""
        rows = self.rows(sizes)
        starts = ends([len(one) for one in self.objects])

        def place(row: int) -> str:
            image = int(rows.images[row])
            return self._row_place(image)(row - int(starts[image]))

        return checked_rows(rows, sizes, self.policy, self.name, place)

    def rows(self, sizes: Codes | None) -> Rows:
        """The objects as rows."""
        for position in range(len(self.objects)):
            self._check(position)
        counts = [len(one) for one in self.objects]
        masks, around = self._masks(sizes)
        return Rows(
            images=np.repeat(np.arange(len(counts)), counts),
            labels=self._codes(),
            boxes=self._boxes() if around is None else around,
            scores=self._column("scores") if self.name == "predictions" else None,
            crowd=self._column("crowd", np.bool_),
            areas=self._column("areas"),
            masks=masks,
        )

    def _place(self, position: int) -> str:
        return f"{self.datums.name(position)}, {self.name}"

    def _check(self, position: int) -> None:
        """Refuse arrays whose lengths differ."""
        one, place = self.objects[position], self._place(position)
        if np.ndim(one.labels) != 1:
            raise SchemaError(f"{place}, labels: expected shape (n,), got {shown(one.labels)}")
        for name in ("boxes", "scores", "masks", "crowd", "areas"):
            values = getattr(one, name)
            if values is not None and values.shape[:1] != (len(one),):
                found = f"{len(values):,}" if values.ndim else shown(values.item())
                raise SchemaError(
                    f"{place}, {name}: expected {len(one):,} rows as there are labels, got {found}"
                )
        if one.boxes is None and one.masks is None and len(one):
            raise SchemaError(f"{place}: expected boxes or masks, got neither")
        if self.name == "predictions" and one.scores is None and len(one):
            raise SchemaError(f"{place}: expected scores, got none")

    def _codes(self) -> Codes:
        found = [
            self.labels.codes(one.labels, self._place(i)) if len(one) else np.empty(0, np.int64)
            for i, one in enumerate(self.objects)
        ]
        return np.concatenate([np.empty(0, np.int64), *found])

    def _boxes(self) -> Floats:
        found = []
        for i, one in enumerate(self.objects):
            if len(one):
                own = column(one.boxes, np.float64, f"{self._place(i)}, boxes", width=4)
                found.append(upright(own, self.box_format, self._row_place(i), self.policy))
        return np.concatenate([np.empty((0, 4)), *found])

    def _row_place(self, position: int) -> Callable[[int], str]:
        return lambda row: f"{self._place(position)}[{row}]"

    def _column(self, name: str, dtype: Any = np.float64) -> Any:
        """A column of all images, if any has it."""
        given = [getattr(one, name) for one in self.objects]
        if name != "scores" and all(values is None for values in given):
            return None
        for i, values in enumerate(given):
            if values is None and len(self.objects[i]):
                raise SchemaError(
                    f"{self._place(i)}: expected {name} as other images have, got none"
                )
        filled = [np.empty(0, dtype)]
        for i, values in enumerate(given):
            if values is not None:
                place = f"{self._place(i)}, {name}"
                filled.append(column(values, dtype, place))
                if dtype is np.float64:
                    check_finite(filled[-1], place)
        return np.concatenate(filled)

    def _masks(self, known: Codes | None) -> tuple[RunLengths | None, Floats | None]:
        """Masks of all images and the boxes around them, if any image has masks."""
        given = [(i, one) for i, one in enumerate(self.objects) if len(one)]
        if all(one.masks is None for _, one in given):
            return None, None
        runs, sizes = [], []
        for i, one in given:
            if one.masks is None or one.masks.ndim != 3 or one.masks.dtype.kind not in "fiub":
                raise SchemaError(
                    f"{self._place(i)}, masks: expected numbers of shape (n, height, width), "
                    f"got {shown(one.masks)}"
                )
            height, width = one.masks.shape[1:]
            if known is not None and (height, width) != tuple(known[i].tolist()):
                expected = " by ".join(map(str, known[i].tolist()))
                raise SchemaError(
                    f"{self._place(i)}, masks: expected {expected} pixels, as sizes say, "
                    f"got {height} by {width}"
                )
            runs += [encoded(mask != 0) for mask in one.masks]
            sizes += [one.masks.shape[1:]] * len(one)
        starts = ends([len(own) for own in runs])
        lengths = RunLengths(np.concatenate(runs), starts, np.array(sizes, np.int64))
        return lengths, measured(lengths.runs, starts, lengths.sizes)[1]
