"""Polygons, drawn as COCO does, in NumPy: on a grid five times as fine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import ends
from valor_detection.kernels.boundaries import Places, odd

_FINE = 5
_MIDDLE = 2  # a column's boundary points lie where its third fine column ends
_DOUBT = 1e-6  # more than the error of a crossing that is found by division

Fine = NDArray[np.int32]
"""Places on the fine grid, columns and rows: they fit into 32 bits, see `FARTHEST`."""


def ring_boundaries(points: Floats, rings: Codes, sizes: Codes, starts: Places) -> Places:
    """Where runs begin inside and outside of each ring by turns, and all ends.

    Parameters
    ----------
    points : ndarray of float64, shape (2, n_points)
        Corners, x and y.
    rings : ndarray of int64, shape (n_rings + 1,)
        Where the corners of each ring begin.
    sizes : ndarray of int64, shape (n_rings, 2)
        Height and width of each ring's image.
    starts : ndarray of int, shape (n_rings + 1,)
        Where each ring's image begins on a line.

    Returns
    -------
    ndarray of int, shape (n,)
        Boundaries of the rings, sorted.

    Examples
    --------
    >>> corners = np.array([[0, 2, 2, 0], [0, 0, 1, 1]], float)
    >>> ring_boundaries(corners, np.array([0, 4]), np.array([[2, 3]]), np.array([0, 7]))
    array([0, 1, 2, 3, 6])
    """
    wide, high = _edges(points, rings, sizes, starts)
    parts = [_crossings(wide, _wide_rows), _crossings(high, _high_rows)]
    return odd(np.concatenate(parts), starts)


@frozen(eq=False)
class _Edges:
    """Edges that cross the middle of a column, from the lower coordinate to the higher one.

    Wide ones go from left to right, high ones from the top to the bottom. `here` is where they
    begin and `way` how far they go, x and y.
    """

    here: Fine
    way: Fine
    columns: Fine
    counts: Fine
    heights: Fine
    starts: Places

    @property
    def middles(self) -> Fine:
        """Fine columns from the start of each edge to the first middle that it crosses."""
        fine: Fine = _FINE * self.columns + _MIDDLE - self.here[0]
        return fine


def _edges(points: Floats, rings: Codes, sizes: Codes, starts: Places) -> tuple[_Edges, _Edges]:
    """The edges: those wider than high, and the others."""
    fine = _fine(points)
    way = _following(fine, rings) - fine
    column = _columns(fine[0], rings, sizes)
    columns = np.stack([column, _following(column, rings)])
    crosses, is_wide = columns[0] != columns[1], np.abs(way[0]) >= np.abs(way[1])
    ring = np.repeat(np.arange(len(rings) - 1), np.diff(rings))
    heights = sizes[:, 0].astype(np.int32)

    def some(chosen: Codes, axis: int) -> _Edges:
        here, there = fine.take(chosen, axis=1), way.take(chosen, axis=1)
        here += there * (there[axis] < 0)
        there *= np.sign(there[axis])
        first, last = columns.take(chosen, axis=1)
        own = ring[chosen]
        return _Edges(
            *(here, there, np.minimum(first, last), np.abs(last - first)),
            *(heights[own], starts[own]),
        )

    wide, high = np.flatnonzero(crosses & is_wide), np.flatnonzero(crosses & ~is_wide)
    return some(wide, 0), some(high, 1)


def crossed(points: Floats, rings: Codes, sizes: Codes) -> Codes:
    """How many middles of columns the edges of each ring cross; as `ring_boundaries`.

    Examples
    --------
    >>> corners = np.array([[0, 2, 2, 0], [0, 0, 1, 1]], float)
    >>> crossed(corners, np.array([0, 4]), np.array([[2, 3]]))
    array([4])
    """
    column = _columns(_fine(points)[0], rings, sizes)
    before = ends(np.abs(_following(column, rings) - column))
    return np.diff(before[rings])


def _fine(points: Floats) -> Fine:
    fine: Fine = (_FINE * points + 0.5).astype(np.int32)  # cuts towards zero, as C does
    return fine


def _following(values: NDArray[Any], rings: Codes) -> NDArray[Any]:
    """What the next corner of a ring has, which behind the last one is its first."""
    after = np.roll(values, -1, axis=-1)
    full = rings[1:] > rings[:-1]
    after[..., rings[1:][full] - 1] = values[..., rings[:-1][full]]
    return after


def _columns(fine: Fine, rings: Codes, sizes: Codes) -> Fine:
    """The first column of each corner's image whose middle is not left of it."""
    return np.minimum(_pixel(fine), np.repeat(sizes[:, 1].astype(np.int32), np.diff(rings)))


