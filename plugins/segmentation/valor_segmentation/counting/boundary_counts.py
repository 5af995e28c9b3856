"""Boundary pixels of each label."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray
from valor_labels import MOST_COUNTED, LabelRows, counted_by_label

from valor_core.errors import StateError
from valor_core.kernels import in_threads
from valor_core.schemas import Codes
from valor_core.schemas.segmentation import BACKGROUND, IGNORED, LabelImage, SegmentationBatch
from valor_core.states import StateContent
from valor_segmentation.counting.layer_counts import check_labels
from valor_segmentation.counting.strips import map_images, row_blocks
from valor_segmentation.counting.value_map import LabelCodes, label_codes
from valor_segmentation.kernels import counting as kernels
from valor_segmentation.kernels.value_positions import ValuePositions

Flags = NDArray[np.bool_]

_BLOCK = 1 << 19  # pixels of a block


def width_of(shape: tuple[int, int], share: float, pixels: int | None) -> int:
    """Width of a boundary in pixels, at least 1.

    Parameters
    ----------
    shape : (int, int)
        Height and width of the image.
    share : float
        Width as a share of the diagonal, as the decimal that it prints as, rounded to whole pixels,
        halves to even.
    pixels : int or None
        The width itself, instead of the share.

    Examples
    --------
    >>> width_of((300, 400), 0.02, None), width_of((300, 400), 0.02, 3)
    (10, 3)
    >>> width_of((450, 600), 0.018, None), round(0.018 * 750)
    (14, 13)
    """
    if pixels is not None:
        return pixels
    height, width = shape
    # Exact arithmetic: floats make 0.018 * 750, which is 13.5, slightly less.
    four_squares = 4 * Fraction(str(share)) ** 2 * (height * height + width * width)
    halves = math.isqrt(math.floor(four_squares))
    is_half = halves % 2 == 1 and halves * halves == four_squares
    return max(1, round(Fraction(halves, 2)) if is_half else (halves + 1) // 2)


@define(eq=False)
class Erosion:
    """Find, row by row, the pixels farther from the edge of their label than a width.

    A pixel is inside if the square around it, which extends the width of the boundary in every
    direction, lies in the image and has only the label of the pixel. Rows are pushed from the top;
    the results are those of the rows one width above.

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
    _last: LabelCodes | None = field(default=None, init=False)
    _starts: NDArray[np.int32] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._starts = np.zeros(self.width, np.int32)

    def push(self, rows: LabelCodes) -> Flags:
        """Return flags of inner pixels, for rows one width above the rows passed in.

        Rows above the image come first; they are not inside.
        """
        starts = self._runs(rows)
        heights = np.arange(self._rows, self._rows + len(rows), dtype=np.int32)[:, None] - starts
        self._rows += len(rows)
        self._last, self._starts = rows[-1], starts[-1].copy()
        inside: Flags = heights >= 2 * self.reach
        return inside

    def _runs(self, rows: LabelCodes) -> NDArray[np.int32]:
        """First row of the vertical run of equal pixels, with equal neighbors, up to each pixel."""
        is_new = np.empty(rows.shape, bool)
        is_new[1:] = rows[1:] != rows[:-1]
        is_new[0] = True if self._last is None else rows[0] != self._last
        is_uneven = self._is_uneven(rows)
        numbers = np.arange(self._rows, self._rows + len(rows), dtype=np.int32)[:, None]
        starts: NDArray[np.int32] = (is_new | is_uneven) * numbers
        starts += is_uneven  # a run begins in the next row
        np.maximum(starts[0], self._starts, out=starts[0])
        for above, row in pairwise(starts):  # faster than accumulate, which takes single columns
            np.maximum(above, row, out=row)
        return starts

    def _is_uneven(self, rows: LabelCodes) -> Flags:
        """Return flags of pixels whose neighbours in the row differ or are outside the image."""
        uneven = np.ones(rows.shape, bool)
        reach, width = self.reach, self.width
        if width > 2 * reach:
            changes = rows[:, 1:] != rows[:, :-1]
            uneven[:, reach : width - reach] = _any_of(changes, 2 * reach)
        return uneven


def _any_of(flags: Flags, length: int) -> Flags:
    """Return whether a flag is set in the window of a given length that starts at each pixel.

    Examples
    --------
    >>> _any_of(np.array([[0, 0, 1, 0, 0, 0]], bool), 3).astype(int)
    array([[1, 1, 1, 0]])
    """
    span = 1
    while span < length:
        step = min(span, length - span)
        flags = flags[:, :-step] | flags[:, step:]
        span += step
    return flags


@define(eq=False)
class _Queue:
    """Rows that wait for the result of an `Erosion`."""

    row_blocks: list[Any] = field(factory=list)

    def push(self, rows: LabelCodes) -> None:
        self.row_blocks.append(rows)

    def take(self, count: int) -> LabelCodes:
        """Remove and return the first rows."""
        parts = []
        while count:
            first = self.row_blocks.pop(0)
            parts.append(first[:count])
            if len(first) > count:
                self.row_blocks.insert(0, first[count:])
            count -= len(parts[-1])
        rows: LabelCodes = np.concatenate(parts)
        return rows


