"""Rasterization of boxes and polygons.

A pixel is inside if its center is. The center of the pixel in row r and column c is at x = c + 0.5,
y = r + 0.5. A center on an edge belongs to the shape on its right or below it, so that shapes with
a common edge share no pixel and skip none. Holes are outside, and so are areas that two rings of
one polygon enclose. Shapes are clipped to the image.
"""

from __future__ import annotations

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Rings, Runs, ends
from valor_detection.kernels.boundaries import line, odd, runs_between, united


def drawn(rings: Rings, sizes: Codes) -> tuple[Runs, Codes]:
    """Return run lengths of the polygons of each row, and their starts.

    Parameters
    ----------
    rings : Rings
        Polygons; polygons of one row are united.
    sizes : ndarray of int64, shape (n, 2)
        Height and width of each row's image.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Polygon
    >>> square = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])
    >>> runs, rows = drawn(Rings.of([[square]]), np.array([[3, 3]]))
    >>> runs
    array([0, 2, 1, 2, 4], dtype=uint32)
    """
    rows = np.repeat(np.arange(len(rings)), np.diff(rings.rows))
    polygon = np.repeat(np.arange(len(rows)), np.diff(rings.polygons))
    pixels = sizes[:, 0] * sizes[:, 1]
    ring, pixel = _crossings(rings, sizes[rows[polygon]])
    lines = line(pixels[rows]), line(pixels)
    boundaries = odd(lines[0][polygon[ring]] + pixel, lines[0])
    runs, lengths = runs_between(united(boundaries, lines[0], rows, lines[1]), lines[1])
    return runs, ends(lengths)


def _crossings(rings: Rings, sizes: Codes) -> tuple[Codes, Codes]:
    """Return ring and next pixel of each crossing of an edge with the center of a column."""
    lengths = np.diff(rings.rings)
    full = lengths > 0
    ring = np.repeat(np.arange(len(lengths)), lengths)
    after = np.arange(len(ring)) + 1
    after[rings.rings[1:][full] - 1] = rings.rings[:-1][full]
    start, end = rings.points, rings.points[after]
    first = _first_center(np.minimum(start[:, 0], end[:, 0]), sizes[ring, 1])
    stop = _first_center(np.maximum(start[:, 0], end[:, 0]), sizes[ring, 1])
    counts = stop - first
    edge = np.repeat(np.arange(len(ring)), counts)
    column = np.arange(len(edge)) - np.repeat(ends(counts)[:-1] - first, counts)
    # From left to right, so that an edge that two polygons share is crossed in the same place.
    turned = (start[:, 0] > end[:, 0])[:, None]
    left, right = np.where(turned, end, start)[edge], np.where(turned, start, end)[edge]
    along = (column + 0.5 - left[:, 0]) / (right[:, 0] - left[:, 0])
    y = left[:, 1] + along * (right[:, 1] - left[:, 1])
    ring = ring[edge]
    return ring, column * sizes[ring, 0] + _first_center(y, sizes[ring, 0])


def _first_center(coordinates: Floats, count: Codes) -> Codes:
    """Return the first pixel whose center is not before a coordinate."""
    pixels: Codes = np.clip(np.ceil(coordinates - 0.5), 0, count).astype(np.int64)
    return pixels
