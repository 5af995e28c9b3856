"""Polygons drawn as COCO does: on a grid five times as fine."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_detection.kernels.row_errors import (
    FARTHEST,
    MOST_CROSSED,
    is_large,
    large_sentence,
)

_FINE = 5
_MIDDLE = 2  # fine column of a pixel at which COCO samples an edge

Rings = Sequence[Sequence[float]]
"""Coordinates of each ring: x and y of each corner in turn."""


class _Corner(NamedTuple):
    """Corner on the fine grid, and the first column of pixels whose middle is not left of it."""

    x: int
    y: int
    column: int


def polygon_runs(rings: Rings, size: Codes) -> list[int]:
    """Return the run lengths of the union of rings.

    Parameters
    ----------
    rings : sequence of sequence of float
        Coordinates of each ring.
    size : ndarray of int64, shape (2,)
        Height and width of the image.

    Examples
    --------
    >>> polygon_runs([[0, 0, 2, 0, 2, 1, 0, 1]], np.array([2, 3]))
    [0, 1, 1, 1, 3]
    """
    height, width = size.tolist()
    steps: Counter[int] = Counter()
    for ring in rings:
        for index, boundary in enumerate(_boundaries(ring, height, width)):
            steps[boundary] += -1 if index % 2 else 1
    runs, depth, start = [], 0, 0
    for boundary in sorted(steps):
        was_inside, depth = depth > 0, depth + steps[boundary]
        if (depth > 0) != was_inside:
            runs.append(boundary - start)
            start = boundary
    return [*runs, height * width - start]


def rejection(rings: Rings, size: Codes) -> str:
    """Return why polygons cannot be drawn in an image; empty if they can."""
    if is_large(size[None])[0]:
        return large_sentence(size)
    points = [np.array(ring[: len(ring) // 2 * 2]).reshape(-1, 2) for ring in rings]
    corners = np.concatenate([np.empty((0, 2)), *points])
    far = corners[~(np.abs(corners) <= FARTHEST)]
    if len(far):
        return f"expected coordinates within 100 million pixels, found {far[0]:g}"
    crossed = sum(_crossed(ring[:, 0], int(size[1])) for ring in points)
    if crossed > MOST_CROSSED:
        return (
            f"expected edges that cross at most {MOST_CROSSED:,} columns of pixels, "
            f"found {crossed:,} of polygons of {len(corners):,} corners"
        )
    return ""


def _crossed(x: Floats, width: int) -> int:
    """Number of middles of columns that the edges of a ring cross."""
    fine = (_FINE * x + 0.5).astype(np.int64)
    columns = np.minimum(np.maximum(fine + _FINE - 1 - _MIDDLE, 0) // _FINE, width)
    return int(np.abs(np.diff(columns, append=columns[:1])).sum())


def _boundaries(ring: Sequence[float], height: int, width: int) -> list[int]:
    """Pixels at which a ring is entered and left in turn, counted down the columns."""
    crossings = Counter(
        place for a, b in _edges(_corners(ring, width)) for place in _crossings(a, b, height)
    )
    # Two crossings at one pixel cancel each other.
    return sorted(
        place for place, count in crossings.items() if count % 2 and place < height * width
    )


def _corners(ring: Sequence[float], width: int) -> list[_Corner]:
    corners = []
    for x, y in zip(ring[::2], ring[1::2], strict=False):
        fine = int(_FINE * x + 0.5)  # truncates towards zero, as C does
        corners.append(_Corner(fine, int(_FINE * y + 0.5), _pixel(fine, width)))
    return corners


def _edges(corners: list[_Corner]) -> Iterator[tuple[_Corner, _Corner]]:
    return zip(corners, corners[1:] + corners[:1], strict=True)


def _pixel(fine: int, count: int) -> int:
    """Return the first pixel whose middle is not before a coordinate of the fine grid."""
    return min(max(0, fine + _FINE - 1 - _MIDDLE) // _FINE, count)


def _crossings(a: _Corner, b: _Corner, height: int) -> Iterator[int]:
    """Pixels at which an edge crosses the middles of columns."""
    columns = range(min(a.column, b.column), max(a.column, b.column))
    is_wide = abs(a.x - b.x) >= abs(a.y - b.y)
    if (a.x > b.x) if is_wide else (a.y > b.y):
        a, b = b, a
    for column in columns:
        middle = _FINE * column + _MIDDLE
        row = _wide_row(a, b, middle) if is_wide else _high_row(a, b, middle)
        yield column * height + _pixel(row, height)


def _wide_row(a: _Corner, b: _Corner, middle: int) -> int:
    """Fine row of an edge wider than high: the upper of the two points around the middle."""
    slope = (b.y - a.y) / (b.x - a.x)
    return int(a.y + slope * (middle - a.x + (slope < 0)) + 0.5)


def _high_row(a: _Corner, b: _Corner, middle: int) -> int:
    """Fine row of an edge higher than wide: the last point before the middle."""
    slope = (b.x - a.x) / (b.y - a.y)

    def is_past(step: int) -> bool:
        return (int(a.x + slope * step + 0.5) > middle) == (slope > 0)

    return a.y + bisect_left(range(1, b.y - a.y), True, key=is_past)
