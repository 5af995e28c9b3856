"""Faults of invalid shapes.

In the order of the checks:

- ``not finite``: a coordinate is NaN or infinite, or the area overflows;
- ``inverted``: a box whose right edge is left of its left one, or lower edge above its upper one;
- ``empty``: a polygon of fewer than three corners, or a mask without pixels;
- ``zero area``: a box or polygon that encloses nothing;
- ``self-crossing``: a polygon whose edges cross, or whose parts overlap;
- ``out of the image``: more than one pixel is outside of an image of known size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from valor_core.packages import import_extra
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Box, Geometry, Mask, Rings, RotatedBox, Shapes
from valor_core.schemas.geometry.shapes import GEOMETRY_KINDS, MASK, POLYGON, polygons_of
from valor_detection.geometry.polygons import drawable, import_shapely, self_crossing, to_shapely
from valor_detection.geometry.validity.simple_rings import (
    CROSSING,
    FLAT,
    UNDECIDED,
    polygon_results,
)

SLACK = 1.0
"""Pixels by which a shape may exceed its image: annotators and models round."""


NOT_FINITE, INVERTED, EMPTY, ZERO_AREA, SELF_CROSSING, OUTSIDE = range(1, 7)
"""Codes of faults; 0 is a valid shape."""


FAULTS = ("", "not finite", "inverted", "empty", "zero area", "self-crossing", "out of the image")
"""Names of faults by code."""


EXPECTED = (
    "",
    "with finite coordinates and area",
    "with xmin <= xmax and ymin <= ymax",
    "with at least three corners, or a pixel",
    "with an area",
    "whose edges do not cross",
    "inside its image",
)
"""Expectations in error messages by fault code."""


Faults = NDArray[np.uint8]
"""Codes of faults."""


def box_faults(boxes: Floats, sizes: Codes | None) -> Faults:
    """Return the fault codes of boxes.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        The boxes.
    sizes : ndarray of int64, shape (n, 2), optional
        Height and width of each row's image; 0 where unknown.

    Examples
    --------
    >>> box_faults(np.array([[0.0, 0.0, 2.0, 1.0], [3.0, 1.0, -2.0, 1.0]]), None)
    array([0, 2], dtype=uint8)
    """
    faults = np.zeros(len(boxes), np.uint8)
    with np.errstate(over="ignore", invalid="ignore"):
        areas = boxes[:, 2] * boxes[:, 3]
        stops = boxes[:, :2] + boxes[:, 2:]  # finite only if all their terms are
    finite: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(stops), axis=1)
    finite &= np.isfinite(areas)
    boxes = np.where(finite[:, None], boxes, 1.0)
    sides = boxes[:, 2:]
    if sizes is not None:
        faults[is_outside(boxes, sizes)] = OUTSIDE
    faults[(sides == 0).any(axis=1)] = ZERO_AREA
    faults[(sides < 0).any(axis=1)] = INVERTED
    faults[~finite] = NOT_FINITE
    return faults


def is_outside(boxes: Floats, sizes: Codes) -> NDArray[np.bool_]:
    """Return which boxes exceed their image by more than `SLACK`.

    Examples
    --------
    >>> is_outside(np.array([[0.0, 0.0, 12.0, 1.0]]), np.array([[10, 10]]))
    array([ True])
    """
    limits = sizes[:, ::-1]
    with np.errstate(over="ignore"):
        stops = boxes[:, :2] + boxes[:, 2:]
    has_size: NDArray[np.bool_] = np.logical_and.reduce(limits > 0, axis=1)
    outside = (boxes[:, :2] < -SLACK) | (stops > limits + SLACK)
    anywhere: NDArray[np.bool_] = np.logical_or.reduce(outside, axis=1)
    return anywhere & has_size


def shape_faults(
    shapes: Shapes, sizes: Codes | None, place: Callable[[int], str] = "shapes[{}]".format
) -> Faults:
    """Return the fault codes of shapes of any kind.

    Rotated boxes need no check of their edges. Without shapely, other small polygons without holes
    are compared edge by edge.

    Parameters
    ----------
    shapes : Shapes
        The shapes.
    sizes : ndarray of int64, shape (n, 2), optional
        Height and width of each row's image; 0 where unknown.
    place : callable
        Returns the name of a row in messages.

    Raises
    ------
    MissingExtraError
        If a polygon needs shapely, which is not installed.

    Examples
    --------
    >>> FAULTS[shape_faults(Shapes.of([Mask.of([[0, 0]])]), None)[0]]
    'empty'
    """
    faults = box_faults(shapes.boxes, sizes)
    masks = np.flatnonzero(shapes.kinds == MASK)
    faults[masks] = np.where(shapes.areas[masks] == 0, EMPTY, 0)
    polygons = np.flatnonzero(shapes.kinds == POLYGON)
    if shapes.rings is not None and len(polygons):
        from valor_detection.geometry.quadrilaterals import are_clearly_convex

        polygons = polygons[~are_clearly_convex(shapes.rings, polygons)]
    if shapes.rings is not None and len(polygons):
        check = _polygon_faults if find_spec("shapely") else _simple_faults
        rings = shapes.rings.select(polygons)
        faults[polygons] = check(rings, faults[polygons], lambda row: place(int(polygons[row])))
    return np.where(area_faults(shapes) > 0, NOT_FINITE, faults).astype(np.uint8)


def area_faults(shapes: Shapes) -> Faults:
    """Return the fault codes of shapes with an area that is not finite.

    Examples
    --------
    >>> area_faults(Shapes(np.array([[0.0, 0.0, 1e200, 1e200]])))
    array([1], dtype=uint8)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(shapes.areas)
    return np.where(is_finite, 0, NOT_FINITE).astype(np.uint8)


