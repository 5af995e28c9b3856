"""Polygons around the pixels of masks, with their holes."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes
from valor_core.schemas.geometry import Polygon, Rings, Shapes

_ANTIDIAGONAL = 6
_CORNERS_AT = np.array([0, 1, 1, 0, 1, 0, 2, 1, 1, 2, 0, 1, 0, 1, 1, 0])
"""Number of corners at a point by the code of its pixels: the sum of 1 for the upper left pixel, 2
for the upper right, 4 for the lower left and 8 for the lower right one."""


def contours(shapes: Shapes, rows: Codes) -> Rings:
    """Return the polygons of masks, whose corners are corners of pixels.

    The polygons have exactly the area of the mask. Pixels that share only a corner are in different
    polygons. The corners are those of ``rasterio.features.shapes`` with ``connectivity=4``.

    Parameters
    ----------
    shapes : Shapes
        Shapes with masks.
    rows : ndarray of int64
        Rows of the masks.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Mask
    >>> contours(Shapes.of([Mask.of([[0, 1], [0, 1]])]), np.array([0])).points.tolist()
    [[1.0, 0.0], [1.0, 2.0], [2.0, 2.0], [2.0, 0.0]]
    """
    return Rings.of([_polygons(shapes, row) for row in rows.tolist()])


def _polygons(shapes: Shapes, row: int) -> list[Polygon]:
    if shapes.masks is None:
        return []
    pixels = shapes.masks.at(row).array.astype(bool)
    filled = np.flatnonzero(pixels.any(axis=0))
    if not len(filled):
        return []
    left = int(filled[0])
    return outlines(pixels[:, left : int(filled[-1]) + 1], left)


def outlines(pixels: NDArray[np.bool_], left: int = 0) -> list[Polygon]:
    """Trace the polygons of an image, sorted by their first corner, top to bottom.

    Parameters
    ----------
    pixels : ndarray of bool, shape (height, width)
        True inside.
    left : int
        Column of the first pixels.

    Examples
    --------
    >>> ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], bool)
    >>> [one.tolist() for one in outlines(ring)[0].rings]
    [[[0.0, 0.0], [0.0, 3.0], [3.0, 3.0], [3.0, 0.0]],
     [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]]]
    """
    if not pixels.any():
        return []
    corners = _Corners.of(pixels)
    owners = _owners(pixels, corners, corners.rings())
    # The first trace separates all pixels that meet at a corner. If both are of one polygon, the
    # outline would run through the corner twice, into a hole and out again: separate the hole.
    corners = corners.turned(owners)
    rings = corners.rings()
    owners = _owners(pixels, corners, rings)
    polygons: dict[int, list[NDArray[np.int64]]] = {}
    for ring in rings:
        points = np.stack([corners.x[ring] + left, corners.y[ring]], axis=1)
        polygons.setdefault(int(owners[ring[0]]), []).append(points)
    return [Polygon(found) for found in polygons.values()]


@frozen(eq=False)
class _Corners:
    """Corners of outlines, sorted by row and column.

    Two corners have the same point if pixels touch diagonally.

    Parameters
    ----------
    x, y : ndarray of int64, shape (n,)
        Coordinates.
    codes : ndarray of uint8, shape (n,)
        Pixels around each point, see `_CORNERS_AT`.
    right, lower : ndarray of bool, shape (n,)
        Edges of a corner that share their point with another one: True if the horizontal edge is
        on the right and if the vertical edge is below.
    """

    x: Codes
    y: Codes
    codes: NDArray[np.uint8]
    right: NDArray[np.bool_]
    lower: NDArray[np.bool_]

    @classmethod
    def of(cls, pixels: NDArray[np.bool_]) -> _Corners:
        above = np.pad(pixels, 1).view(np.uint8)
        sides = above[:, :-1] + (above[:, 1:] << 1)
        grid = sides[:-1] + (sides[1:] << 2)
        counts = _CORNERS_AT.astype(np.uint8)[grid]
        points = np.flatnonzero(counts)
        points = np.repeat(points, counts.ravel()[points])
        y, x = np.divmod(points, grid.shape[1])
        codes = grid.ravel()[points]
        right = np.append(False, points[1:] == points[:-1])
        return cls(x, y, codes, right, np.where(codes == _ANTIDIAGONAL, ~right, right))

    def turned(self, owners: Codes) -> _Corners:
        """Separate the pixels outside where both pixels inside are of one polygon."""
        second = np.flatnonzero(self.right)
        same = second[owners[second] == owners[second - 1]]
        lower = self.lower.copy()
        lower[same], lower[same - 1] = ~lower[same], ~lower[same - 1]
        return _Corners(self.x, self.y, self.codes, self.right, lower)

    def rings(self) -> list[list[int]]:
        """Return the corners of each ring from its first corner: outer rings down, holes right."""
        count = len(self.x)
        across, down = np.empty(count, np.int64), np.empty(count, np.int64)
        # In each row of points, the first corner is joined to the second, the third to the fourth.
        for partner, keys in (
            (across, (self.right, self.x, self.y)),
            (down, (self.lower, self.y, self.x)),
        ):
            order = np.lexsort(keys)
            partner[order[0::2]], partner[order[1::2]] = order[1::2], order[0::2]
        horizontal, vertical = across.tolist(), down.tolist()
        is_hole = (self.codes & 8 == 0).tolist()  # the pixel on the lower right is outside
        rings, is_traced = [], [False] * count
        for first in range(count):
            if is_traced[first]:
                continue
            one, other = (horizontal, vertical) if is_hole[first] else (vertical, horizontal)
            ring, corner = [], first
            while not is_traced[corner]:
                ring += [corner, one[corner]]
                is_traced[corner] = is_traced[one[corner]] = True
                corner = other[one[corner]]
            rings.append(ring)
        return rings


def _owners(pixels: NDArray[np.bool_], corners: _Corners, rings: list[list[int]]) -> Codes:
    """Return the number of the outer ring of each corner's polygon."""
    ring_of = np.empty(len(corners.x), np.int64)
    for number, ring in enumerate(rings):
        ring_of[ring] = number
    # Vertical edges by row, to find the outline on the left of a hole.
    order = np.lexsort((corners.lower, corners.y, corners.x))
    tops, bottoms = order[0::2], order[1::2]
    lengths = corners.y[bottoms] - corners.y[tops]
    rows = np.repeat(corners.y[tops], lengths)
    rows += np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    width = pixels.shape[1] + 1
    keys = rows * width + np.repeat(corners.x[tops], lengths)
    by_key = np.argsort(keys)
    keys, owners = keys[by_key], np.repeat(ring_of[tops], lengths)[by_key]
    parents = list(range(len(rings)))
    for number, ring in enumerate(rings):
        first = ring[0]
        if corners.codes[first] & 8 == 0:
            # The pixel above a hole is inside. The outline on its left is of the same polygon.
            above = (corners.y[first] - 1) * width + corners.x[first]
            parents[number] = parents[owners[np.searchsorted(keys, above, side="right") - 1]]
    return np.array(parents, np.int64)[ring_of]
