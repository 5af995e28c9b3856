"""Boundaries: which pixels of a label map lie near the edge of their label, row by row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_core.schemas.segmentation import IGNORED, LabelMap
from valor_segmentation.lookup import Meanings, blocks, codes

Flags = NDArray[np.bool_]

_BLOCK = 1 << 19  # pixels that are looked at together


def width_of(shape: tuple[int, int], share: float, pixels: int | None) -> int:
    """Width of a boundary in pixels, at least 1.

    Parameters
    ----------
    shape : (int, int)
        Height and width of the image.
    share : float
        Width as a share of the diagonal, rounded to whole pixels, halves to even.
    pixels : int or None
        The width itself, in place of the share.

    Examples
    --------
    >>> width_of((300, 400), 0.02, None), width_of((300, 400), 0.02, 3)
    (10, 3)
    """
    height, width = shape
    diagonal = math.sqrt(height * height + width * width)
    return max(1, round(share * diagonal)) if pixels is None else pixels


@define(eq=False)
class Erosion:
    """Tells, row by row, which pixels are farther from the edge of their label than a width.

    A pixel is inside if all pixels of the square around it, which reaches as many pixels in every
    direction as the boundary is wide, are in the image and have its label. Rows go in from the
    top; answers are of the rows that lie a width above.

    Parameters
    ----------
    reach : int
        Width of the boundary, in pixels.
    width : int
        Pixels of a row.

    Examples
    --------
    >>> erosion = Erosion(1, 5)
    >>> erosion.push(np.ones((3, 5), np.int8)).astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 0, 0, 0, 0],
           [0, 1, 1, 1, 0]])
    """

    reach: int
    width: int
    _rows: int = field(default=0, init=False)
    _last: Meanings | None = field(default=None, init=False)
    _starts: NDArray[np.int32] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._starts = np.zeros(self.width, np.int32)

    def push(self, rows: Meanings) -> Flags:
        """Whether pixels are inside: as many rows as go in, each a width above.

        Rows above the image come first; they are not inside.
        """
        starts = self._runs(rows)
        heights = np.arange(self._rows, self._rows + len(rows), dtype=np.int32)[:, None] - starts
        self._rows += len(rows)
        self._last, self._starts = rows[-1], starts[-1].copy()
        inside: Flags = heights >= 2 * self.reach
        return inside

    def _runs(self, rows: Meanings) -> NDArray[np.int32]:
        """First row of the run of equal pixels, equal to their neighbors too, that each ends."""
        is_new = np.empty(rows.shape, bool)
        is_new[1:] = rows[1:] != rows[:-1]
        is_new[0] = True if self._last is None else rows[0] != self._last
        numbers = np.arange(self._rows, self._rows + len(rows), dtype=np.int32)[:, None]
        starts = np.where(is_new, numbers, np.int32(-1))
        np.copyto(starts, numbers + 1, where=~self._is_even(rows))
        np.maximum(starts[0], self._starts, out=starts[0])
        np.maximum.accumulate(starts, axis=0, out=starts)
        return starts

    def _is_even(self, rows: Meanings) -> Flags:
        """Where all pixels of a row within reach are there and equal."""
        even = np.zeros(rows.shape, bool)
        reach, width = self.reach, self.width
        if width > 2 * reach:
            changes = np.zeros(rows.shape, np.int32)
            np.cumsum(rows[:, 1:] != rows[:, :-1], axis=1, out=changes[:, 1:])
            even[:, reach : width - reach] = changes[:, 2 * reach :] == changes[:, : -2 * reach]
        return even


@define(eq=False)
class _Queue:
    """Rows that wait for the answer of an `Erosion`."""

    blocks: list[Any] = field(factory=list)

    def push(self, rows: Meanings) -> None:
        self.blocks.append(rows)

    def take(self, count: int) -> Meanings:
        """The first rows."""
        taken = []
        while count:
            first = self.blocks.pop(0)
            taken.append(first[:count])
            if len(first) > count:
                self.blocks.insert(0, first[count:])
            count -= len(taken[-1])
        rows: Meanings = np.concatenate(taken)
        return rows


@define(eq=False)
class _Side:
    """One side of an image while it is read."""

    one: LabelMap | None
    erosion: Erosion
    place: str
    waiting: _Queue = field(factory=_Queue)

    def read(self, first: int, last: int) -> Meanings:
        return codes(self.one, first, last, self.erosion.width, self.place)

    def push(self, rows: Meanings) -> Flags:
        self.waiting.push(rows)
        return self.erosion.push(rows)


Block = tuple[Meanings, Flags, Meanings, Flags]
"""Label codes and boundary pixels of some rows: true, then predicted."""


def boundaries(
    true: LabelMap | None,
    predicted: LabelMap | None,
    reach: int,
    place: str,
) -> Iterator[Block]:
    """Labels and boundaries of both sides of an image, some rows at a time.

    Pixels that do not count are taken out of both sides, so that labels have an edge there.
    Memory holds as many rows as the boundary is wide, and a block.

    Parameters
    ----------
    true, predicted : LabelMap or None
        Both sides, not both None.
    reach : int
        Width of a boundary, in pixels.
    place : str
        What a message calls the image.

    Yields
    ------
    true_codes, is_true_boundary, codes, is_boundary : ndarray, shape (rows, width)
        Label code of every pixel, and whether it lies in the boundary of its label.
    """
    there = [one.pixels for one in (true, predicted) if one is not None]
    height, width = there[0].shape
    if not height or not width:
        return
    left = _Side(true, Erosion(reach, width), f"{place}, ground truth")
    right = _Side(predicted, Erosion(reach, width), f"{place}, prediction")
    done = 0
    for first, last in blocks((height, width), *there, most=_BLOCK):
        rows = left.read(first, last)
        seen = _without(right.read(first, last), rows == IGNORED)
        inside, seen_inside = left.push(rows), right.push(seen)
        count = max(0, min(last - first, last - reach - done))
        if count:
            yield (
                left.waiting.take(count),
                ~inside[-count:],
                right.waiting.take(count),
                ~seen_inside[-count:],
            )
            done += count
    for start in range(done, height, max(1, _BLOCK // width)):
        count = min(max(1, _BLOCK // width), height - start)
        edge = np.ones((count, width), bool)
        yield left.waiting.take(count), edge, right.waiting.take(count), edge


def _without(rows: Meanings, is_ignored: Flags) -> Meanings:
    """The rows without the pixels that do not count, as an array of their own."""
    if is_ignored.any():
        return np.where(is_ignored, rows.dtype.type(IGNORED), rows)
    return rows