def _simple_faults(rings: Rings, faults: Faults, place: Callable[[int], str]) -> Faults:
    """Return the same as `_polygon_faults` without shapely."""
    is_empty = _corners(rings) < 3
    results = np.array(polygon_results(drawable(rings)))
    undecided = np.flatnonzero((results == UNDECIDED) & ~is_empty)
    if len(undecided):
        row = int(undecided[0])
        corners = sum(len(ring) for polygon in rings.at(row) for ring in polygon.rings)
        doing = f"{place(row)}: checking a polygon of {corners:,} corners for self-crossing"
        import_extra("shapely", doing, "valor-core[polygons]")
    faults[results == CROSSING] = SELF_CROSSING
    faults[results == FLAT] = ZERO_AREA
    faults[is_empty] = EMPTY
    return faults


def _polygon_faults(rings: Rings, faults: Faults, place: Callable[[int], str]) -> Faults:
    """Return the fault codes of polygons; `faults` are those of their bounding boxes."""
    doing = "checking polygons for self-crossing"
    shapely = import_shapely(doing)
    outlines = to_shapely(rings, doing)
    crossing, tangled = self_crossing(outlines)
    faults[crossing] = faults[tangled] = SELF_CROSSING
    outlines[crossing] = shapely.make_valid(outlines[crossing])
    # Splitting these would take hours; their area is positive unless all corners are collinear.
    outlines[tangled] = shapely.convex_hull(outlines[tangled])
    faults[shapely.area(outlines) <= 0] = ZERO_AREA
    faults[_corners(rings) < 3] = EMPTY
    return faults


def _corners(rings: Rings) -> Codes:
    """Return the maximum number of corners of an outer ring of each row."""
    filled = np.diff(rings.polygons) > 0
    owner = np.repeat(np.arange(len(rings)), np.diff(rings.rows))[filled]
    most = np.zeros(len(rings), np.int64)
    np.maximum.at(most, owner, np.diff(rings.rings)[rings.polygons[:-1][filled]])
    return most


def object_fault(geometry: Geometry) -> int:
    """Return the fault code of an object that cannot be converted to columns, otherwise 0.

    Examples
    --------
    >>> FAULTS[object_fault(Box(0, 0, math.nan, 1))]
    'not finite'
    """
    if isinstance(geometry, Mask):
        return 0
    if not _is_finite(geometry):
        return NOT_FINITE
    return INVERTED if is_inverted(geometry) else 0


def _is_finite(geometry: Geometry) -> bool:
    """Return whether all coordinates and the area of their bounding box are finite."""
    if isinstance(geometry, (Box, RotatedBox)):
        area = geometry.area if isinstance(geometry, Box) else geometry.width * geometry.height
        return all(map(math.isfinite, (*_numbers(geometry), area)))
    rings = [ring for polygon in polygons_of(geometry) for ring in polygon.rings if len(ring)]
    with np.errstate(over="ignore", invalid="ignore"):
        return all(np.isfinite(np.prod(np.ptp(ring, axis=0))) for ring in rings)


def is_inverted(geometry: Geometry) -> bool:
    """Return whether the edges of a box are in the wrong order.

    Examples
    --------
    >>> is_inverted(Box(2, 0, 0, 1))
    True
    """
    if isinstance(geometry, Box):
        return geometry.xmin > geometry.xmax or geometry.ymin > geometry.ymax
    return isinstance(geometry, RotatedBox) and (geometry.width < 0 or geometry.height < 0)


def geometry_words(geometry: Geometry) -> str:
    """Format a geometry for an error message.

    Examples
    --------
    >>> geometry_words(Box(0, 0, 2, 1))
    'a box 0, 0, 2, 1'
    """
    if isinstance(geometry, Box):
        return f"a box {', '.join(f'{value:g}' for value in _numbers(geometry))}"
    if isinstance(geometry, RotatedBox):
        return f"a rotated box {', '.join(f'{value:g}' for value in _numbers(geometry))}"
    if isinstance(geometry, Mask):
        return f"a mask of {geometry.height} by {geometry.width} pixels"
    corners = [len(ring) for polygon in polygons_of(geometry) for ring in polygon.rings]
    return f"a {GEOMETRY_KINDS[POLYGON]} of {sum(corners)} corners"


def _numbers(geometry: Box | RotatedBox) -> tuple[float, ...]:
    if isinstance(geometry, Box):
        return geometry.xmin, geometry.ymin, geometry.xmax, geometry.ymax
    return geometry.x, geometry.y, geometry.width, geometry.height, geometry.angle_degrees
