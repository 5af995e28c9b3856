"""Masks of segmentations: polygons drawn, run lengths as they are or decompressed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.runs import Runs
from valor_core.schemas.shapes import MASK, RunLengths, Shapes, ends, gathered
from valor_core.threads import shares
from valor_detection.kernels.masks import decompress, measured, polygon_runs
from valor_detection.kernels.pages import paged
from valor_detection.kernels.records import COMPRESSED, NO_MASK, POLYGONS, RUNS, Segmentations
from valor_detection.kernels.rows import RowError
from valor_detection.kernels.scanning import copy_rows

_CORNERS = [0, 1, 0, 3, 2, 3, 2, 1]  # of xmin, ymin, xmax, ymax: in the order of pycocotools

_BLOCK = 1 << 20  # cost of masks that are made at a time
_MARGIN = 1.25  # room for run lengths, over what the rows before suggest

Ragged = tuple[Runs, Codes]


@frozen(eq=False)
class Masks:
    """Masks of annotations, with what is measured of them.

    Parameters
    ----------
    lengths : RunLengths
        The masks.
    areas : ndarray of float64, shape (n,)
        Number of pixels of each.
    boxes : ndarray of float64, shape (n, 4)
        The box around each.
    """

    lengths: RunLengths
    areas: Floats
    boxes: Floats

    @property
    def shapes(self) -> Shapes:
        """The masks as geometry."""
        return Shapes(self.boxes, np.full(len(self.areas), MASK), masks=self.lengths)

    @classmethod
    def of(
        cls,
        given: Segmentations,
        images: Codes,
        rows: Codes | None,
        name: Callable[[int], str],
        boxes: Floats | None = None,
    ) -> Masks:
        """The masks that segmentations show.

        Parameters
        ----------
        given : Segmentations
            The segmentations.
        images : ndarray of int64, shape (n, 2)
            Height and width of each row's image; 0 where they are not known.
        rows : ndarray of int64, shape (m,), optional
            Rows that are wanted, in their order; None is all.
        name : callable
            How a message calls a row.
        boxes : ndarray of float64, shape (n, 4), optional
            Boxes, which are the masks of rows without a segmentation.

        Raises
        ------
        ReadError
            If a segmentation cannot be drawn or has another size than its image; names it.
        """
        if rows is None:
            rows, place = np.arange(len(given.kinds)), name
        else:
            images, place = images[rows], partial(_place, name, rows)
        kinds = given.kinds[rows]
        is_run = np.isin(kinds, (RUNS, COMPRESSED))
        sizes = np.where(is_run[:, None], given.sizes[rows], images)
        _check_sizes(kinds, sizes, images, place)
        runs, starts = _packed(_Source.of(given, boxes), rows, sizes, place)
        areas, around, filled = measured(runs, starts, sizes)
        _check_filled(np.where(starts[1:] > starts[:-1], filled, -1), sizes, place)
        return cls(RunLengths(runs, starts, sizes), areas, around)


def _place(name: Callable[[int], str], rows: Codes, row: int) -> str:
    return name(int(rows[row]))


@frozen(eq=False)
class _Source:
    """Segmentations, where each row of their columns begins, and boxes."""

    given: Segmentations
    rings: Codes
    numbers: Codes
    counts: Codes
    letters: Codes
    boxes: Floats | None

    @classmethod
    def of(cls, given: Segmentations, boxes: Floats | None) -> _Source:
        rings, counts, letters = (_starts(column) for column in given.row_ends.T)
        return cls(given, rings, _starts(given.ring_ends), counts, letters, boxes)

    def bytes_before(self, rows: Codes) -> Codes:
        """What it costs, in bytes, to make masks of all before each of some rows, and of all."""
        before = 8 * self.numbers[self.rings] + 4 * self.counts + 4 * self.letters
        return ends(before[rows + 1] - before[rows])

    def runs(self, rows: Codes, sizes: Codes) -> Ragged:
        """Run lengths of some rows."""
        given, boxes = self._selected(rows), None if self.boxes is None else self.boxes[rows]
        parts = [*_ragged(given, sizes), *_drawn_boxes(given, boxes, sizes)]
        return parts[0] if len(parts) == 1 else _joined(parts, len(rows))

    def _selected(self, rows: Codes) -> Segmentations:
        """Some of the rows, in their order."""
        given = self.given
        rings, ring_ends = gathered(self.rings, rows)
        numbers, number_starts = _copied(given.numbers, self.numbers, rings)
        counts, count_starts = _copied(given.counts, self.counts, rows)
        letters, letter_starts = _copied(given.letters, self.letters, rows)
        return Segmentations(
            given.kinds[rows],
            given.sizes[rows],
            np.stack([ring_ends[1:], count_starts[1:], letter_starts[1:]], axis=1),
            number_starts[1:],
            numbers,
            counts,
            letters,
        )


def _packed(source: _Source, rows: Codes, sizes: Codes, name: Callable[[int], str]) -> Ragged:
    """Run lengths of rows, some rows at a time: what they are made of is not in memory twice."""
    costs = source.bytes_before(rows)
    runs, starts = np.empty(0, np.uint32), np.zeros(len(rows) + 1, np.int64)
    spans = shares(costs, _BLOCK, len(rows))
    for first, last in spans:
        try:
            own, own_starts = source.runs(rows[first:last], sizes[first:last])
        except RowError as error:
            place = name(first + error.row)
            raise ReadError(f"{place}, segmentation: {error.sentence}") from error
        if len(spans) == 1:
            return own, own_starts
        filled = int(starts[first])
        stop = filled + len(own)
        if stop > len(runs):
            runs = _with_room(runs[:filled], int(_MARGIN * stop * costs[-1] / (costs[last] or 1)))
        runs[filled:stop] = own
        starts[first + 1 : last + 1] = filled + own_starts[1:]
    return runs[: starts[-1]], starts


def _with_room(runs: Runs, room: int) -> Runs:
    """The same runs in a larger array; memory that is not written to is not taken."""
    larger = paged(room, np.uint32)
    larger[: len(runs)] = runs
    return larger


def _copied(values: NDArray[Any], starts: Codes, rows: Codes) -> tuple[NDArray[Any], Codes]:
    places = ends(starts[rows + 1] - starts[rows])
    copied = np.empty(places[-1], values.dtype)
    copy_rows(rows, values, starts, copied, places)
    return copied, places


def _joined(parts: Sequence[Ragged], count: int) -> Ragged:
    """Ragged rows, each of which is filled in one of the parts."""
    starts = ends(sum((np.diff(own) for _, own in parts), np.zeros(count, np.int64)))
    runs = np.empty(starts[-1], np.uint32)
    for own, own_starts in parts:
        copy_rows(np.arange(count), own, own_starts, runs, starts)
    return runs, starts


def _ragged(given: Segmentations, sizes: Codes) -> list[Ragged]:
    """Run lengths of each kind of segmentation, none in the rows of the others."""
    ring_rows, count_rows, letter_rows = (_starts(column) for column in given.row_ends.T)
    found: list[Ragged] = []
    if (given.kinds == COMPRESSED).any():
        found.append(decompress(given.letters, letter_rows))
    if (given.kinds == RUNS).any():
        found.append((given.counts, count_rows))
    if (given.kinds == POLYGONS).any():
        points, rings = _points(given, ring_rows)
        found.append(polygon_runs(points, rings, ring_rows, sizes))
    return found


def _starts(column: Codes) -> Codes:
    return np.concatenate([[0], column]).astype(np.int64)


def _points(given: Segmentations, ring_rows: Codes) -> tuple[Floats, Codes]:
    """Corners of all rings and where each ring's begin."""
    ring_starts = _starts(given.ring_ends)
    counts = np.diff(ring_starts)
    first = ring_rows[:-1][ring_rows[1:] > ring_rows[:-1]]
    short = first[counts[first] < 5]  # pycocotools refuses these, and not the later ones of a row
    if len(short):
        row = int(np.searchsorted(ring_rows, short[0], side="right")) - 1
        raise RowError(
            row, f"expected polygons of 3 points or more, found {counts[short[0]]} numbers"
        )
    numbers = given.numbers
    if (counts % 2).any():  # pycocotools does not look at the last one of an odd number
        kept = np.ones(len(numbers), dtype=bool)
        kept[ring_starts[1:][counts % 2 == 1] - 1] = False
        numbers, ring_starts = numbers[kept], ends(counts - counts % 2)
    return numbers.reshape(-1, 2), ring_starts // 2


