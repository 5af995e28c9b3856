"""Columns of detection: boxes or masks, labels and scores of each image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from attrs import frozen
from datasets import Features, Value
from datasets import Sequence as ListOf
from numpy.typing import NDArray
from valor_classification.readers.classes import class_column, plain_array
from valor_detection.geometry.validity import CheckedShapes, Policy, checked_shapes

from valor_core.errors import SchemaError, shown
from valor_core.parameters import parameter, parameters
from valor_core.schemas import (
    DEFAULT_KEY,
    Codes,
    Datums,
    Floats,
    Label,
    Vocabulary,
    widen_as_printed,
)
from valor_core.schemas.detection import (
    DetectionBatch,
    PredictedObjects,
    TrueObjects,
    scores_outside,
)
from valor_core.schemas.geometry import Box, Geometry, Mask, Shapes

BoxFormat = Literal["xyxy", "xywh", "cxcywh"]


@parameters
class DetectionColumns:
    """Settings of columns of detection."""

    labels: tuple[str, ...] = parameter(
        default=(), help="Names of labels that are numbers, by position.", distinct=True
    )
    key: str = parameter(default=DEFAULT_KEY, help="Key of all labels.")
    box_format: BoxFormat = parameter(
        default="xyxy",
        help="How boxes are written: xyxy are two corners, xywh a corner with width and height, "
        "cxcywh the center with width and height.",
    )
    invalid_geometry: Policy = parameter(
        default="error",
        help="Handling of invalid boxes, such as empty ones: error, repair if possible, skip, or "
        "accept unless they are inverted or not finite.",
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Accepted columns."""
        return (*self.required, "uid")

    @property
    def required(self) -> tuple[str, ...]:
        """Required columns."""
        return "predictions", "references"

    @property
    def features(self) -> list[Features]:
        """Objects of an image, with labels as strings or integers."""
        boxes, scores = ListOf(ListOf(Value("float64"))), ListOf(Value("float64"))
        found = []
        for label in (ListOf(Value("string")), ListOf(Value("int64"))):
            predicted = {"boxes": boxes, "labels": label, "scores": scores}
            found.append(
                Features(
                    {"predictions": predicted, "references": {"boxes": boxes, "labels": label}}
                )
            )
        return found

    def batch(self, columns: Mapping[str, Any], start: int) -> DetectionBatch:
        """Make a batch of columns."""
        uids, count = columns.get("uid"), len(columns["predictions"])
        datums = Datums.numbers(count).renumber(start) if uids is None else Datums(list(uids))
        true = _Side.of("references", columns["references"], datums, self)
        predicted = _Side.of("predictions", columns["predictions"], datums, self)
        vocabulary = Vocabulary()
        shapes = true.checked("groundtruths", self.invalid_geometry)
        groundtruths = TrueObjects(
            **true.columns(shapes, vocabulary, self),
            crowd=true.flags("iscrowd")[shapes.kept],
            areas=true.areas(shapes),
        )
        left_out = shapes.counts
        shapes = predicted.checked("predictions", self.invalid_geometry)
        predictions = PredictedObjects(
            **predicted.columns(shapes, vocabulary, self),
            scores=predicted.scores()[shapes.kept],
            areas=shapes.shapes.areas,
        )
        left_out = {**left_out, **shapes.counts, **scores_outside(predictions.scores)}
        return DetectionBatch(
            datums, vocabulary.labels, groundtruths, predictions, left_out=left_out
        )


