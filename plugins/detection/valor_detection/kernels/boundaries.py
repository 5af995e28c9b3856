"""Boundaries of runs of rasters: offsets at which a raster is entered or left, alternately.

Rasters share one axis. Each has one offset per pixel, in the order of run lengths (down the
columns, left column first), and one more for its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes
from valor_core.schemas.geometry import Runs, ends

Places = NDArray[Any]
"""Offsets on the axis: int32 if large enough, which sorts in half the time, otherwise int64."""


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
