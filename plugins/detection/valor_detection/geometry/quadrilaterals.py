"""Convex quadrilaterals among shapes: boxes, rotated boxes and polygons of four corners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Rings, Shapes
from valor_core.schemas.geometry.shapes import BOX, POLYGON
from valor_detection.geometry.conversion import corners

_SKEW = 1e-3  # share of the diagonal, above the rounding of corners
_ROUNDING = 2.0**-48  # of corners, relative to coordinates


def convex_quadrilaterals(shapes: Shapes, rows: Codes) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the corners of boxes and of convex polygons with four corners.

    Parameters
    ----------
    shapes : Shapes
        The shapes.
    rows : ndarray of int64, shape (n,)
        Rows to convert.

    Returns
    -------
    points : ndarray of float64, shape (n, 4, 2)
        Corners with positive orientation: from x to y, clockwise on screen. Zeros for other shapes.
    is_convex : ndarray of bool, shape (n,)
        True for boxes, and for polygons whose four corners are convex up to rounding.

    Examples
    --------
    >>> from valor_core.schemas.geometry import RotatedBox
    >>> shapes = Shapes.of([RotatedBox(1, 1, 2, 2)])
    >>> convex_quadrilaterals(shapes, np.array([0]))[0].tolist()
    [[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]]
    """
    kinds = shapes.kinds[rows]
    points, is_convex = np.zeros((len(rows), 4, 2)), kinds == BOX
    points[is_convex] = corners(shapes.boxes[rows[is_convex]]).points.reshape(-1, 4, 2)
    polygons = np.flatnonzero(kinds == POLYGON)
    if len(polygons) and shapes.rings is not None:
        found, has_four = four_corners(shapes.rings, rows[polygons])
        found, oriented = _oriented(found)
        has_four[has_four] = oriented
        points[polygons[has_four]] = found[oriented]
        is_convex[polygons] = has_four
    return points, is_convex


def four_corners(rings: Rings, rows: Codes) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the corners of single polygons with four corners, and which rows they are.

    Parameters
    ----------
    rings : Rings
        The polygons.
    rows : ndarray of int64, shape (n,)
        Rows of the polygons.

    Returns
    -------
    points : ndarray of float64, shape (k, 4, 2)
        Corners of the rows that are a single polygon with four corners and without holes.
    has_four : ndarray of bool, shape (n,)
        True for the `k` rows.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Polygon
    >>> triangle = Polygon([(0, 0), (1, 0), (0, 1)])
    >>> four_corners(Rings.of([[triangle]]), np.array([0]))[1]
    array([False])
    """
    polygons = rings.rows[rows], rings.rows[rows + 1]
    has_four = polygons[1] - polygons[0] == 1
    parts = polygons[0][has_four]
    has_four[has_four] = rings.polygons[parts + 1] - rings.polygons[parts] == 1
    parts = rings.polygons[polygons[0][has_four]]
    first, end = rings.rings[parts], rings.rings[parts + 1]
    has_four[has_four] = end - first == 4
    return rings.points[first[end - first == 4, None] + np.arange(4)], has_four


def are_clearly_convex(rings: Rings, rows: Codes) -> NDArray[np.bool_]:
    """Return which rows are single polygons whose four corners are convex despite rounding.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Polygon
    >>> crossing = Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    >>> are_clearly_convex(Rings.of([[crossing]]), np.array([0]))
    array([False])
    """
    points, has_four = four_corners(rings, rows)
    _, turns, rounding = _turns(points)
    is_clear: NDArray[np.bool_] = np.logical_and.reduce(turns > rounding, axis=1)
    has_four[has_four] = is_clear
    return has_four


def _oriented(points: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Turn corners to positive orientation, and return which are convex up to rounding."""
    is_negative, turns, rounding = _turns(points)
    points = np.where(is_negative[:, None, None], points[:, ::-1], points)
    is_convex: NDArray[np.bool_] = np.logical_and.reduce(turns >= -rounding, axis=1)
    return points, is_convex


def _turns(points: Floats) -> tuple[NDArray[np.bool_], Floats, Floats]:
    """Return which outlines are negative, and the turns of the positive ones and their rounding.

    A turn is the cross product of two edges in sequence. The corners of a rotated box are rounded,
    which can bend the outline of a thin one.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.roll(points, -1, axis=1) - points
        following = np.roll(edges, -1, axis=1)
        turns = edges[..., 0] * following[..., 1] - edges[..., 1] * following[..., 0]
        sides = np.abs(edges).max(axis=(1, 2), initial=0)
        rounding = _ROUNDING * np.abs(points).max(axis=(1, 2), initial=0) * sides
        is_negative: NDArray[np.bool_] = np.less(np.add.reduce(turns, axis=1), 0)
    turns[is_negative] *= -1
    return is_negative, turns, rounding[:, None]


def are_rectangles(rings: Rings, rows: Codes) -> NDArray[np.bool_]:
    """Return which rows are rotated boxes: four corners with equal, bisecting diagonals.

    Examples
    --------
    >>> from valor_core.schemas.geometry import RotatedBox
    >>> are_rectangles(Rings.of([[RotatedBox(1, 1, 2, 1, 30).polygon]]), np.array([0]))
    array([ True])
    """
    corners, turned = four_corners(rings, rows)
    one, other = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    middles = corners[:, 2] + corners[:, 0] - corners[:, 3] - corners[:, 1]
    lengths = np.hypot(*one.T), np.hypot(*other.T)
    off = np.maximum(np.hypot(*middles.T), np.abs(lengths[0] - lengths[1]))
    turned[turned] = off <= _SKEW * np.maximum(*lengths)
    return turned
