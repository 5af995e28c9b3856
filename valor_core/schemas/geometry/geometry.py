"""Geometry as people write it: boxes, rotated boxes, polygons with holes, masks.

Coordinates are continuous pixels: x to the right, y down, and the pixel of row r and column c
covers c to c + 1 and r to r + 1. A box from 0 to 2 is two pixels wide.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas.columns import BY_CONTENT, as_float, check_number, read_only
from valor_core.schemas.geometry.run_lengths import decoded, encoded, runs_of

Points = NDArray[np.float64]
"""Corners, shape (n, 2), x before y."""


def _points(values: Any) -> Points:
    try:
        array = np.array(values)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iuf":
        raise SchemaError(f"Polygon: expected points (x, y), got {shown(values)}")
    array = array.astype(np.float64)
    if len(array) > 1 and np.array_equal(array[0], array[-1]):
        array = array[:-1]
    return cast("Points", read_only(array))


def _rings(values: Any) -> tuple[Points, ...]:
    if not isinstance(values, (Sequence, np.ndarray)) or isinstance(values, str):
        raise SchemaError(f"Polygon: expected rings of points, got {shown(values)}")
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
        raise SchemaError(f"Mask: expected a whole number of pixels, got {shown(value)}")
    return side


@frozen
class Box:
    """An axis-aligned box.

    Parameters
    ----------
    xmin, ymin, xmax, ymax : float
        Its edges, in continuous pixels.

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
    """An outer ring and its holes.

    Parameters
    ----------
    rings : sequence of points, or of sequences of points
        The outer ring alone, or it and then the holes; a closing point may be there or not.

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
    """Several polygons that are one object.

    Parameters
    ----------
    polygons : sequence of Polygon
        Its parts.
    """

    polygons: tuple[Polygon, ...] = field(converter=_polygons)


@frozen
class RotatedBox:
    """A box turned around its center; it counts as a polygon.

    Parameters
    ----------
    x, y : float
        Center, in continuous pixels.
    width, height : float
        Lengths of its sides.
    angle_degrees : float
        By how much it is turned, from the x axis towards the y axis (clockwise as seen).

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
        """Its four corners."""
        turn = math.radians(self.angle_degrees)
        along = np.array([math.cos(turn), math.sin(turn)]) * self.width / 2
        across = np.array([-math.sin(turn), math.cos(turn)]) * self.height / 2
        center = np.array([self.x, self.y])
        signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        return Polygon([center + a * along + b * across for a, b in signs])


@frozen
class Mask:
    """The pixels of an object in an image, as COCO's run lengths.

    Parameters
    ----------
    runs : ndarray of uint32, shape (n,)
        Lengths of runs of pixels outside and inside by turns, beginning outside, down the
        columns, the left column first. They add up to all pixels.
    height, width : int
        Size of the image, in pixels.

    Raises
    ------
    SchemaError
        If the runs do not fill the image.

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
                f"Mask: expected runs that fill {self.height} by {self.width} pixels, "
                f"got {filled:,} pixels"
            )

    @classmethod
    def of(cls, array: Any) -> Mask:
        """The mask that an array of zeros and others shows, one row per row of pixels.

        Raises
        ------
        SchemaError
            If it has other than two dimensions, or fractions, which no threshold has cut yet.
        """
        array = np.asarray(array)
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise SchemaError(f"Mask: expected rows and columns of pixels, got {shown(array)}")
        if array.dtype.kind == "f" and not np.isin(array, (0, 1)).all():
            strange = array[~np.isin(array, (0, 1))][0].item()
            raise SchemaError(
                f"Mask: expected pixels of 0 and 1, got {strange}",
                "Cut what is a probability first: Mask.of(array > 0.5).",
            )
        height, width = array.shape
        return cls(encoded(array != 0), height, width)

    @classmethod
    def from_rle(cls, rle: Mapping[str, Any]) -> Mask:
        """The mask of COCO's ``{"size": [height, width], "counts": …}``, compressed or not.

        Parameters
        ----------
        rle : mapping
            Its size, and its counts: text or a list of whole numbers.

        Raises
        ------
        SchemaError
            If the size is not two whole numbers, the counts are no run lengths, or their sum is
            not the number of pixels.
        """
        size: Any = rle.get("size")
        if np.shape(size) != (2,) or np.asarray(size).dtype.kind not in "iu":
            raise SchemaError(f"Mask: expected a size [height, width], got {shown(size)}")
        height, width = np.asarray(size).tolist()
        return cls(rle.get("counts"), height, width)

    @property
    def array(self) -> NDArray[np.bool_]:
        """The pixels, shape (height, width)."""
        return decoded(self.runs, self.height, self.width)


Geometry = Box | RotatedBox | Polygon | MultiPolygon | Mask
"""A geometry of an object."""
