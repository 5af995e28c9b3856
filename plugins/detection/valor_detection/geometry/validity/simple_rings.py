"""Faults of small polygons without shapely.

The results are those of shapely. Signs of areas come from floating-point numbers where rounding
cannot change them, and from fractions elsewhere. Cases that need a repaired polygon, holes or
parts that may overlap are left to shapely.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Floats
from valor_core.schemas.geometry import Polygon, Rings

MOST_CORNERS = 500
"""Maximum number of corners of a ring; all pairs of its edges are compared."""

SOUND, CROSSING, FLAT, UNDECIDED = range(4)
"""Results: valid, self-crossing, without area, or not decided."""

_MARGIN = 1e-12
"""Part of the size below which an area may be rounding of the coordinates, or of shapely."""

_LEAST = 1e-280  # smaller areas may have lost digits
_APART, _TOUCHING, _UNCLEAR = range(3)


def polygon_results(rings: Rings) -> list[int]:
    """Return the result of each row of polygons; rings have at least three corners.

    Examples
    --------
    >>> square = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])
    >>> bow = Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    >>> polygon_results(Rings.of([[square], [bow], [square, square]]))
    [0, 1, 3]
    """
    return [_of_row(rings.at(row)) for row in range(len(rings))]


def _of_row(polygons: tuple[Polygon, ...]) -> int:
    if not polygons or any(len(polygon.rings) != 1 for polygon in polygons):
        return UNDECIDED
    outlines = [polygon.rings[0] for polygon in polygons]
    found = [ring_result(outline) for outline in outlines]
    if len(found) == 1:
        return found[0]
    if UNDECIDED in found or FLAT in found or not _are_separate(outlines):
        return UNDECIDED
    return max(found)


def _are_separate(outlines: Sequence[Floats]) -> bool:
    """Return whether the bounding boxes of rings have no point in common."""
    low = np.array([outline.min(axis=0) for outline in outlines])
    high = np.array([outline.max(axis=0) for outline in outlines])
    common = ((low[:, None] <= high) & (low <= high[:, None])).all(axis=2)
    return int(common.sum()) == len(outlines)


def ring_result(points: Floats) -> int:
    """Return the result of one ring.

    Parameters
    ----------
    points : ndarray of float64, shape (n, 2)
        Corners; the first is not repeated at the end.

    Examples
    --------
    >>> ring_result(np.array([(0.0, 0.0), (2.0, 0.0), (1.0, 0.0)])) == FLAT
    True
    """
    points = points[(points != np.roll(points, 1, axis=0)).any(axis=1)]
    count = len(points)
    if not 2 < count <= MOST_CORNERS:
        return FLAT if count < 3 else UNDECIDED
    sides = _sides(points)
    following = sides * np.roll(sides, -1, axis=1)  # of both ends of each edge
    crossing = (following < 0) & (following < 0).T
    apart = (following > 0) | (following > 0).T | _boxes_apart(points)
    if not sides.any():
        exact = _fractions(points)
        return UNDECIDED if any(_side(exact[0], exact[1], one) for one in exact) else FLAT
    if any(not _is_ahead(points, i) for i in _straight(sides)):
        return UNDECIDED
    step = np.subtract.outer(np.arange(count), np.arange(count)) % count
    pairs = np.argwhere(~crossing & ~apart & (step > 1) & (step < count - 1))
    meeting = {_meeting(points, sides, i, j) for i, j in pairs.tolist() if i < j}
    if _UNCLEAR in meeting:
        return UNDECIDED
    if crossing.any() or _TOUCHING in meeting:
        return CROSSING
    return SOUND if _has_area(points) else UNDECIDED


def _sides(points: Floats) -> NDArray[np.int8]:
    """Return the side of the line of each edge on which each corner is; 0 if it is near it."""
    with np.errstate(over="ignore", invalid="ignore"):
        starts = points[:, None] - points
        ends = np.roll(points, -1, axis=0)[:, None] - points
        areas = starts[..., 0] * ends[..., 1] - starts[..., 1] * ends[..., 0]
        certain = np.abs(areas) > max(_MARGIN * np.abs(points).max() * np.ptp(points), _LEAST)
        signs: NDArray[np.int8] = np.where(certain, np.sign(areas), 0).astype(np.int8)
    return signs


def _boxes_apart(points: Floats) -> NDArray[np.bool_]:
    """Return which pairs of edges have bounding boxes without a common point."""
    ends = np.roll(points, -1, axis=0)
    low, high = np.minimum(points, ends), np.maximum(points, ends)
    apart: NDArray[np.bool_] = np.logical_or.reduce(low[:, None] > high, axis=2)
    return apart | apart.T


def _fractions(points: Floats) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(x), Fraction(y)) for x, y in points.tolist()]


def _side(a: Any, b: Any, c: Any) -> Fraction:
    side: Fraction = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return side


def _meeting(points: Floats, sides: NDArray[np.int8], i: int, j: int) -> int:
    """Return whether two edges that are not neighbors have a point in common."""
    count, exact = len(points), _fractions(points.take((i, i + 1, j, j + 1), 0, mode="wrap"))
    a, b, c, d = exact
    of_first = _side(a, b, c), _side(a, b, d)
    of_second = _side(c, d, a), _side(c, d, b)
    near = [sides[i, j], sides[i, (j + 1) % count], sides[j, i], sides[j, (i + 1) % count]]
    if any(side and not sign for side, sign in zip(of_first + of_second, near, strict=True)):
        return _UNCLEAR
    if not any(of_first):  # on one line, where the order of corners is that of their coordinates
        low, high = max(min(a, b), min(c, d)), min(max(a, b), max(c, d))
        return _UNCLEAR if low < high else _TOUCHING if low == high else _APART
    meet = of_first[0] * of_first[1] <= 0 and of_second[0] * of_second[1] <= 0
    return _TOUCHING if meet else _APART


def _straight(sides: NDArray[np.int8]) -> list[int]:
    """Return the edges that the next edge continues, or goes back along."""
    edges = np.arange(len(sides))
    straight: list[int] = edges[sides[edges, (edges + 2) % len(sides)] == 0].tolist()
    return straight


def _is_ahead(points: Floats, i: int) -> bool:
    """Return whether the edge after edge i continues it."""
    a, b, c = _fractions(points.take((i, i + 1, i + 2), 0, mode="wrap"))
    ahead: Fraction = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])
    return ahead > 0


def _has_area(points: Floats) -> bool:
    """Return whether the area is certainly positive in floating-point numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        here = points - points[0]
        after = np.roll(here, -1, axis=0)
        area = abs(float((here[:, 0] * after[:, 1] - here[:, 1] * after[:, 0]).sum()))
        return area > float(max(_MARGIN * np.abs(points).max() * np.ptp(points), _LEAST))
