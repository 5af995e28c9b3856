"""Geometries: boxes, rotated boxes, polygons with holes, and masks.

Coordinates are continuous pixels: x to the right, y down. The pixel in row r and column c covers y
from r to r + 1 and x from c to c + 1, so a box from 0 to 2 is two pixels wide.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.columns import BY_CONTENT, as_float, check_number, read_only
from valor_core.schemas.geometry.run_lengths import decoded, encoded, runs_of

Points = NDArray[np.float64]
"""Corner points, shape (n, 2), x before y."""


def _points(values: Any) -> Points:
    try:
        array = np.array(values)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iuf":
        raise SchemaError(f"Polygon: expected points (x, y), got {short_repr(values)}")
    array = array.astype(np.float64)
    if len(array) > 1 and np.array_equal(array[0], array[-1]):
        array = array[:-1]
    return cast("Points", read_only(array))


def _rings(values: Any) -> tuple[Points, ...]:
    if not isinstance(values, (Sequence, np.ndarray)) or isinstance(values, str):
        raise SchemaError(f"Polygon: expected rings of points, got {short_repr(values)}")
    is_one = len(values) > 0 and _is_point(values[0])
    return tuple(_points(ring) for ring in ([values] if is_one else values))


def _is_point(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    is_list = isinstance(value, Sequence)
    return is_list and not any(isinstance(part, (Sequence, np.ndarray)) for part in value)


def _coordinates(rings: tuple[Points, ...]) -> list[Any]:
    return [ring.tolist() for ring in rings]


def _number(value: Any) -> float:
    check_number(value, "geometry: expected a number")
    return as_float(value)


def _side(value: Any) -> int:
    try:
        side = operator.index(value)
    except TypeError:
        side = -1
    if side < 0:
        raise SchemaError(f"Mask: expected a whole number of pixels, got {short_repr(value)}")
    return side


@frozen
class Box:
    """Axis-aligned box.

    Parameters
    ----------
    xmin, ymin, xmax, ymax : float
        Edges, in continuous pixels.

    Examples
    --------
    >>> Box(0, 0, 2, 1).area
    2.0
    """

    xmin: float = field(converter=_number)
    ymin: float = field(converter=_number)
    xmax: float = field(converter=_number)
    ymax: float = field(converter=_number)

    @property
    def area(self) -> float:
        """Width times height."""
        return (self.xmax - self.xmin) * (self.ymax - self.ymin)


@frozen
class Polygon:
    """Polygon: an outer ring and its holes.

    Parameters
    ----------
    rings : sequence of points, or of sequences of points
        The outer ring alone, or the outer ring followed by the holes. Rings may repeat the first
        point at the end.

    Examples
    --------
    >>> Polygon([(0, 0), (2, 0), (2, 2), (0, 0)]).rings[0].tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]]
    """

    rings: tuple[Points, ...] = field(converter=_rings, eq=_coordinates)


def _polygons(values: Iterable[Any]) -> tuple[Polygon, ...]:
    return tuple(value if isinstance(value, Polygon) else Polygon(value) for value in values)


@frozen
class MultiPolygon:
    """Several polygons that form one object.

    Parameters
    ----------
    polygons : sequence of Polygon
        Parts of the object.
    """

    polygons: tuple[Polygon, ...] = field(converter=_polygons)


@frozen
class RotatedBox:
    """Box rotated around its center, evaluated as a polygon.

    Parameters
    ----------
    x, y : float
        Center, in continuous pixels.
    width, height : float
        Lengths of the sides.
    angle_degrees : float
        Rotation from the x axis towards the y axis (clockwise on screen).

    Examples
    --------
    >>> RotatedBox(1, 1, 2, 2, 0).polygon.rings[0].tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """

    x: float = field(converter=_number)
    y: float = field(converter=_number)
    width: float = field(converter=_number)
    height: float = field(converter=_number)
    angle_degrees: float = field(converter=_number, default=0.0)

    @property
    def polygon(self) -> Polygon:
        """Polygon with the four corners."""
        turn = math.radians(self.angle_degrees)
        along = np.array([math.cos(turn), math.sin(turn)]) * self.width / 2
        across = np.array([-math.sin(turn), math.cos(turn)]) * self.height / 2
        center = np.array([self.x, self.y])
        signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        return Polygon([center + a * along + b * across for a, b in signs])


@frozen
class Mask:
    """Pixels of an object in an image, as COCO's run lengths.

    Parameters
    ----------
    runs : ndarray of uint32, shape (n,)
        Alternating lengths of runs outside and inside the object, beginning outside, column by
        column from the left. They sum to the number of pixels.
    height, width : int
        Size of the image in pixels.

    Raises
    ------
    SchemaError
        If the runs do not sum to the number of pixels.

    Examples
    --------
    >>> Mask.of([[0, 1], [0, 1]]).runs
    array([2, 2], dtype=uint32)
    """

    runs: NDArray[np.uint32] = field(eq=BY_CONTENT, converter=runs_of)
    height: int = field(converter=_side)
    width: int = field(converter=_side)

    def __attrs_post_init__(self) -> None:
        filled = int(self.runs.sum(dtype=np.int64))
        if filled != self.height * self.width:
            raise SchemaError(
                f"Mask: expected runs for {self.height} by {self.width} pixels, "
                f"got {filled:,} pixels"
            )

    @classmethod
    def of(cls, array: Any) -> Mask:
        """Convert an array to a mask; values other than 0 are inside the object.

        Raises
        ------
        SchemaError
            If the array does not have two dimensions, or has fractions, which need a threshold
            first.
        """
        array = np.asarray(array)
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise SchemaError(f"Mask: expected rows and columns of pixels, got {short_repr(array)}")
        if array.dtype.kind == "f" and not np.isin(array, (0, 1)).all():
            unexpected = array[~np.isin(array, (0, 1))][0].item()
            raise SchemaError(
                f"Mask: expected pixels of 0 and 1, got {unexpected}",
                "Apply a threshold to probabilities: Mask.of(array > 0.5).",
            )
        height, width = array.shape
        return cls(encoded(array != 0), height, width)

    @classmethod
    def from_rle(cls, rle: Mapping[str, Any]) -> Mask:
        """Convert COCO's ``{"size": [height, width], "counts": …}``, compressed or not, to a mask.

        Parameters
        ----------
        rle : mapping
            Size and counts, which are text or a list of integers.

        Raises
        ------
        SchemaError
            If the size is not two integers, the counts are not run lengths, or their sum is not the
            number of pixels.
        """
        size: Any = rle.get("size")
        if np.shape(size) != (2,) or np.asarray(size).dtype.kind not in "iu":
            raise SchemaError(f"Mask: expected a size [height, width], got {short_repr(size)}")
        height, width = np.asarray(size).tolist()
        return cls(rle.get("counts"), height, width)

    @property
    def array(self) -> NDArray[np.bool_]:
        """Boolean image, shape (height, width)."""
        return decoded(self.runs, self.height, self.width)


Geometry = Box | RotatedBox | Polygon | MultiPolygon | Mask
"""Geometry of an object."""
