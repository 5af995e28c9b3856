"""Detection batch: objects of many images in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from attrs import evolve, field, frozen
from attrs.converters import optional

from valor_core.errors import SchemaError, and_more
from valor_core.schemas import detection as objects  # lazy: columns of files need no objects
from valor_core.schemas.batch import Batch, FileRow
from valor_core.schemas.columns import (
    BY_CONTENT,
    Codes,
    Floats,
    check_codes,
    check_length,
    codes,
    is_ascending,
    rows_of_datums,
    whole_numbers,
)
from valor_core.schemas.datum import Datum, Datums, Uid, listed
from valor_core.schemas.detection.objects import (
    ObjectColumns,
    PredictedObjects,
    TrueObjects,
    scores_outside,
)
from valor_core.schemas.label import Label, Vocabulary, distinct_labels
from valor_core.schemas.pairing import LabelSides, sides_of

if TYPE_CHECKING:
    from valor_core.schemas.detection.packing import GeometryCheck, ObjectPlace

_FAR = 1e300  # beyond this, x + width may overflow


def _pairs(values: Any) -> Codes:
    pairs = whole_numbers(values)
    return pairs if pairs.size else pairs.reshape(0, 2)


def _label_ids(values: Any) -> Codes:
    return codes(values, "label_ids")


@frozen(repr=False)
class DetectionBatch(Batch):
    """Columns of images with objects.

    Parameters
    ----------
    datums : Datums
        Uids and metadata of the images.
    labels : tuple of Label
        Vocabulary of the batch. Codes are positions in it.
    groundtruths : TrueObjects
        True objects.
    predictions : PredictedObjects
        Predicted objects.
    sizes : ndarray of int64, shape (n_datums, 2), optional
        Height and width of every image in pixels; 0 if unknown.
    label_ids : ndarray of int64, shape (n_labels,), optional
        Numbers of the labels in the data (COCO's category ids). Sums follow their order where a
        reference program does.
    left_out : mapping of str to int
        Number of excluded, repaired or unusual objects by description. The report prints the number
        before the description: ``predictions left out: zero area`` becomes ``3 predictions left
        out: zero area``.
    first_left_out : mapping of str to (str, int)
        File and row of the first item of each description, if the reader reports it.
    searched : ndarray of int64, shape (n_searched, 2), optional
        Position of an image and code of a label that annotators searched for in it, ascending. By
        default, they searched for all labels in all images.

    Raises
    ------
    SchemaError
        If lengths, codes or order are wrong, or a box has a negative side. The message names the
        item and the annotation.

    Examples
    --------
    >>> from valor_core.schemas.detection import Detection, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> item = Detection("a", [TrueObject("dog", Box(0, 0, 2, 1))])
    >>> DetectionBatch.of([item]).groundtruths.areas
    array([2.])
    """

    task: ClassVar[str] = "detection"

    datums: Datums
    labels: tuple[Label, ...] = field(converter=distinct_labels)
    groundtruths: TrueObjects
    predictions: PredictedObjects
    sizes: Codes | None = field(default=None, eq=BY_CONTENT, converter=optional(whole_numbers))
    label_ids: Codes | None = field(default=None, eq=BY_CONTENT, converter=optional(_label_ids))
    left_out: Mapping[str, int] = field(factory=dict)
    first_left_out: Mapping[str, FileRow] = field(factory=dict)
    searched: Codes | None = field(default=None, eq=BY_CONTENT, converter=optional(_pairs))

    def __attrs_post_init__(self) -> None:
        for side in (self.groundtruths, self.predictions):
            check_codes(side.datums, len(self), f"{side.side}, datums", "datums")
            check_codes(side.labels, len(self.labels), f"{side.side}, labels", "labels")
            self._check_boxes(side)
        if self.sizes is not None and self.sizes.shape != (len(self), 2):
            raise SchemaError(
                f"sizes: expected {len(self):,} rows of height and width, "
                f"got shape {self.sizes.shape}"
            )
        if self.label_ids is not None:
            check_length(self.label_ids, "label_ids", len(self.labels))
        if self.searched is not None:
            if self.searched.shape[1:] != (2,):
                shape = self.searched.shape
                raise SchemaError(f"searched: expected rows of datum and label, got shape {shape}")
            images, labels = self.searched.T
            if not is_ascending(images):
                raise SchemaError("searched: expected rows sorted by datum")
            check_codes(images, len(self), "searched, datums", "datums")
            check_codes(labels, len(self.labels), "searched, labels", "labels")

    def _check_boxes(self, side: ObjectColumns) -> None:
        boxes = side.shapes.boxes
        sides = boxes[:, 2:]
        if sides.size and sides.min() < 0:
            bad = np.flatnonzero((sides < 0).any(axis=1))
            raise self._box_error(side, bad, "xmin <= xmax and ymin <= ymax")
        if boxes.size and boxes.max() > _FAR:
            with np.errstate(over="ignore"):
                bad = np.flatnonzero(np.isinf(boxes[:, :2] + sides).any(axis=1))
            if bad.size:
                raise self._box_error(side, bad, "finite coordinates")

    def _box_error(self, side: ObjectColumns, bad: Codes, expected: str) -> SchemaError:
        """Return the error for boxes in the given rows."""
        row = int(bad[0])
        x, y, width, height = side.shapes.boxes[row].tolist()
        return SchemaError(
            f"{self.datums.name(int(side.datums[row]))}, {side.name(row)}: expected a box with "
            f"{expected}, got {x:g}, {y:g}, {x + width:g}, {y + height:g}{and_more(len(bad) - 1)}"
        )

    @classmethod
    def of(
        cls,
        items: Iterable[objects.Detection],
        check: GeometryCheck | None = None,
        place: ObjectPlace | None = None,
    ) -> DetectionBatch:
        """Convert objects to columns.

        Parameters
        ----------
        items : iterable of Detection
            Images with their objects.
        check : callable, optional
            Check of the geometries of one side, which may repair or exclude objects. By default,
            coordinates must be finite and edges ordered.
        place : callable, optional
            Name of an object for error messages, given its side, the position of the image and its
            position in the image. Defaults to ``item 'a', predictions[3]``.

        Raises
        ------
        SchemaError
            If a geometry is rejected, a score is not finite, or an annotation has a label twice.
            The message names item and annotation.

        Examples
        --------
        >>> from valor_core.schemas.detection import Detection, TrueObject
        >>> from valor_core.schemas.geometry import Box
        >>> DetectionBatch.of([Detection("a", [TrueObject("dog", Box(0, 0, 1, 1))], [])]).labels
        (Label(key='class', value='dog'),)
        """
        from valor_core.schemas.detection import packing

        items, check = listed(items, objects.Detection), check or packing.finite_shapes
        true = packing.Packed.of(items, "groundtruths", objects.TrueObject, check, place)
        predicted = packing.Packed.of(items, "predictions", objects.PredictedObject, check, place)
        vocabulary = Vocabulary()
        groundtruths, predictions = true.true(vocabulary), predicted.predicted(vocabulary)
        sizes = packing.image_sizes(items)
        searched = packing.searched_labels(items, vocabulary)
        return cls(
            Datums.of(Datum(item.uid, item.metadata) for item in items),
            vocabulary.labels,
            groundtruths,
            predictions,
            sizes if sizes.any() else None,
            left_out={
                **true.checked.counts,
                **predicted.checked.counts,
                **scores_outside(predictions.scores),
            },
            searched=searched,
        )

    @property
    def sides(self) -> set[str]:
        """Sides of the images, as returned by `sides_of`."""
        return sides_of(self.groundtruths.datums, self.predictions.datums)

    @property
    def label_sides(self) -> LabelSides:
        """Labels of the ground truths and of the predictions."""
        return LabelSides.of(self.labels, self.groundtruths.labels, self.predictions.labels)

    def select(self, positions: Codes) -> DetectionBatch:
        """Return the images at the given ascending positions."""
        return evolve(
            self,
            datums=self.datums.select(positions),
            groundtruths=self.groundtruths.select(positions),
            predictions=self.predictions.select(positions),
            sizes=None if self.sizes is None else self.sizes[positions],
            searched=self._searched_in(positions),
        )

    def _searched_in(self, positions: Codes) -> Codes | None:
        if self.searched is None:
            return None
        rows, images = rows_of_datums(self.searched[:, 0], positions)
        return np.column_stack([images, self.searched[rows, 1]])

    def relabel(self, renames: Mapping[Label, Label]) -> DetectionBatch:
        """Return the data with renamed labels on both sides.

        Labels of an annotation that become equal count once, with the greater score.
        """
        vocabulary = Vocabulary()
        renamed = vocabulary.join(renames.get(label, label) for label in self.labels)
        truths, predictions = self.groundtruths, self.predictions
        ids = self.label_ids
        if ids is not None:
            least = np.full(len(vocabulary), np.iinfo(np.int64).max)
            np.minimum.at(least, renamed, ids)
            ids = least
        searched = self.searched
        if searched is not None:
            pairs = np.column_stack([searched[:, 0], renamed[searched[:, 1]]])
            searched = np.unique(pairs, axis=0)
        return evolve(
            self,
            labels=vocabulary.labels,
            groundtruths=truths.relabel(renamed, np.zeros(len(truths))),
            predictions=predictions.relabel(renamed, -predictions.scores),
            label_ids=ids,
            searched=searched,
        )

    def items(self) -> Iterator[objects.Detection]:
        """Yield the items as objects."""
        for i in range(len(self)):
            datum = self.datums.at(i)
            size = (0, 0) if self.sizes is None else tuple(self.sizes[i].tolist())
            yield objects.Detection(
                datum.uid,
                self._true(i),
                self._predicted(i),
                datum.metadata,
                size if any(size) else None,
                self._searched_at(i),
            )

    def _searched_at(self, image: int) -> list[Label] | None:
        if self.searched is None:
            return None
        first, last = np.searchsorted(self.searched[:, 0], (image, image + 1))
        return [self.labels[code] for code in self.searched[first:last, 1]]

    def _true(self, image: int) -> list[objects.TrueObject]:
        side = self.groundtruths
        return [
            objects.TrueObject(
                [self.labels[side.labels[row]] for row in rows],
                side.shapes.at(rows[0]),
                bool(side.crowd[rows[0]]),
                float(side.areas[rows[0]]),
                _uid(side, rows[0]),
                bool(side.ignored[rows[0]]),
                _points(side, rows[0]),
                None if side.keypoints is None else int(side.keypoints.labeled[rows[0]]),
            )
            for rows in _annotations(side, image)
        ]

    def _predicted(self, image: int) -> list[objects.PredictedObject]:
        side = self.predictions
        return [
            objects.PredictedObject(
                [(self.labels[side.labels[row]], float(side.scores[row])) for row in rows],
                side.shapes.at(rows[0]),
                _uid(side, rows[0]),
                _points(side, rows[0]),
            )
            for rows in _annotations(side, image)
        ]


def _annotations(side: ObjectColumns, datum: int) -> Iterator[list[int]]:
    """Yield the rows of each annotation of an image."""
    first, last = np.searchsorted(side.datums, (datum, datum + 1)).tolist()
    starts = np.flatnonzero(np.diff(side.annotations[first:last], prepend=-1)) + first
    for start, stop in pairwise([*starts.tolist(), last]):
        yield list(range(start, stop))


def _uid(side: ObjectColumns, row: int) -> Uid | None:
    uid: Uid | None = None if side.uids is None else side.uids[row : row + 1].tolist()[0]
    return uid


def _points(side: ObjectColumns, row: int) -> Floats | None:
    return None if side.keypoints is None else side.keypoints.at(row)
