"""Packing: check objects and convert them to columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, short_repr
from valor_core.schemas.columns import Codes, object_column
from valor_core.schemas.datum import Uid
from valor_core.schemas.detection.items import Detection
from valor_core.schemas.detection.objects import PredictedObjects, TrueObjects
from valor_core.schemas.geometry.geometry import Box, Geometry, Mask, Polygon, RotatedBox
from valor_core.schemas.geometry.shapes import Keypoints, Shapes
from valor_core.schemas.label import Label, Vocabulary, check_finite_scores

ObjectPlace = Callable[[str, int, int], str]
"""Name of an object for error messages, given its side, its image's position and its own."""


@frozen(repr=False)
class CheckedShapes:
    """Shapes that passed a check, possibly repaired.

    Parameters
    ----------
    kept : ndarray of int64, shape (m,)
        Their rows in the input of the check.
    shapes : Shapes
        Shapes, repaired if necessary.
    counts : dict of str to int
        Number of excluded and repaired shapes, as entries of `DetectionBatch.left_out`.
    is_repaired : ndarray of bool, shape (m,)
        Whether the shape was repaired.
    """

    kept: Codes
    shapes: Shapes
    counts: dict[str, int] = field(factory=dict)
    is_repaired: NDArray[np.bool_] = field()

    @is_repaired.default
    def _none_repaired(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.kept), bool)


GeometryCheck = Callable[[Sequence[Geometry], Codes, str, Callable[[int], str]], CheckedShapes]
"""Check of geometries, given the sizes of their images, their side and the name of a row."""


def finite_shapes(
    geometries: Sequence[Geometry], sizes: Codes, side: str, place: Callable[[int], str]
) -> CheckedShapes:
    """Return shapes after checking that coordinates are finite and edges ordered.

    Raises
    ------
    SchemaError
        If a geometry is not finite or not ordered; names the annotation.
    """
    invalid = [row for row, one in enumerate(geometries) if not _is_finite_and_ordered(one)]
    if invalid:
        raise SchemaError(
            f"{place(invalid[0])}: expected a shape with finite coordinates, xmin <= xmax and "
            f"ymin <= ymax, got {geometries[invalid[0]]!r}{and_more(len(invalid) - 1)}"
        )
    return CheckedShapes(np.arange(len(geometries)), Shapes.of(geometries))


def _is_finite_and_ordered(geometry: Geometry) -> bool:
    match geometry:
        case Box(xmin, ymin, xmax, ymax):
            is_ordered = xmin <= xmax and ymin <= ymax
            return is_ordered and math.isfinite((xmax - xmin) * (ymax - ymin))
        case RotatedBox(x, y, width, height, angle):
            is_finite = all(map(math.isfinite, (x, y, angle, width * height)))
            return is_finite and width >= 0 and height >= 0
        case Mask():
            return True
    polygons = (geometry,) if isinstance(geometry, Polygon) else geometry.polygons
    return all(np.isfinite(ring).all() for polygon in polygons for ring in polygon.rings)


