"""Polygons, drawn as COCO does, in NumPy: on a grid five times as fine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.shapes import ends
from valor_detection.kernels.boundaries import odd, owned

_FINE = 5
_MIDDLE = 2  # a column's boundary points lie where its third fine column ends
_DOUBT = 1e-6  # more than the error of a crossing that is found by division


def ring_boundaries(points: Floats, rings: Codes, sizes: Codes) -> Codes:
    """Where runs begin inside and outside of each ring by turns; two in one place are none.

    Parameters
    ----------
    points : ndarray of float64, shape (2, n_points)
        Corners, x and y.
    rings : ndarray of int64, shape (n_rings + 1,)
        Where the corners of each ring begin.
    sizes : ndarray of int64, shape (n_rings, 2)
        Height and width of each ring's image.

    Returns
    -------
    ndarray of int64, shape (n,)
        Boundaries of the rings, sorted.

    Examples
    --------
    >>> corners = np.array([[0, 2, 2, 0], [0, 0, 1, 1]], float)
    >>> ring_boundaries(corners, np.array([0, 4]), np.array([[2, 3]]))
    array([0, 1, 2, 3])
    """
    edges, wide = _edges(points, rings, sizes)
    parts = [
        _crossings(edges.part(slice(wide)), _wide_rows),
        _crossings(edges.part(slice(wide, None)), _high_rows),
    ]
    return odd(np.concatenate(parts), sizes[:, 0] * sizes[:, 1])


@frozen(eq=False)
class _Edges:
    """Edges that cross the middle of a column, from the lower coordinate to the higher one.

    Wide ones go from left to right, high ones from the top to the bottom.
    """

    here: Codes
    there: Codes
    first: Codes
    counts: Codes
    rings: Codes
    heights: Codes

    def part(self, some: slice) -> _Edges:
        """Some of them."""
        return _Edges(
            *(self.here[:, some], self.there[:, some], self.first[some]),
            *(self.counts[some], self.rings[some], self.heights[some]),
        )


def _edges(points: Floats, rings: Codes, sizes: Codes) -> tuple[_Edges, int]:
    """The edges, those wider than high first, and how many these are."""
    fine = _fine(points)
    lengths, after = np.diff(rings), _after(rings)
    column = _columns(fine[0], rings, sizes)
    edges = np.flatnonzero(column != column[after])
    across, down = np.abs(fine[:, after[edges]] - fine[:, edges])
    is_wide = across >= down
    wide, high = edges[is_wide], edges[~is_wide]
    edges = np.concatenate([wide, high])
    falls = np.concatenate(
        [fine[0, wide] > fine[0, after[wide]], fine[1, high] > fine[1, after[high]]]
    )
    lower, upper = np.where(falls, after[edges], edges), np.where(falls, edges, after[edges])
    first, last = column[lower], column[upper]
    ring = np.repeat(np.arange(len(lengths)), lengths)[edges]
    return _Edges(
        *(fine[:, lower], fine[:, upper], np.minimum(first, last), np.abs(last - first)),
        *(ring, sizes[ring, 0]),
    ), len(wide)


def crossed(points: Floats, rings: Codes, sizes: Codes) -> Codes:
    """How many middles of columns the edges of each ring cross; as `ring_boundaries`.

    Examples
    --------
    >>> corners = np.array([[0, 2, 2, 0], [0, 0, 1, 1]], float)
    >>> crossed(corners, np.array([0, 4]), np.array([[2, 3]]))
    array([4])
    """
    column = _columns(_fine(points)[0], rings, sizes)
    before = ends(np.abs(column[_after(rings)] - column))
    return np.diff(before[rings])


def _fine(points: Floats) -> Codes:
    fine: Codes = (_FINE * points + 0.5).astype(np.int64)  # cuts towards zero, as C does
    return fine


def _after(rings: Codes) -> Codes:
    """The corner behind each, which behind the last one of a ring is its first."""
    after = np.arange(1, rings[-1] + 1)
    full = rings[1:] > rings[:-1]
    after[rings[1:][full] - 1] = rings[:-1][full]
    return after


def _columns(fine: Codes, rings: Codes, sizes: Codes) -> Codes:
    """The first column of each corner's image whose middle is not left of it."""
    return np.minimum(_pixel(fine), np.repeat(sizes[:, 1], np.diff(rings)))


def _pixel(fine: Codes) -> Codes:
    """The pixel that begins at a fine place or behind it, counted from its middle on."""
    pixel: Codes = (np.maximum(fine, -_MIDDLE) + (_FINE - 1 - _MIDDLE)) // _FINE
    return pixel


def _crossings(edges: _Edges, rows: Callable[[_Edges, Codes], Codes]) -> Codes:
    """Boundaries on edges: one in each column whose middle they cross."""
    counts = edges.counts
    starts = ends(counts)
    edges = evolve(edges, first=edges.first - starts[:-1])  # what every step adds to is the column
    steps = np.arange(starts[-1])
    heights = np.repeat(edges.heights, counts)
    found = np.repeat(owned(edges.rings, edges.first * edges.heights), counts)
    found += steps * heights
    found += np.minimum(_pixel(rows(edges, steps)), heights)
    return found


def _wide_rows(edges: _Edges, steps: Codes) -> Codes:
    """Fine rows where edges wider than high cross the middle of columns: the upper of two."""
    across, down = edges.there - edges.here
    slope = down / across
    t = np.repeat(_FINE * edges.first + _MIDDLE - edges.here[0] + (slope < 0), edges.counts)
    t += _FINE * steps
    rows = np.repeat(slope, edges.counts) * t
    rows += np.repeat(edges.here[1], edges.counts)
    rows += 0.5
    cut: Codes = rows.astype(np.int64)
    return cut


def _high_rows(edges: _Edges, steps: Codes) -> Codes:
    """Fine rows where edges higher than wide cross the middle of columns: the last ones before.

    They are found by division; where rounding might put one beside that of COCO's own formula,
    the formula decides.
    """
    across, down = edges.there - edges.here
    inverse = down / across
    middle = np.repeat(_FINE * edges.first + _MIDDLE + 0.5 - edges.here[0], edges.counts)
    middle += _FINE * steps
    middle *= np.repeat(inverse, edges.counts)
    rows = middle.astype(np.int64)
    middle -= rows
    doubt = _DOUBT * np.abs(inverse).max(initial=0)
    doubtful = np.flatnonzero((middle <= doubt) | (middle >= 1 - doubt))
    if len(doubtful):
        edge = np.searchsorted(ends(edges.counts), doubtful, side="right") - 1
        column = edges.first[edge] + doubtful
        rows[doubtful] = _last_before(
            edges.here[0, edge], across[edge], down[edge], column, rows[doubtful]
        )
    rows += np.repeat(edges.here[1], edges.counts)
    return rows


def _last_before(x: Codes, across: Codes, down: Codes, column: Codes, t: Codes) -> Codes:
    """The last steps down an edge before the middle of a column, from some near them."""
    slope, middle = across / down, _FINE * column + _MIDDLE
    t = np.minimum(t, down - 1)

    def past(t: Codes, at: Codes) -> NDArray[np.bool_]:
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