@define(eq=False)
class _Side:
    """One side of an image while it is read."""

    erosion: Erosion
    waiting: _Queue = field(factory=_Queue)

    def push(self, rows: LabelCodes) -> Flags:
        self.waiting.push(rows)
        return self.erosion.push(rows)

    def edges(self, count: int, is_inside: Flags) -> LabelCodes:
        """Remove and return the first waiting rows, with inner pixels as background."""
        rows = self.waiting.take(count)
        np.copyto(rows, BACKGROUND, where=is_inside)
        return rows


Block = tuple[LabelCodes, LabelCodes]
"""Label codes of the boundary pixels of rows, other pixels as background: true, then predicted."""


def boundaries(true: LabelImage, predicted: LabelImage, reach: int, where: str) -> Iterator[Block]:
    """Labels and boundaries of both sides of an image, block by block.

    Ignored pixels are removed from both sides, so labels have an edge there. Memory holds one
    block, and as many rows as the boundary is wide.

    Parameters
    ----------
    true, predicted : LabelImage
        Both sides.
    reach : int
        Width of a boundary, in pixels.
    where : str
        Name of the image in messages.

    Yields
    ------
    true_codes, codes : ndarray of int, shape (rows, width)
        Label code of every pixel in the boundary of its label, else background or ignored.
    """
    height, width = true.pixels.shape
    if not height or not width:
        return
    left, right = _Side(Erosion(reach, width)), _Side(Erosion(reach, width))
    read = done = 0
    for image, other in row_blocks(true, predicted, where, most=_BLOCK):
        true_rows = label_codes(true, image, f"{where}, groundtruth")
        predicted_rows = _without(
            label_codes(predicted, other, f"{where}, prediction"), true_rows == IGNORED
        )
        del image, other  # views of strips; frees the strips before the next ones are read
        inside, seen_inside = in_threads(
            [partial(left.push, true_rows), partial(right.push, predicted_rows)]
        )
        read += len(true_rows)
        count = max(0, min(len(true_rows), read - reach - done))
        if count:
            yield left.edges(count, inside[-count:]), right.edges(count, seen_inside[-count:])
            done += count
    step = max(1, _BLOCK // width)
    for start in range(done, height, step):  # near the lower edge nothing is inside
        count = min(step, height - start)
        yield left.waiting.take(count), right.waiting.take(count)


def _without(rows: LabelCodes, is_ignored: Flags) -> LabelCodes:
    """Return a copy of the rows without the pixels that do not count."""
    if is_ignored.any():
        return np.where(is_ignored, rows.dtype.type(IGNORED), rows)
    return rows


TRUE, BOTH = 0, 2  # columns of `BoundaryCounts.table`


@define(slots=False, repr=False)
class BoundaryCounts(LabelRows):
    """Boundary pixels of each label: true ones, predicted ones, and those that are both.

    Parameters
    ----------
    share : float
        Width of a boundary as a share of the diagonal.
    pixels : int or None
        The width in pixels, instead of the share.

    Examples
    --------
    >>> state = BoundaryCounts(share=0.02, pixels=None)
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> state.update(from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"]))
    >>> state.table
    array([[1, 2, 1]])
    """

    share: float
    pixels: int | None
    table: Codes = counted_by_label(lambda: np.zeros((0, 3), np.int64))

    def update(self, batch: SegmentationBatch) -> None:
        """Count the boundary pixels of a batch."""
        check_labels(len(batch.labels))
        table = np.zeros((len(batch.labels), 3), np.int64)
        for layer in batch.layers:
            for counts in map_images(partial(self._of_image, batch), layer):
                table += counts
        self.add(batch.labels, table=table)

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned.

        Raises
        ------
        StateError
            If there are more pixels in both boundaries than in one of them.
        """
        super().restore(content)
        if (self.table[:, BOTH] > self.table[:, :BOTH].min(axis=1, initial=MOST_COUNTED)).any():
            raise StateError("table: expected at most as many pixels on both sides as on each")

    def _of_image(
        self, batch: SegmentationBatch, position: int, true: LabelImage, predicted: LabelImage
    ) -> Codes:
        table = np.zeros((len(batch.labels), 3), np.int64)
        positions = _positions(len(table))
        reach = width_of(true.pixels.shape, self.share, self.pixels)
        for block in boundaries(true, predicted, reach, batch.datums.name(position)):
            table += _counts(block, positions, len(table))
        return table


@lru_cache(maxsize=8)
def _positions(count: int) -> ValuePositions:
    """Return the row or column of each label code; the first is for all other pixels."""
    codes = np.arange(IGNORED, count)
    return ValuePositions(codes, np.maximum(codes + 1, 0))


def _counts(block: Block, positions: ValuePositions, count: int) -> Codes:
    """Boundary pixels of each label, true, predicted and both."""
    true, predicted = block
    found = kernels.count_pairs([(true, positions, predicted, positions)], count + 1, count + 1)
    table = found[: count + 1, : count + 1]
    return np.stack([table.sum(axis=1), table.sum(axis=0), table.diagonal()], axis=1)[1:]