@frozen(eq=False, repr=False)
class Packed:
    """Objects of one side with checked geometries.

    Parameters
    ----------
    images, positions : list of int
        Image of each object, and its position in the image.
    objects : list of TrueObject or of PredictedObject
        The objects.
    checked : CheckedShapes
        Shapes of the objects, and the number of excluded or repaired ones.
    """

    images: list[int]
    positions: list[int]
    objects: list[Any]
    checked: CheckedShapes

    @classmethod
    def of(
        cls,
        items: Sequence[Detection],
        side: str,
        expected: type[Any],
        check: GeometryCheck,
        place: ObjectPlace | None,
    ) -> Packed:
        """Collect and check the objects of one side of the images."""
        found: list[tuple[int, int, Any]] = [
            (i, j, one) for i, item in enumerate(items) for j, one in enumerate(_side(item, side))
        ]

        def name(row: int) -> str:
            i, j, _ = found[row]
            return f"item {items[i].uid!r}, {side}[{j}]" if place is None else place(side, i, j)

        for row, (i, _, one) in enumerate(found):
            if not isinstance(one, expected):
                raise SchemaError(
                    f"{name(row)}: expected a {expected.__name__}, got {short_repr(one)}"
                )
            _check_labels(name(row), side, one.labels)
            _check_size(name(row), one.geometry, items[i].size)
        sizes = image_sizes(items)[[i for i, *_ in found]]
        valid = check([one.geometry for *_, one in found], sizes, side, name)
        kept = [found[row] for row in valid.kept.tolist()]
        return cls([i for i, *_ in kept], [j for _, j, _ in kept], [one for *_, one in kept], valid)

    def true(self, vocabulary: Vocabulary) -> TrueObjects:
        """Convert true objects to columns, with a row per label."""
        rows, labels = self._rows([one.labels for one in self.objects])
        areas = self.checked.shapes.areas
        repaired = self.checked.is_repaired.tolist()
        for row, one in enumerate(self.objects):
            if one.area is not None and not repaired[row]:
                areas[row] = one.area
        return TrueObjects(
            **self._columns(rows),
            labels=list(map(vocabulary.code, labels)),
            crowd=[self.objects[row].is_crowd for row in rows],
            areas=areas[rows],
            ignored=[self.objects[row].ignored for row in rows],
        )

    def predicted(self, vocabulary: Vocabulary) -> PredictedObjects:
        """Convert predicted objects to columns, with a row per label."""
        rows, labels = self._rows([one.labels for one in self.objects])
        return PredictedObjects(
            **self._columns(rows),
            labels=[vocabulary.code(label) for label, _ in labels],
            scores=[score for _, score in labels],
            areas=self.checked.shapes.areas[rows],
        )

    def _rows(self, labels: Sequence[Sequence[Any]]) -> tuple[list[int], list[Any]]:
        """Return the object and the label of each row."""
        rows = [row for row, listed in enumerate(labels) for _ in listed]
        return rows, [label for listed in labels for label in listed]

    def _columns(self, rows: list[int]) -> dict[str, Any]:
        return {
            "datums": [self.images[row] for row in rows],
            "annotations": [self.positions[row] for row in rows],
            "shapes": self.checked.shapes.select(np.array(rows, np.int64)),
            "uids": _uids([self.objects[row].uid for row in rows]),
            "keypoints": Keypoints.of(
                [self.objects[row].keypoints for row in rows],
                [getattr(self.objects[row], "num_keypoints", None) for row in rows],
            ),
        }


def image_sizes(items: Sequence[Detection]) -> Codes:
    """Return height and width of each image, 0 if unknown."""
    return np.array([item.size or (0, 0) for item in items], np.int64).reshape(-1, 2)


def searched_labels(items: Sequence[Detection], vocabulary: Vocabulary) -> list[list[int]] | None:
    """Return pairs of the positions of images and the codes of their searched labels, if given."""
    given = [item.searched is not None for item in items]
    if not any(given):
        return None
    if not all(given):
        missing = items[given.index(False)]
        raise SchemaError(f"item {missing.uid!r}: expected searched labels for all items or none")
    listed = [(i, label) for i, item in enumerate(items) for label in item.searched or ()]
    return sorted([i, vocabulary.code(label)] for i, label in dict.fromkeys(listed))


def _side(item: Detection, side: str) -> Sequence[Any]:
    return item.groundtruths if side == TrueObjects.side else item.predictions


def _uids(uids: Sequence[Uid | None]) -> NDArray[Any] | None:
    if all(uid is None for uid in uids):
        return None
    return object_column(uids)


def _check_labels(place: str, side: str, labels: Sequence[Any]) -> None:
    """Raise a `SchemaError` for missing or conflicting labels of one object."""
    if not labels:
        raise SchemaError(f"{place}: expected a label, found none")
    listed = [one if isinstance(one, Label) else one[0] for one in labels]
    if side == TrueObjects.side:
        names, expected = [label.key for label in listed], "one label for each key"
    else:
        names, expected = list(map(str, listed)), "each label once"
        check_finite_scores(labels, place)
    if len(set(names)) < len(names):
        twice = [
            repr(str(label))
            for label, name in zip(listed, names, strict=True)
            if names.count(name) > 1
        ]
        raise SchemaError(f"{place}: expected {expected}, found {' and '.join(twice)}")


def _check_size(place: str, geometry: Geometry, size: tuple[int, int] | None) -> None:
    """Raise a `SchemaError` unless a mask is as large as its image."""
    if size is None or not isinstance(geometry, Mask):
        return
    if (geometry.height, geometry.width) != size:
        raise SchemaError(
            f"{place}: expected a mask of {size[0]} by {size[1]} pixels like its image, "
            f"got {geometry.height} by {geometry.width}"
        )
