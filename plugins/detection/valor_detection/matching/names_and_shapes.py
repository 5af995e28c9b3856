"""Uids and shapes of all objects, for metrics that list objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import StateError, shown
from valor_core.schemas import Codes, Uid, Uids, natural_order
from valor_core.schemas.detection import DetectionBatch, ObjectColumns
from valor_core.schemas.geometry import BOX, MASK, POLYGON, Geometry, Rings, Shapes, ends
from valor_core.states import (
    Content,
    State,
    StateRequest,
    check_same_length,
    saved_column,
    saved_offsets,
    saved_positions,
    saved_uids,
)
from valor_detection.matching.table import Table


@frozen(eq=False)
class NamedShapes:
    """Uids and shapes of the ground truths or predictions of images.

    Parameters
    ----------
    datums : ndarray of int64, shape (n,)
        Image of each object, ascending.
    annotations : ndarray of int64, shape (n,)
        Position of the annotation in its image.
    shapes : Shapes
        Boxes and polygons. Masks are replaced by their bounding boxes.
    names : ndarray of object, shape (n,), optional
        Uids of the annotations.
    """

    datums: Codes
    annotations: Codes
    shapes: Shapes
    names: NDArray[Any] | None

    @classmethod
    def of(cls, objects: ObjectColumns) -> NamedShapes:
        """Create a side from the columns of a batch."""
        shapes = objects.shapes
        if shapes.masks is not None:
            kinds = np.where(shapes.kinds == MASK, BOX, shapes.kinds)
            shapes = evolve(shapes, kinds=kinds, masks=None)
        return cls(objects.datums, objects.annotations, shapes, objects.uids)

    def name(self, row: int) -> Uid:
        """Return the uid of a row's annotation, or its position without a uid."""
        uid = None if self.names is None else self.names[row : row + 1].tolist()[0]
        return int(self.annotations[row]) if uid is None else uid

    def copy(self) -> NamedShapes:
        """Copy the arrays."""
        names = None if self.names is None else self.names.copy()
        shapes = self.shapes.select(np.arange(len(self.shapes)))
        return NamedShapes(self.datums.copy(), self.annotations.copy(), shapes, names)

    def dump(self) -> Content:
        """Return the columns by name."""
        rings = self.shapes.rings
        return {
            "datums": self.datums,
            "annotations": self.annotations,
            "boxes": self.shapes.boxes,
            "kinds": self.shapes.kinds,
            "rings": None
            if rings is None
            else [rings.points, rings.rings, rings.polygons, rings.rows],
            "names": None if self.names is None else self.names.tolist(),
        }

    @classmethod
    def restored(cls, content: Any, count: int) -> NamedShapes:
        """Create a side from what `dump` returned.

        Raises
        ------
        StateError
            If a column is invalid or does not match the others.
        """
        if not isinstance(content, Mapping):
            raise StateError(f"sheets: expected columns by name, found {shown(content)}")
        datums = saved_positions(content, "datums", count)
        shape = (len(datums),)
        kinds = saved_column(content, "kinds", np.uint8, shape=shape, high=POLYGON)
        rings = _rings(content.get("rings"), len(datums))
        if rings is None and kinds.any():
            raise StateError("rings: expected those of the polygons, found none")
        boxes = saved_column(content, "boxes", np.float64, shape=(*shape, 4))
        with np.errstate(over="ignore"):
            saved_column(
                {"boxes": boxes[:, :2] + boxes[:, 2:]}, "boxes", np.float64, shape=(*shape, 2)
            )
        annotations = saved_column(content, "annotations", np.int64, shape=shape, low=0)
        names = _names(content.get("names"))
        if names is not None:
            check_same_length({"datums": datums, "names": names})
        return cls(datums, annotations, Shapes(boxes, kinds, rings), names)


def _rings(given: Any, count: int) -> Rings | None:
    """Restore the polygons of a number of rows."""
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != 4:
        raise StateError(f"rings: expected points and three columns, found {shown(given)}")
    content = dict(zip(("points", "rings", "polygons", "rows"), given, strict=True))
    points = saved_column(content, "points", np.float64, shape=(None, 2))
    rings, polygons = (
        max(len(saved_column(content, name, np.int64)) - 1, 0) for name in ("rings", "polygons")
    )
    return Rings(
        points,
        saved_offsets(content, "rings", rings, len(points)),
        saved_offsets(content, "polygons", polygons, rings),
        saved_offsets(content, "rows", count, polygons),
    )


def _names(given: Any) -> NDArray[Any] | None:
    if given is None:
        return None
    if not isinstance(given, list) or not {type(name) for name in given} <= {str, int, type(None)}:
        raise StateError(f"names: expected text or whole numbers, found {shown(given)}")
    names = np.empty(len(given), dtype=object)
    names[:] = given
    return names


@frozen(eq=False)
class Sheet:
    """Both sides of images, in the order of arrival.

    Parameters
    ----------
    uids : ndarray
        Uids of the images.
    truths, predictions : NamedShapes
        Objects.
    """

    uids: Uids
    truths: NamedShapes
    predictions: NamedShapes

    @classmethod
    def restored(cls, content: Any) -> Sheet:
        """Create a sheet from saved uids and sides."""
        if not isinstance(content, list) or len(content) != 3:
            raise StateError(f"sheets: expected uids and two sides, found {shown(content)}")
        own = saved_uids({"uids": content[0]}, "uids")
        return cls(own, *(NamedShapes.restored(side, len(own)) for side in content[1:]))


