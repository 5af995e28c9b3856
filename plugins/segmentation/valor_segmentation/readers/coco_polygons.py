"""Polygons as COCO draws them: pixels between edges that are followed on a grid five times as fine.

These are the pixels of pycocotools, to the last one. They are not those whose centers are inside.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen

from valor_core.errors import SchemaError
from valor_core.schemas import Codes, Floats
from valor_core.schemas.segmentation import Flags

_FINE = 5
_MIDDLE = 2  # edges cross a column of pixels where they leave its third fine column
_FARTHEST = 100_000_000  # coordinates whose fine places can be followed
_BLOCK = 1 << 20  # fine positions of a block


def coco_mask(corners: Floats, size: tuple[int, int]) -> Flags:
    """The pixels of one ring of corners.

    Parameters
    ----------
    corners : ndarray of float64, shape (n, 2)
        x and y of the corners, at least one.
    size : (int, int)
        Height and width of the image; what lies outside is cut off.

    Raises
    ------
    SchemaError
        If a corner is not finite, or too far from any image.

    Examples
    --------
    >>> coco_mask(np.array([[0, 0], [2, 0], [2, 1], [0, 1]], float), (2, 3)).astype(int)
    array([[1, 1, 0],
           [0, 0, 0]])
    """
    _check(corners)
    height, width = size
    crossings = [some for some in _crossings(_Edges.of(corners), height, width) if len(some)]
    none = np.empty(0, np.int64)
    places, counts = np.unique(np.concatenate([none, *crossings]), return_counts=True)
    # Down the columns, each crossing leads into the ring or out of it; two in one place do neither.
    changes = places[(counts % 2 == 1) & (places < height * width)]
    lengths = np.diff(changes, prepend=0, append=height * width)
    inside = np.arange(len(lengths)) % 2 == 1
    mask: Flags = np.repeat(inside, lengths).reshape(width, height).T
    return mask


def _check(corners: Floats) -> None:
    strange = corners[~np.isfinite(corners)]
    if len(strange):
        raise SchemaError(f"expected corners with finite coordinates, got {strange[0]}")
    far = corners[np.abs(corners) > _FARTHEST]
    if len(far):
        raise SchemaError(f"expected corners within {_FARTHEST:,} pixels, got {far[0]:g}")


@frozen(eq=False)
class _Edges:
    """Edges on the fine grid, each followed a fine place at a time along its longer side.

    Parameters
    ----------
    x, y : ndarray of int64, shape (n,)
        Where each begins, counted from its left end if it is wider than high, else its upper end.
    slopes : ndarray of float64, shape (n,)
        How far the shorter side goes with each step along the longer one.
    is_wide, is_turned : ndarray of bool, shape (n,)
        Whether it is at least as wide as high, and whether the ring follows it to its beginning.
    lengths : ndarray of int64, shape (n,)
        Steps along the longer side.
    """

    x: Codes
    y: Codes
    slopes: Floats
    is_wide: Flags
    is_turned: Flags
    lengths: Codes

    @classmethod
    def of(cls, corners: Floats) -> _Edges:
        """The edges from each corner to the next, and from the last to the first."""
        fine = (_FINE * corners + 0.5).astype(np.int64)  # cuts towards zero, as C does
        following = np.roll(fine, -1, axis=0)
        way = following - fine
        is_wide = np.abs(way[:, 0]) >= np.abs(way[:, 1])
        along, aside = np.where(is_wide, way.T, way.T[::-1])
        is_turned = along < 0
        x, y = np.where(is_turned, following.T, fine.T)
        lengths = np.abs(along)
        slopes = np.where(is_turned, -aside, aside) / np.maximum(lengths, 1)
        return cls(x, y, slopes, is_wide, is_turned, lengths)


def _crossings(edges: _Edges, height: int, width: int) -> Iterator[Codes]:
    """Pixels, counted down the columns, above which the ring crosses the middle of a column."""
    starts = np.cumsum([0, *(edges.lengths + 1).tolist()])
    for first in range(0, int(starts[-1]), _BLOCK):
        # One place more, since a crossing lies between two.
        places = np.arange(first, min(first + _BLOCK + 1, starts[-1]))
        x, y = _followed(edges, starts, places)
        left, top = np.minimum(x[1:], x[:-1]), np.minimum(y[1:], y[:-1])
        column = left // _FINE
        is_crossing = (x[1:] != x[:-1]) & (left % _FINE == _MIDDLE)
        is_crossing &= (column >= 0) & (column < width)
        # A pixel begins at the fine row after the middle of the previous pixel.
        row = np.clip(-((_MIDDLE - top[is_crossing]) // _FINE), 0, height)
        yield column[is_crossing] * height + row


def _followed(edges: _Edges, starts: Codes, places: Codes) -> tuple[Codes, Codes]:
    """Fine columns and rows of some places on the way around the ring."""
    edge = np.searchsorted(starts, places, side="right") - 1
    steps = places - starts[edge]
    steps = np.where(edges.is_turned[edge], edges.lengths[edge] - steps, steps)
    aside = edges.slopes[edge] * steps
    is_wide, x, y = edges.is_wide[edge], edges.x[edge], edges.y[edge]
    return (
        np.where(is_wide, x + steps, (x + aside + 0.5).astype(np.int64)),
        np.where(is_wide, (y + aside + 0.5).astype(np.int64), y + steps),
    )
