"""Rasterization of boxes and polygons.

A pixel is inside if its center is. The center of the pixel in row r and column c is at x = c + 0.5,
y = r + 0.5. A center on an edge belongs to the shape on its right or below it, so that shapes with
a common edge share no pixel and skip none. Holes are outside, and so are areas that two rings of
one polygon enclose. Shapes are clipped to the image.

Boundaries are offsets at which a raster is entered or left, alternately. Rasters share one axis.
Each has one offset per pixel, in the order of run lengths (down the columns, left column first),
and one more for its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Rings
from valor_core.schemas.geometry.run_lengths import Runs
from valor_core.schemas.geometry.shapes import ends

Places = NDArray[Any]
"""Offsets on the axis: int32 if large enough, which sorts in half the time, otherwise int64."""


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
    # From left to right, so that two polygons cross a common edge at the same pixel.
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


def line(pixels: Codes) -> Places:
    """Return the start of each raster on the axis, and the end of the axis.

    Examples
    --------
    >>> line(np.array([6, 4]))
    array([ 0,  7, 12], dtype=int32)
    """
    starts = ends(pixels + 1)
    return starts.astype(np.int32) if starts[-1] < 1 << 31 else starts


def odd(boundaries: Places, starts: Places) -> Places:
    """Select boundaries that occur an odd number of times, and all ends, sorted.

    Parameters
    ----------
    boundaries : ndarray of int, shape (n,)
        Boundaries in any order. Two at one offset cancel, and so do those at an end.
    starts : ndarray of int
        Start of each raster.

    Examples
    --------
    >>> odd(np.array([5, 2, 5, 3]), np.array([0, 7]))
    array([2, 3, 6])
    """
    boundaries = np.sort(np.concatenate([boundaries, starts[1:] - 1]))
    again = np.flatnonzero(boundaries[1:] == boundaries[:-1])
    first = np.flatnonzero(np.diff(again, prepend=-2) != 1)
    repeats = np.diff(first, append=len(again))  # number of further boundaries at one offset
    kept = np.ones(len(boundaries), dtype=bool)
    kept[again + 1] = False
    kept[again[first[repeats % 2 == 1]]] = False
    kept[_end_positions(boundaries, starts)] = True
    return boundaries[kept]


def _end_positions(boundaries: Places, starts: Places) -> Codes:
    """Return the index of each end among the boundaries."""
    return np.searchsorted(boundaries, starts[1:] - 1)


def united(boundaries: Places, starts: Places, rows: Codes, row_starts: Places) -> Places:
    """Return the boundaries of the union of the rasters of each row, and all ends, sorted.

    Parameters
    ----------
    boundaries : ndarray of int
        Boundaries of each raster and its end, sorted.
    starts : ndarray of int, shape (n + 1,)
        Start of each raster.
    rows : ndarray of int64, shape (n,)
        Row of each raster, ascending.
    row_starts : ndarray of int, shape (n_rows + 1,)
        Start of each row on a separate axis.

    Examples
    --------
    >>> starts = line(np.array([6, 6]))
    >>> united(np.array([1, 4, 6, 10, 13]), starts, np.array([0, 0]), line(np.array([6])))
    array([1, 6])
    """
    if np.array_equal(rows, np.arange(len(row_starts) - 1)):
        return boundaries
    lasts = _end_positions(boundaries, starts)
    counts = np.diff(lasts, prepend=-1)
    moved = boundaries + np.repeat(row_starts[rows] - starts[:-1], counts)
    is_alone = np.bincount(rows, minlength=len(row_starts) - 1) == 1
    alone = np.repeat(is_alone[rows], counts)
    shared = ~alone
    shared[lasts[counts % 2 == 1]] = False  # ends of rasters that end outside
    row_ends = (row_starts[1:] - 1)[~is_alone]
    inner = np.setdiff1d(_union(moved[shared]), row_ends, assume_unique=True)
    return np.sort(np.concatenate([moved[alone], inner, row_ends]))


def _union(boundaries: Places) -> Places:
    """Return the boundaries of the union; each raster has an even number of boundaries."""
    order = np.argsort(boundaries, kind="stable")
    boundaries = boundaries[order]
    depths = np.cumsum(1 - 2 * (order % 2))  # number of rasters that contain the offset
    is_last = np.append(boundaries[1:] != boundaries[:-1], True)[: len(order)]
    boundaries, inside = boundaries[is_last], depths[is_last] > 0
    changed: Places = boundaries[np.diff(inside, prepend=False)]
    return changed


def runs_between(boundaries: Places, starts: Places) -> tuple[Runs, Codes]:
    """Return run lengths between boundaries, and the number of runs of each raster.

    Parameters
    ----------
    boundaries : ndarray of int
        Boundaries of each raster and its end, sorted.
    starts : ndarray of int
        Start of each raster.

    Examples
    --------
    >>> runs_between(np.array([2, 3, 5, 10]), line(np.array([5, 4])))
    (array([2, 1, 2, 4], dtype=uint32), array([3, 1]))
    """
    counts = np.diff(_end_positions(boundaries, starts), prepend=-1)
    first = ends(counts)[:-1]
    runs = np.empty(len(boundaries), np.uint32)
    np.subtract(boundaries[1:], boundaries[:-1], out=runs[1:], casting="unsafe")
    runs[first] = boundaries[first] - starts[:-1]
    return runs, counts
