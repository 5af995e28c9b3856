"""Boundaries: where the runs of rasters begin, inside and outside by turns.

A boundary is a number: its owner in the upper 32 bits, its place in the lower ones. A place counts
pixels down the columns, the left column first, as run lengths do.
"""

from __future__ import annotations

import numpy as np

from valor_core.schemas.arrays import Codes
from valor_core.schemas.runs import Runs
from valor_core.schemas.shapes import ends

_PLACE = (1 << 32) - 1


def odd(boundaries: Codes, pixels: Codes) -> Codes:
    """Boundaries that occur an odd number of times, sorted: two in one place are none.

    Parameters
    ----------
    boundaries : ndarray of int64, shape (n,)
        Boundaries, in any order.
    pixels : ndarray of int64
        Pixels of each owner; a boundary at the end of the image is none.

    Examples
    --------
    >>> odd(np.array([5, 2, 5, 3]), np.array([6]))
    array([2, 3])
    """
    boundaries = np.sort(boundaries)
    again = np.flatnonzero(boundaries[1:] == boundaries[:-1])
    first = np.flatnonzero(np.diff(again, prepend=-2) != 1)
    others = np.diff(first, append=len(again))  # behind the first one in the same place
    full = owned(np.arange(len(pixels)), pixels)
    at = np.searchsorted(boundaries, full)
    at = at[np.append(boundaries, -1)[at] == full]
    kept = np.ones(len(boundaries), dtype=bool)
    kept[again + 1] = False
    kept[again[first[others % 2 == 1]]] = False
    kept[at] = False
    return boundaries if kept.all() else boundaries[kept]


def owned(owner: Codes, place: Codes) -> Codes:
    """Boundaries of owners at places.

    Examples
    --------
    >>> owned(np.array([0, 1]), np.array([3, 2]))
    array([         3, 4294967298])
    """
    return (owner << 32) + place


def united(boundaries: Codes, rows: Codes) -> Codes:
    """Boundaries of the union of several owners in each row.

    Parameters
    ----------
    boundaries : ndarray of int64, shape (n,)
        Boundaries of each owner, sorted.
    rows : ndarray of int64
        Row of each owner, ascending.

    Examples
    --------
    >>> united(owned(np.array([0, 0, 1, 1]), np.array([1, 4, 3, 6])), np.array([0, 0]))
    array([1, 6])
    """
    is_alone = np.bincount(rows, minlength=len(rows))[rows] == 1
    moved = (rows - np.arange(len(rows))) << 32
    if not moved.any():
        return boundaries
    owner = boundaries >> 32
    boundaries = boundaries + moved[owner]
    alone = is_alone[owner]
    if alone.all():
        return boundaries
    shared = _united(boundaries[~alone], _positions(owner[~alone]))
    return np.sort(np.concatenate([boundaries[alone], shared]))


def _positions(owner: Codes) -> Codes:
    """Position of each boundary among those of its owner."""
    return np.arange(len(owner)) - np.searchsorted(owner, owner)


def _united(keys: Codes, position: Codes) -> Codes:
    """Boundaries of each row's union, from those of its owners and their positions there."""
    # Owners entered here less those left; an owner that reaches the end of the image is not left.
    order = np.argsort(keys, kind="stable")
    keys, steps = keys[order], np.where(position % 2 == 0, 1, -1)[order]
    is_last = np.append(keys[1:] != keys[:-1], True)
    keys, depths = keys[is_last], np.cumsum(steps)[is_last]
    row = keys >> 32
    before = np.concatenate([[0], depths])
    first = np.searchsorted(row, row)
    inside = depths > before[first]
    was = np.concatenate([[False], inside])[:-1] & (first < np.arange(len(keys)))
    changed: Codes = keys[inside != was]
    return changed


def runs_between(boundaries: Codes, pixels: Codes, drawn: Codes) -> tuple[Runs, Codes]:
    """Run lengths between boundaries, and how many each row has.

    Parameters
    ----------
    boundaries : ndarray of int64, shape (n,)
        Boundaries of each row, sorted.
    pixels : ndarray of int64, shape (n_rows,)
        Pixels of each row's image.
    drawn : ndarray of int64
        Rows that are masks; others have no runs.

    Examples
    --------
    >>> some = owned(np.array([1, 1]), np.array([2, 3]))
    >>> runs_between(some, np.array([4, 5]), np.array([1]))
    (array([2, 1, 2], dtype=uint32), array([0, 3]))
    """
    count = np.arange(len(pixels) + 1)
    lengths = np.diff(np.searchsorted(boundaries, count << 32))
    lengths[drawn] += 1
    starts = ends(lengths)
    is_last = np.zeros(starts[-1], dtype=bool)
    is_last[starts[drawn + 1] - 1] = True
    stops = np.empty(len(is_last), np.int64)
    stops[~is_last] = boundaries & _PLACE
    stops[is_last] = pixels[drawn]
    runs = np.diff(stops, prepend=0)
    runs[starts[drawn]] = stops[starts[drawn]]
    return runs.astype(np.uint32), lengths
