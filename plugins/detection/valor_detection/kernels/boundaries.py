"""Boundaries: where the runs of rasters begin, inside and outside by turns.

A place counts pixels down the columns, the left column first, as run lengths do.
"""

from __future__ import annotations

import numpy as np

from valor_core.schemas.arrays import Codes
from valor_core.schemas.runs import Runs
from valor_core.schemas.shapes import ends

_PLACE = (1 << 32) - 1


def odd(owner: Codes, place: Codes, pixels: Codes) -> tuple[Codes, Codes]:
    """Places of each owner that occur an odd number of times, sorted: two boundaries are none.

    Parameters
    ----------
    owner, place : ndarray of int64, shape (n,)
        Boundaries, in any order.
    pixels : ndarray of int64
        Pixels of each owner; a boundary at the end of the image is none.

    Examples
    --------
    >>> odd(np.array([0, 0, 0, 0]), np.array([5, 2, 5, 3]), np.array([6]))
    (array([0, 0]), array([2, 3]))
    """
    keys = np.sort(owner << 32 | place)
    starts = _starts(keys)
    kept = keys[starts[np.diff(starts, append=len(keys)) % 2 == 1]]
    owner, place = kept >> 32, kept & _PLACE
    inside = place < pixels[owner]
    return owner[inside], place[inside]


def united(owner: Codes, place: Codes, rows: Codes) -> tuple[Codes, Codes]:
    """Boundaries of the union of several owners in each row.

    Parameters
    ----------
    owner, place : ndarray of int64, shape (n,)
        Boundaries of each owner, sorted.
    rows : ndarray of int64
        Row of each owner, ascending.

    Examples
    --------
    >>> united(np.array([0, 0, 1, 1]), np.array([1, 4, 3, 6]), np.array([0, 0]))
    (array([0, 0]), array([1, 6]))
    """
    is_alone = np.bincount(rows, minlength=len(rows))[rows[owner]] == 1
    alone = rows[owner[is_alone]] << 32 | place[is_alone]
    owner, place = owner[~is_alone], place[~is_alone]
    position = np.arange(len(owner)) - np.searchsorted(owner, owner)
    row = rows[owner]
    # Owners entered here less those left; an owner that reaches the end of the image is not left.
    order = np.argsort(row << 32 | place, kind="stable")
    keys, steps = (row << 32 | place)[order], np.where(position % 2 == 0, 1, -1)[order]
    starts = _starts(keys)
    depths = np.cumsum(steps)
    last = np.append(starts[1:], len(keys)) - 1 if len(keys) else starts
    keys, depths = keys[last], depths[last]
    row = keys >> 32
    before = np.concatenate([[0], depths])
    first = np.searchsorted(row, row)
    inside = depths > before[first]
    was = np.concatenate([[False], inside])[:-1] & (first < np.arange(len(keys)))
    keys = np.sort(np.concatenate([alone, keys[inside != was]]))
    return keys >> 32, keys & _PLACE


def runs_between(owner: Codes, place: Codes, pixels: Codes, drawn: Codes) -> tuple[Runs, Codes]:
    """Run lengths between boundaries, and how many each row has.

    Parameters
    ----------
    owner, place : ndarray of int64, shape (n,)
        Boundaries of each row, sorted.
    pixels : ndarray of int64, shape (n_rows,)
        Pixels of each row's image.
    drawn : ndarray of int64
        Rows that are masks; others have no runs.

    Examples
    --------
    >>> runs_between(np.array([1, 1]), np.array([2, 3]), np.array([4, 5]), np.array([1]))
    (array([2, 1, 2], dtype=uint32), array([0, 3]))
    """
    lengths = np.bincount(owner, minlength=len(pixels))
    lengths[drawn] += 1
    starts = ends(lengths)
    stops = np.empty(starts[-1], np.int64)
    is_last = np.zeros(len(stops), dtype=bool)
    is_last[starts[drawn + 1] - 1] = True
    stops[is_last], stops[~is_last] = pixels[drawn], place
    runs = np.diff(stops, prepend=0)
    runs[starts[drawn]] = stops[starts[drawn]]
    return runs.astype(np.uint32), lengths


def _starts(keys: Codes) -> Codes:
    """Where each value of a sorted column begins."""
    changed = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=changed[1:])
    return np.flatnonzero(changed)
