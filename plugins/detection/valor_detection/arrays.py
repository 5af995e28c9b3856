"""Batches of what programs have in memory: arrays, `supervision.Detections`, dicts of tensors.

None of these programs is needed: objects are taken for what their fields are called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.datum import Datums
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.label import DEFAULT_KEY, Label, Vocabulary
from valor_core.schemas.runs import encoded
from valor_core.schemas.shapes import RunLengths, ends
from valor_detection.geometry.validity import Policy, check_policy
from valor_detection.kernels.masks import measured
from valor_detection.object_rows import BoxFormat, Rows, batch_of_rows, checked_rows, upright

Names = Mapping[int, str] | Sequence[str] | None


def as_array(values: Any) -> Any:
    """An array of what may be a tensor; None stays.

    Examples
    --------
    >>> as_array([1, 2])
    array([1, 2])
    """
    for step in ("detach", "cpu", "numpy"):
        if hasattr(values, step):
            values = getattr(values, step)()
    return None if values is None else np.asarray(values)


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
        Which of them are crowds; of true objects.
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
        If lengths differ, a number has no name, or a box cannot be one; names image and side.
    ParameterError
        If `invalid_geometry` is something else.

    Examples
    --------
    >>> true = Objects(boxes=[[0, 0, 2, 1]], labels=[1])
    >>> seen = Objects(boxes=[[0, 0, 2, 2]], labels=[1], scores=[0.75])
    >>> from_arrays([true], [seen], names=["cat", "dog"]).predictions.shapes.boxes
    array([[0., 0., 2., 2.]])
    """
    if len(groundtruths) != len(predictions):
        raise SchemaError(
            f"predictions: expected one set of objects for each of {len(groundtruths):,} images, "
            f"got {len(predictions):,}"
        )
    check_policy(invalid_geometry)
    facts = metadata or {}
    datums = Datums.numbers(len(predictions), facts) if uids is None else Datums(uids, facts)
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


def _sizes(sizes: Any, count: int) -> Codes:
    array = np.asarray(sizes, np.int64)
    if array.shape != (count, 2):
        raise SchemaError(
            f"sizes: expected {count:,} rows of height and width, got shape {array.shape}"
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
        [_of_supervision(one) for one in groundtruths],
        [_of_supervision(one) for one in predictions],
        **options,
    )


def _of_supervision(found: Any) -> Objects:
    names = as_array((getattr(found, "data", None) or {}).get("class_name"))
    labels = found.class_id if names is None or len(names) == 0 else names
    boxes = as_array(found.xyxy)
    return Objects(
        boxes=boxes,
        labels=np.empty(0, np.int64) if labels is None and not len(boxes) else labels,
        scores=found.confidence,
        masks=found.mask,
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
    ids = [one.get("image_id") for one in groundtruths]
    if ids and "uids" not in options and all(number is not None for number in ids):
        options["uids"] = [as_array(number).reshape(-1)[0].item() for number in ids]
    return from_arrays(
        [_of_dict(one, "groundtruths", i) for i, one in enumerate(groundtruths)],
        [_of_dict(one, "predictions", i) for i, one in enumerate(predictions)],
        **options,
    )


def _of_dict(found: Mapping[str, Any], side: str, position: int) -> Objects:
    if "labels" not in found:
        raise SchemaError(
            f"{side}[{position}]: expected a dict with boxes and labels, got {shown(list(found))}"
        )
    masks = as_array(found.get("masks"))
    if masks is not None and masks.ndim == 4:  # (n, 1, height, width), shares of pixels
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
        distinct, inverse = np.unique(labels, return_inverse=True)
        codes = [self._code(value, place) for value in distinct.tolist()]
        return np.array(codes, np.int64)[inverse.reshape(-1)]

    def _code(self, value: Any, place: str) -> int:
        if isinstance(value, str):
            return self.known.code(Label(self.key, value))
        if isinstance(value, bool) or not isinstance(value, int):
            raise SchemaError(f"{place}, labels: expected whole numbers or strings, got {value!r}")
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
        rows = self.rows()
        starts = ends([len(one) for one in self.objects])

        def place(row: int) -> str:
            image = int(rows.images[row])
            return self._row_place(image)(row - int(starts[image]))

        return checked_rows(rows, sizes, self.policy, self.name, place)

    def rows(self) -> Rows:
        """The objects as rows."""
        for position in range(len(self.objects)):
            self._check(position)
        counts = [len(one) for one in self.objects]
        masks, around = self._masks()
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
        for column in ("boxes", "scores", "masks", "crowd", "areas"):
            values = getattr(one, column)
            if values is not None and len(values) != len(one):
                raise SchemaError(
                    f"{place}, {column}: expected {len(one):,} rows as there are labels, "
                    f"got {len(values):,}"
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
        found = [
            upright(self._corners(i), self.box_format, self._row_place(i), self.policy)
            for i, one in enumerate(self.objects)
            if len(one)
        ]
        return np.concatenate([np.empty((0, 4)), *found])

    def _corners(self, position: int) -> NDArray[Any]:
        boxes = self.objects[position].boxes
        if boxes is None or boxes.ndim != 2 or boxes.shape[1] != 4:
            raise SchemaError(
                f"{self._place(position)}, boxes: expected shape (n, 4), got {shown(boxes)}"
            )
        return boxes

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
        filled = [np.asarray(v, dtype).reshape(-1) for v in given if v is not None]
        return np.concatenate([np.empty(0, dtype), *filled])

    def _masks(self) -> tuple[RunLengths | None, Floats | None]:
        """Masks of all images and the boxes around them, if any image has masks."""
        given = [(i, one) for i, one in enumerate(self.objects) if len(one)]
        if all(one.masks is None for _, one in given):
            return None, None
        runs, sizes = [], []
        for i, one in given:
            if one.masks is None or one.masks.ndim != 3:
                raise SchemaError(
                    f"{self._place(i)}, masks: expected shape (n, height, width), "
                    f"got {shown(one.masks)}"
                )
            runs += [encoded(mask != 0) for mask in one.masks]
            sizes += [one.masks.shape[1:]] * len(one)
        starts = ends([len(own) for own in runs])
        lengths = RunLengths(np.concatenate(runs), starts, np.array(sizes, np.int64))
        return lengths, measured(lengths.runs, starts, lengths.sizes)[1]