@frozen(eq=False)
class Roll:
    """Ground truths or predictions of all images, in the order of a `Table`.

    Parameters
    ----------
    sides : sequence of NamedShapes
        Parts.
    order : ndarray of int64, shape (n,)
        Position of each row in the concatenated parts.
    datums : ndarray of int64, shape (n,)
        Image of each row.
    """

    sides: Sequence[NamedShapes]
    order: Codes
    datums: Codes
    _starts: Codes = field(init=False)

    @_starts.default
    def _first_places(self) -> Codes:
        return ends([len(side.datums) for side in self.sides])

    def name(self, row: int) -> Uid:
        """Return the uid of a row's annotation, or its position in the image without a uid."""
        side, place = self._at(row)
        return side.name(place)

    def geometry(self, row: int) -> Geometry:
        """Return the shape of a row."""
        side, place = self._at(row)
        return side.shapes.at(place)

    def _at(self, row: int) -> tuple[NamedShapes, int]:
        place = int(self.order[row])
        part = int(np.searchsorted(self._starts, place, side="right")) - 1
        return self.sides[part], place - int(self._starts[part])


@define(slots=False, eq=False)
class Outlines(State):
    """Uids and shapes of the objects of all images.

    Examples
    --------
    >>> from valor_core.schemas.detection import Detection, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> state = Outlines()
    >>> item = Detection("a", [TrueObject("dog", Box(0, 0, 2, 1), uid="dog_1")])
    >>> state.update(DetectionBatch.of([item]))
    >>> state.truths.name(0), state.truths.geometry(0)
    ('dog_1', Box(xmin=0.0, ymin=0.0, xmax=2.0, ymax=1.0))
    """

    sheets: list[Sheet] = field(factory=list, init=False)

    def update(self, batch: DetectionBatch) -> None:
        """Add the objects of a batch."""
        truths, predictions = NamedShapes.of(batch.groundtruths), NamedShapes.of(batch.predictions)
        self.sheets.append(Sheet(batch.datums.uids, truths, predictions))

    def merge(self, other: Outlines) -> None:
        """Add the objects of another state."""
        self.sheets.extend(other.sheets)

    def dump(self) -> Content:
        """Return the sheets."""
        sheets = [
            [sheet.uids, sheet.truths.dump(), sheet.predictions.dump()] for sheet in self.sheets
        ]
        return {"sheets": sheets}

    def restore(self, content: Content) -> None:
        """Restore an empty state from what `dump` returned."""
        sheets = content.get("sheets")
        if not isinstance(sheets, list):
            raise StateError(f"sheets: expected a list, found {shown(sheets)}")
        self.sheets = [Sheet.restored(sheet) for sheet in sheets]

    def detach(self) -> None:
        """Copy the arrays that belong to batches."""
        self.sheets = [
            Sheet(sheet.uids.copy(), sheet.truths.copy(), sheet.predictions.copy())
            for sheet in self.sheets
        ]

    @property
    def truths(self) -> Roll:
        """Ground truths of all images."""
        return self._roll([sheet.truths for sheet in self.sheets])

    @property
    def predictions(self) -> Roll:
        """Predictions of all images."""
        return self._roll([sheet.predictions for sheet in self.sheets])

    def rolls(self, table: Table) -> tuple[Roll, Roll]:
        """Return the ground truths and predictions of a table.

        Raises
        ------
        StateError
            If the table has other images or objects, because a saved state was changed.
        """
        truths, predictions, chunk = self.truths, self.predictions, table.objects
        pairs = (
            (self._uids(), chunk.uids),
            (truths.datums, chunk.true_datums),
            (predictions.datums, chunk.datums),
        )
        if not all(np.array_equal(own, other) for own, other in pairs):
            raise StateError(
                "state: expected names and shapes of the objects that were counted, "
                "found those of others",
                "Make the state anew from the data.",
            )
        return truths, predictions

    def _uids(self) -> Uids:
        """Return the uids of the images, sorted."""
        if not self.sheets:
            return np.empty(0, np.int64)
        names = np.concatenate([sheet.uids for sheet in self.sheets])
        return names[natural_order(names)]

    def _roll(self, sides: Sequence[NamedShapes]) -> Roll:
        if not sides:
            return Roll(sides, np.empty(0, np.int64), np.empty(0, np.int64))
        names = np.concatenate([sheet.uids for sheet in self.sheets])
        places = np.empty(len(names), np.int64)
        places[natural_order(names)] = np.arange(len(names))
        before = ends([len(sheet.uids) for sheet in self.sheets])[:-1].tolist()
        datums = [side.datums + first for side, first in zip(sides, before, strict=True)]
        images = places[np.concatenate(datums)]
        order = np.argsort(images, kind="stable")
        return Roll(sides, order, images[order])


def request() -> StateRequest:
    """Request uids and shapes of all objects."""
    return StateRequest(Outlines)