@frozen(eq=False)
class _Side:
    """Objects of all images, as ground truths or predictions.

    Parameters
    ----------
    name : str
        Name of the column.
    cells : list of mapping
        Fields of the objects of each image.
    datums : Datums
        Images.
    counts : list of int
        Number of objects of each image.
    images : ndarray of int64
        Index of the image of each object.
    shapes : Shapes
        Geometry of each object.
    """

    name: str
    cells: list[Mapping[str, Any]]
    datums: Datums
    counts: list[int]
    images: Codes
    shapes: Shapes

    @classmethod
    def of(cls, name: str, column: Any, datums: Datums, settings: DetectionColumns) -> _Side:
        """Read the objects of a column."""
        cells, counts = list(column), []
        for position, cell in enumerate(cells):
            where = f"{datums.name(position)}, {name}"
            if not isinstance(cell, Mapping) or "labels" not in cell:
                raise SchemaError(
                    f'{where}: expected {{"boxes": …, "labels": …}}, got {shown(cell)}'
                )
            counts.append(_count(cell, "labels", where))
        images = np.repeat(np.arange(len(cells)), np.array(counts, np.int64))
        locations = [f"{datums.name(position)}, {name}" for position in range(len(cells))]
        boxes = [
            _boxes(cell, count, where, settings.box_format)
            for cell, count, where in zip(cells, counts, locations, strict=True)
        ]
        if not any(cell.get("masks") is not None for cell in cells):
            shapes = Shapes(np.concatenate([np.empty((0, 4)), *boxes]))
        else:
            areas_given: list[Geometry] = []
            for cell, array, where in zip(cells, boxes, locations, strict=True):
                areas_given += _geometries(cell, array, where)
            shapes = Shapes.of(areas_given)
        return cls(name, cells, datums, counts, images, shapes)

    def place(self, row: int) -> str:
        """Return the location of an object for error messages."""
        image = int(self.images[row])
        position = row - int(np.searchsorted(self.images, image))
        return f"{self.datums.name(image)}, {self.name}[{position}]"

    def checked(self, side: str, policy: Policy) -> CheckedShapes:
        """Validate the shapes by a policy."""
        return checked_shapes(self.shapes, None, policy, side, self.place)

    def columns(
        self, shapes: CheckedShapes, vocabulary: Vocabulary, settings: DetectionColumns
    ) -> dict[str, Any]:
        """Return the columns that ground truths and predictions share."""
        kept = shapes.kept
        positions = np.arange(len(self.images)) - np.searchsorted(self.images, self.images)
        return {
            "datums": self.images[kept],
            "labels": self._codes(vocabulary, settings)[kept],
            "shapes": shapes.shapes,
            "annotations": positions[kept],
        }

    def _codes(self, vocabulary: Vocabulary, settings: DetectionColumns) -> Codes:
        given = [np.empty(0, np.int64)]
        for i, cell in enumerate(self.cells):
            if self.counts[i]:
                given.append(class_column(cell["labels"], f"{self._image(i)}, labels"))
                if given[-1].ndim != 1:
                    raise SchemaError(
                        f"{self._image(i)}, labels: expected one for each object, "
                        f"got {shown(given[-1])}"
                    )
        labels = np.concatenate(given[1:] or given)
        if settings.labels and labels.dtype.kind in "iu":
            invalid = np.flatnonzero((labels < 0) | (labels >= len(settings.labels)))
            if len(invalid):
                raise SchemaError(
                    f"{self.place(int(invalid[0]))}: expected a position among "
                    f"{len(settings.labels)} labels, got {labels[invalid[0]]}",
                    'Name all labels: data={"labels": […]}.',
                )
            labels = np.array(settings.labels)[labels]
        values, codes = np.unique(labels, return_inverse=True)
        named = vocabulary.join(Label(settings.key, str(value)) for value in values.tolist())
        return named[codes]

    def scores(self) -> Floats:
        """Score of each object."""
        found = []
        for i, cell in enumerate(self.cells):
            if self.counts[i]:
                found.append(self._column(cell, "scores", i))
        if len({one.dtype for one in found}) > 1:
            found = [widen_as_printed(one) if one.dtype.kind == "f" else one for one in found]
        given = np.concatenate([np.empty(0, found[0].dtype), *found]) if found else np.empty(0)
        invalid = np.flatnonzero(~np.isfinite(given))
        if len(invalid):
            raise SchemaError(
                f"{self.place(int(invalid[0]))}: expected a finite score, got {given[invalid[0]]}"
            )
        return given

    def flags(self, field: str) -> NDArray[np.bool_]:
        """Flag of each object; False in images without the field."""
        flags = np.zeros(len(self.images), bool)
        starts = np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)
        for i, cell in enumerate(self.cells):
            if self.counts[i] and cell.get(field) is not None:
                given = self._column(cell, field, i)
                invalid = given[~np.isin(given, (0, 1))]
                if len(invalid):
                    raise SchemaError(
                        f"{self._image(i)}, {field}: expected 0 or 1, got {invalid[0]}"
                    )
                flags[starts[i] : starts[i + 1]] = given != 0
        return flags

    def areas(self, shapes: CheckedShapes) -> Floats:
        """Areas in the data, or else of the shapes."""
        areas = shapes.shapes.areas.copy()
        areas_given = np.full(len(self.images), np.nan)
        starts = np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)
        for i, cell in enumerate(self.cells):
            if self.counts[i] and cell.get("area") is not None:
                given = self._column(cell, "area", i)
                invalid = given[~np.isfinite(given)]
                if len(invalid):
                    raise SchemaError(
                        f"{self._image(i)}, area: expected a finite number, got {invalid[0]}"
                    )
                areas_given[starts[i] : starts[i + 1]] = given
        given_areas = areas_given[shapes.kept]
        is_given = ~np.isnan(given_areas) & ~shapes.is_repaired
        areas[is_given] = given_areas[is_given]
        return areas

    def _image(self, position: int) -> str:
        return f"{self.datums.name(position)}, {self.name}"

    def _column(self, cell: Mapping[str, Any], field: str, position: int) -> NDArray[Any]:
        """Return a column of numbers of an image."""
        where = f"{self._image(position)}, {field}"
        if cell.get(field) is None:
            raise SchemaError(f"{where}: expected one for each object, got none")
        array = plain_array(cell[field], where)
        if array.shape != (self.counts[position],) or array.dtype.kind not in "fiub":
            raise SchemaError(
                f"{where}: expected {self.counts[position]:,} numbers as there are labels, "
                f"got {shown(array)}"
            )
        return array