def _pixel(fine: Fine) -> Fine:
    """The pixel that begins at a fine place or behind it, counted from its middle on."""
    pixel: Fine = (np.maximum(fine, -_MIDDLE) + (_FINE - 1 - _MIDDLE)) // _FINE
    return pixel


def _crossings(edges: _Edges, rows: Callable[[_Edges, _Steps], Fine]) -> Places:
    """Boundaries on edges: one in each column whose middle they cross."""
    before = ends(edges.counts)  # crossings of earlier edges, on which the count goes on
    edge = np.repeat(np.arange(len(edges.counts)), edges.counts)
    heights, dtype = edges.heights[edge], edges.starts.dtype
    columns = (edges.columns - before[:-1]).astype(dtype)
    found = np.arange(before[-1], dtype=dtype)
    found *= heights
    found += (edges.starts + columns * edges.heights)[edge]
    steps = _Steps(edge, edges.middles - float(_FINE) * before[:-1])
    found += np.minimum(_pixel(rows(edges, steps)), heights)
    return found


@frozen(eq=False)
class _Steps:
    """Fine columns from the start of edges to the middles that they cross.

    Parameters
    ----------
    edge : ndarray of int64, shape (n,)
        The edge of each crossing.
    first : ndarray of float64, shape (n_edges,)
        Of each edge, if the count began before the first one.
    """

    edge: Codes
    first: Floats

    def plus(self, shift: Any) -> Floats:
        """The columns, and something of each edge more."""
        columns = np.arange(0, _FINE * len(self.edge), _FINE, dtype=np.float64)
        columns += (self.first + shift)[self.edge]
        return columns


def _wide_rows(edges: _Edges, steps: _Steps) -> Fine:
    """Fine rows where edges wider than high cross the middle of columns: the upper of two."""
    across, down = edges.way
    slope = down / across
    rows = steps.plus(slope < 0)
    rows *= slope[steps.edge]
    rows += edges.here[1][steps.edge]
    rows += 0.5
    return rows.astype(np.int32)


def _high_rows(edges: _Edges, steps: _Steps) -> Fine:
    """Fine rows where edges higher than wide cross the middle of columns: the last ones before.

    They are found by division; where rounding might put one beside that of COCO's own formula,
    the formula decides.
    """
    across, down = edges.way
    inverse = down / across
    exact = steps.plus(0.5)
    exact *= inverse[steps.edge]
    rows: Fine = exact.astype(np.int32)
    exact -= rows
    doubt = _DOUBT * np.abs(inverse).max(initial=0)
    doubtful = np.flatnonzero((exact <= doubt) | (exact >= 1 - doubt))
    if len(doubtful):
        own = steps.edge[doubtful]
        middle = edges.here[0][own] + steps.first[own] + _FINE * doubtful
        rows[doubtful] = _last_before(edges.here[0][own], edges.way[:, own], middle, rows[doubtful])
    rows += edges.here[1][steps.edge]
    return rows


def _last_before(x: Fine, way: Fine, middle: Floats, t: Fine) -> Fine:
    """The last steps down an edge before the middle of a column, from some near them."""
    across, down = way
    slope = across / down
    t = np.minimum(t, down - 1)

    def past(t: Fine, at: Codes) -> NDArray[np.bool_]:
        fine = (x[at] + slope[at] * t + 0.5).astype(np.int64)
        is_past: NDArray[np.bool_] = (fine > middle[at]) == (slope[at] > 0)
        return is_past

    moving = np.arange(len(t))
    while len(moving):
        moving = moving[(t[moving] < down[moving] - 1) & ~past(t[moving] + 1, moving)]
        t[moving] += 1
    moving = np.arange(len(t))
    while len(moving):
        moving = moving[(t[moving] > 0) & past(t[moving], moving)]
        t[moving] -= 1
    return t
