"""Outlines: names and shapes of all objects, for metrics that show some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes
from valor_core.schemas.datum import Uid, Uids
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Geometry
from valor_core.schemas.objects import ObjectColumns
from valor_core.schemas.order import natural_order
from valor_core.schemas.shapes import BOX, MASK, Rings, Shapes, ends
from valor_core.state import Content, StateRequest


@frozen(eq=False)
class Side:
    """Names and shapes of the true or of the predicted objects of some images.

    Parameters
    ----------
    datums : ndarray of int64, shape (n,)
        Image of each object, ascending.
    annotations : ndarray of int64, shape (n,)
        Position of the annotation in its image.
    shapes : Shapes
        Boxes and polygons; a mask is the box around it.
    names : ndarray of object, shape (n,), optional
        Uids of the annotations.
    """

    datums: Codes
    annotations: Codes
    shapes: Shapes
    names: NDArray[Any] | None

    @classmethod
    def of(cls, objects: ObjectColumns) -> Side:
        """What is kept of a side of a batch."""
        shapes = objects.shapes
        if shapes.masks is not None:
            kinds = np.where(shapes.kinds == MASK, BOX, shapes.kinds)
            shapes = evolve(shapes, kinds=kinds, masks=None)
        return cls(objects.datums, objects.annotations, shapes, objects.uids)

    def name(self, row: int) -> Uid:
        """Uid of a row's annotation, or its position where it has none."""
        uid = None if self.names is None else self.names[row : row + 1].tolist()[0]
        return int(self.annotations[row]) if uid is None else uid

    def copy(self) -> Side:
        """The same, in arrays of its own."""
        names = None if self.names is None else self.names.copy()
        shapes = self.shapes.select(np.arange(len(self.shapes)))
        return Side(self.datums.copy(), self.annotations.copy(), shapes, names)

    def dump(self) -> Content:
        """The columns."""
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
    def restored(cls, content: Content) -> Side:
        """What `dump` described."""
        rings, names = content["rings"], content["names"]
        column = None
        if names is not None:
            column = np.empty(len(names), dtype=object)
            column[:] = names
        polygons = None if rings is None else Rings(*rings)
        shapes = Shapes(content["boxes"], content["kinds"], polygons)
        return cls(content["datums"], content["annotations"], shapes, column)


@frozen(eq=False)
class Sheet:
    """Both sides of some images, as they arrived.

    Parameters
    ----------
    uids : ndarray
        Names of the images.
    truths, predictions : Side
        Their objects.
    """

    uids: Uids
    truths: Side
    predictions: Side


@frozen(eq=False)
class Roll:
    """One side of all images, rows as in a `Table`.

    Parameters
    ----------
    sides : sequence of Side
        The parts.
    order : ndarray of int64, shape (n,)
        For each row, its place in the parts one behind the other.
    """

    sides: Sequence[Side]
    order: Codes
    _starts: Codes = field(init=False)

    @_starts.default
    def _first_places(self) -> Codes:
        return ends([len(side.datums) for side in self.sides])

    def name(self, row: int) -> Uid:
        """Uid of a row's annotation, or its position in the image where it has none."""
        side, place = self._at(row)
        return side.name(place)

    def geometry(self, row: int) -> Geometry:
        """Shape of a row."""
        side, place = self._at(row)
        return side.shapes.at(place)

    def _at(self, row: int) -> tuple[Side, int]:
        place = int(self.order[row])
        part = int(np.searchsorted(self._starts, place, side="right")) - 1
        return self.sides[part], place - int(self._starts[part])


@define(slots=False, eq=False)
class Outlines:
    """Names and shapes of the objects of all images.

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
        """Keep a batch."""
        truths, predictions = Side.of(batch.groundtruths), Side.of(batch.predictions)
        self.sheets.append(Sheet(batch.datums.uids, truths, predictions))

    def merge(self, other: Outlines) -> None:
        """Keep what another state kept."""
        self.sheets.extend(other.sheets)

    def dump(self) -> Content:
        """Everything kept so far."""
        sheets = [
            [sheet.uids, sheet.truths.dump(), sheet.predictions.dump()] for sheet in self.sheets
        ]
        return {"sheets": sheets}

    def restore(self, content: Content) -> None:
        """Make a neutral state what `dump` described."""
        self.sheets = [
            Sheet(uids, Side.restored(truths), Side.restored(predictions))
            for uids, truths, predictions in content["sheets"]
        ]

    def detach(self) -> None:
        """Copy the arrays of the batches that were kept."""
        self.sheets = [
            Sheet(sheet.uids.copy(), sheet.truths.copy(), sheet.predictions.copy())
            for sheet in self.sheets
        ]

    @property
    def truths(self) -> Roll:
        """The true objects."""
        return self._roll([sheet.truths for sheet in self.sheets])

    @property
    def predictions(self) -> Roll:
        """The predicted objects."""
        return self._roll([sheet.predictions for sheet in self.sheets])

    def _roll(self, sides: Sequence[Side]) -> Roll:
        if not sides:
            return Roll(sides, np.empty(0, np.int64))
        uids = np.concatenate([sheet.uids for sheet in self.sheets])
        places = np.empty(len(uids), np.int64)
        places[natural_order(uids)] = np.arange(len(uids))
        before = ends([len(sheet.uids) for sheet in self.sheets])[:-1].tolist()
        datums = [side.datums + first for side, first in zip(sides, before, strict=True)]
        return Roll(sides, np.argsort(places[np.concatenate(datums)], kind="stable"))


def request() -> StateRequest:
    """Names and shapes of all objects."""
    return StateRequest(Outlines)