def _count(cell: Mapping[str, Any], field: str, where: str) -> int:
    """Return the number of objects in a field of an image."""
    try:
        return len(cell[field])
    except TypeError:
        raise SchemaError(
            f"{where}, {field}: expected one for each object, got {shown(cell[field])}"
        ) from None


def _boxes(cell: Mapping[str, Any], count: int, where: str, box_format: BoxFormat) -> Floats:
    """Return x, y, width and height of the boxes of an image, empty if it has masks."""
    given = cell.get("boxes")
    if given is None and cell.get("masks") is None and count:
        raise SchemaError(f"{where}: expected boxes or masks, got neither")
    if given is None or not count:
        return np.empty((0, 4))
    array = plain_array(given, f"{where}, boxes")
    if array.shape != (count, 4) or array.dtype.kind not in "fiu":
        raise SchemaError(
            f"{where}, boxes: expected {count:,} rows of 4 numbers as there are labels, "
            f"got {shown(array)}"
        )
    boxes = array.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        if box_format == "xyxy":
            boxes[:, 2:] -= boxes[:, :2]
        elif box_format == "cxcywh":
            boxes[:, :2] -= boxes[:, 2:] / 2
    return boxes


def _geometries(cell: Mapping[str, Any], boxes: Floats, where: str) -> list[Geometry]:
    """Return the masks of an image, or else its boxes, as objects."""
    masks = cell.get("masks")
    if masks is None:
        return [Box(x, y, x + width, y + height) for x, y, width, height in boxes.tolist()]
    count = _count(cell, "masks", where)
    if count != len(cell["labels"]):
        raise SchemaError(
            f"{where}, masks: expected {len(cell['labels']):,} as there are labels, got {count:,}"
        )
    return [Mask.from_rle(one) if isinstance(one, Mapping) else Mask.of(one) for one in masks]