def box_corners(boxes: Floats) -> Floats:
    """Corners of boxes, x and y by turns, in the order of pycocotools.

    Examples
    --------
    >>> box_corners(np.array([[1.0, 2.0, 10.0, 20.0]]))
    array([[ 1.,  2.,  1., 22., 11., 22., 11.,  2.]])
    """
    edges = np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)
    return edges[:, _CORNERS]


def _drawn_boxes(given: Segmentations, boxes: Floats | None, sizes: Codes) -> list[Ragged]:
    is_box = given.kinds == NO_MASK
    if boxes is None or not is_box.any():
        return []
    points = box_corners(boxes[is_box]).reshape(-1, 2)
    rings = np.arange(0, len(points) + 1, 4)
    return [polygon_runs(points, rings, ends(is_box.astype(np.int64)), sizes)]


def _check_sizes(
    kinds: NDArray[np.uint8], sizes: Codes, images: Codes, name: Callable[[int], str]
) -> None:
    is_drawn = np.isin(kinds, (POLYGONS, NO_MASK))
    unsized = np.flatnonzero(is_drawn & (images <= 0).any(axis=1))
    if len(unsized):
        raise ReadError(
            f"{name(int(unsized[0]))}, segmentation: expected an image with height and width to "
            f"draw it in, found none{and_more(len(unsized) - 1)}",
            'Give the images of the data set their "height" and "width".',
        )
    others = np.flatnonzero((sizes != images).any(axis=1) & (images > 0).all(axis=1))
    if len(others):
        row = int(others[0])
        raise ReadError(
            f"{name(row)}, segmentation: expected a mask of the image's height and width "
            f"{images[row].tolist()}, found {sizes[row].tolist()}{and_more(len(others) - 1)}"
        )


def _check_filled(filled: Codes, sizes: Codes, name: Callable[[int], str]) -> None:
    """Refuse masks of fewer or more pixels than the image; -1 is no mask."""
    wrong = np.flatnonzero((filled >= 0) & (filled != sizes.prod(axis=1)))
    if len(wrong):
        row = int(wrong[0])
        height, width = sizes[row].tolist()
        raise ReadError(
            f"{name(row)}, segmentation: expected runs that fill {height} by {width} pixels, "
            f"found {filled[row]:,} pixels{and_more(len(wrong) - 1)}"
        )
