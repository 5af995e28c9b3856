"""Uids and shapes of all objects, for metrics that list objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import StateError, short_repr
from valor_core.schemas import Codes, Uid, Uids, natural_order
from valor_core.schemas.columns import is_ascending
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.detection.objects import ObjectColumns
from valor_core.schemas.geometry import Geometry, Rings, Shapes
from valor_core.schemas.geometry.shapes import BOX, MASK, POLYGON
from valor_core.states import State, StateContent, StateRequest
from valor_core.states.saved_columns import (
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

    @classmethod
    def joined(cls, parts: Sequence[NamedShapes], images: Sequence[Codes]) -> NamedShapes:
        """Merge the objects of several batches, sorted by image.

        Parameters
        ----------
        parts : sequence of NamedShapes
            Objects of each batch, at least one.
        images : sequence of ndarray of int64
            New positions of each batch's images.
        """
        datums = np.concatenate([new[part.datums] for part, new in zip(parts, images, strict=True)])
        if len(parts) == 1 and is_ascending(datums):
            return evolve(parts[0], datums=datums)
        names = [
            np.full(len(part.datums), None) if part.names is None else part.names.astype(object)
            for part in parts
        ]
        merged = cls(
            datums,
            np.concatenate([part.annotations for part in parts]),
            _joined_shapes([part.shapes for part in parts]),
            np.concatenate(names),
        )
        return merged.take(np.argsort(datums, kind="stable"))

    def name(self, row: int) -> Uid:
        """Return the uid of a row's annotation, or its position in the image without a uid."""
        uid = None if self.names is None else self.names[row : row + 1].tolist()[0]
        return int(self.annotations[row]) if uid is None else uid

    def geometry(self, row: int) -> Geometry:
        """Return the shape of a row."""
        return self.shapes.at(row)

    def take(self, rows: Codes) -> NamedShapes:
        """Copy rows."""
        names = None if self.names is None else self.names[rows]
        return NamedShapes(
            self.datums[rows], self.annotations[rows], self.shapes.select(rows), names
        )

    def copy(self) -> NamedShapes:
        """Copy all rows."""
        return self.take(np.arange(len(self.datums)))

    def dump(self) -> StateContent:
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
            raise StateError(f"sheets: expected columns by name, found {short_repr(content)}")
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


def _joined_shapes(parts: Sequence[Shapes]) -> Shapes:
    boxes, kinds = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("boxes", "kinds")
    )
    if all(part.rings is None for part in parts):
        return Shapes(boxes, kinds)
    rings = [
        _NO_RINGS.select(np.zeros(len(part), np.int64)) if part.rings is None else part.rings
        for part in parts
    ]
    return Shapes(boxes, kinds, Rings.joined(rings))


_NO_RINGS = Rings.of([()])
"""One row without polygons."""


def _rings(given: Any, count: int) -> Rings | None:
    """Restore the polygons of a number of rows."""
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != 4:
        raise StateError(f"rings: expected points and three columns, found {short_repr(given)}")
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
        raise StateError(f"names: expected text or whole numbers, found {short_repr(given)}")
    names = np.empty(len(given), dtype=object)
    names[:] = given
    return names


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

    sheets: list[tuple[Uids, NamedShapes, NamedShapes]] = field(factory=list, init=False)

    def update(self, batch: DetectionBatch) -> None:
        """Add the objects of a batch."""
        truths, predictions = NamedShapes.of(batch.groundtruths), NamedShapes.of(batch.predictions)
        self.sheets.append((batch.datums.uids, truths, predictions))

    def merge(self, other: Outlines) -> None:
        """Add the objects of another state."""
        self.sheets.extend(other.sheets)

    def dump(self) -> StateContent:
        """Return the uids of the images and both sides of each batch."""
        return {
            "sheets": [[uids, *(side.dump() for side in sides)] for uids, *sides in self.sheets]
        }

    def restore(self, content: StateContent) -> None:
        """Restore an empty state from what `dump` returned."""
        sheets = content.get("sheets")
        if not isinstance(sheets, list):
            raise StateError(f"sheets: expected a list, found {short_repr(sheets)}")
        for sheet in sheets:
            if not isinstance(sheet, list) or len(sheet) != 3:
                raise StateError(f"sheets: expected uids and two sides, found {short_repr(sheet)}")
            uids = saved_uids({"uids": sheet[0]}, "uids")
            truths, predictions = (NamedShapes.restored(side, len(uids)) for side in sheet[1:])
            self.sheets.append((uids, truths, predictions))

    def detach(self) -> None:
        """Copy the arrays that belong to batches."""
        self.sheets = [
            (uids.copy(), truths.copy(), predictions.copy())
            for uids, truths, predictions in self.sheets
        ]

    @property
    def truths(self) -> NamedShapes:
        """Ground truths of all images, in the order of a `Table`."""
        return self._joined([truths for _, truths, _ in self.sheets])

    @property
    def predictions(self) -> NamedShapes:
        """Predictions of all images, in the order of a `Table`."""
        return self._joined([predictions for _, _, predictions in self.sheets])

    def of_table(self, table: Table) -> tuple[NamedShapes, NamedShapes]:
        """Return the ground truths and predictions of a table.

        Raises
        ------
        StateError
            If the table has other images or objects, because a saved state was changed.
        """
        truths, predictions, chunk, uids = self.truths, self.predictions, table.objects, self._uids
        pairs = (
            (uids[natural_order(uids)], chunk.uids),
            (truths.datums, chunk.true_datums),
            (predictions.datums, chunk.datums),
        )
        if not all(np.array_equal(own, other) for own, other in pairs):
            raise StateError(
                "state: expected names and shapes of the counted objects, "
                "found those of other objects",
                "Create the state again from the data.",
            )
        return truths, predictions

    @property
    def _uids(self) -> Uids:
        """Uids of the images in the order of arrival."""
        return np.concatenate([uids for uids, *_ in self.sheets] or [_NO_CODES])

    def _joined(self, sides: Sequence[NamedShapes]) -> NamedShapes:
        uids = self._uids
        positions = np.empty(len(uids), np.int64)
        positions[natural_order(uids)] = np.arange(len(uids))
        cuts = np.cumsum([len(own) for own, *_ in self.sheets])[:-1]
        return NamedShapes.joined(sides or [_NOTHING], np.split(positions, cuts))


_NO_CODES = np.empty(0, np.int64)
_NOTHING = NamedShapes(_NO_CODES, _NO_CODES, Shapes(np.empty((0, 4))), None)


def request() -> StateRequest:
    """Request uids and shapes of all objects."""
    return StateRequest(Outlines)
