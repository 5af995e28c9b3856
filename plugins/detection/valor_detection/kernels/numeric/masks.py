"""Masks as run lengths, in NumPy; `compiled.masks` says what each function is given and finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.runs import Runs
from valor_core.schemas.shapes import RunLengths, ends
from valor_core.threads import over, shares
from valor_detection.kernels.numeric.ragged import strided
from valor_detection.kernels.numeric.segmentations import Columns
from valor_detection.kernels.records import Segmentations
from valor_detection.kernels.refusals import RowError, check_pixels

_BLOCK = 1 << 16  # letters, boundaries or runs that are worked on at a time, so that they stay near

T = TypeVar("T")


def segmentation_runs(given: Segmentations, rows: Codes, sizes: Codes) -> tuple[Runs, Codes]:
    """Run lengths of segmentations: as they are, decompressed, or of polygons drawn as COCO does.

    Examples
    --------
    >>> from valor_detection.kernels.records import COMPRESSED, POLYGONS, Segmentation
    >>> text = Segmentation(COMPRESSED, letters=b"52203")
    >>> square = Segmentation(POLYGONS, rings=[[0, 0, 2, 0, 2, 1, 0, 1]])
    >>> given, sizes = Segmentations.of([text, square]), np.array([[2, 3], [2, 6]])
    >>> segmentation_runs(given, np.array([1, 0]), sizes)
    (array([0, 1, 1, 1, 3, 5, 2, 2, 2, 5], dtype=uint32), array([ 0,  5, 10]))
    """
    columns = Columns.of(given)

    def some(first: int, last: int) -> tuple[Runs, Codes] | RowError:
        try:
            return columns.runs(rows[first:last], sizes[first:last])
        except RowError as error:
            return RowError(first + error.row, error.sentence)

    parts = _blockwise(some, columns.costs(rows))
    for part in parts:
        if isinstance(part, RowError):
            raise part
    runs, lengths = zip(*parts, strict=True)
    return np.concatenate(runs), ends(np.concatenate(lengths))


def _blockwise(task: Callable[[int, int], T], costs: Codes) -> list[T]:
    """What a task answers for blocks of rows; threads share the blocks."""
    blocks = shares(costs, _BLOCK, len(costs))
    answers = over(
        lambda a, b: [task(*block) for block in blocks[a:b]],
        shares(np.arange(len(blocks) + 1), 1),
    )
    return [answer for some in answers for answer in some]


def measured(runs: Runs, rows: Codes, sizes: Codes) -> tuple[Floats, Floats, Codes]:
    """Area of each row, the box around it and the number of pixels that its runs fill.

    Examples
    --------
    >>> runs = np.array([2, 2, 2], np.uint32)
    >>> measured(runs, np.array([0, 3]), np.array([[2, 3]]))
    (array([2.]), array([[1., 0., 1., 2.]]), array([6]))
    """
    parts = _blockwise(
        lambda a, b: _measured(runs[rows[a] : rows[b]], rows[a : b + 1] - rows[a], sizes[a:b]),
        rows,
    )
    areas, boxes, filled = zip(*parts, strict=True)
    return np.concatenate(areas), np.concatenate(boxes), np.concatenate(filled)


def _measured(runs: Runs, rows: Codes, sizes: Codes) -> tuple[Floats, Floats, Codes]:
    halves = np.diff(rows) // 2
    stops = ends(runs)
    inside, starts = strided(rows[:-1] + 1, halves, 2)
    lengths = runs[inside]
    first = stops[inside]
    first -= np.repeat(stops[rows[:-1]], halves)
    areas = np.diff(_before(lengths)[starts]).astype(np.float64)
    boxes, filled = _boxes(first, lengths, starts, sizes), np.diff(stops[rows])
    wrong = filled > np.iinfo(np.uint32).max
    areas[wrong], boxes[wrong] = 0, 0
    return areas, boxes, filled


def _boxes(first: Codes, lengths: Runs, starts: Codes, sizes: Codes) -> Floats:
    """Boxes around each row's runs, of which the first pixel and the length are given."""
    boxes = np.zeros((len(sizes), 4))
    counts = np.diff(starts)
    if not lengths.all():
        owner = np.repeat(np.arange(len(counts)), counts)
        drawn = lengths > 0
        first, lengths = first[drawn], lengths[drawn]
        counts = np.bincount(owner[drawn], minlength=len(counts))
        starts = ends(counts)
    rows = np.flatnonzero(counts)
    if not len(rows):
        return boxes
    begins, lasts, height = starts[rows], starts[rows + 1] - 1, np.maximum(sizes[rows, 0], 1)
    heights = np.repeat(height, counts[rows])
    column = (first / heights).astype(np.int64)  # exact below 2**52 pixels, and quicker than whole
    y = first - heights * column
    top = np.minimum.reduceat(y, begins)
    y += lengths
    bottom = np.maximum.reduceat(y, begins)
    several = bottom > height  # columns are in one run
    top[several], bottom[several] = 0, height[several]
    left, right = column[begins], (first[lasts] + lengths[lasts] - 1) // height
    boxes[rows] = np.stack([left, top, right - left + 1, bottom - top], axis=1)
    boxes[sizes[:, 0] <= 0] = 0
    return boxes


def mask_ious(
    true: RunLengths,
    predicted: RunLengths,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float = 0.0,
) -> Floats:
    """IoU of pairs of masks of one size, from their run lengths.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Mask
    >>> left, all_ = Mask.of([[1, 0]]), Mask.of([[1, 1]])
    >>> first, flag = np.array([0]), np.array([False])
    >>> mask_ious(RunLengths.of([left]), RunLengths.of([all_]), first, first, flag)
    array([0.5])
    """
    check_pixels(true.sizes)
    check_pixels(predicted.sizes)
    true_areas, predicted_areas = _areas(true)[true_rows], _areas(predicted)[predicted_rows]
    most = np.minimum(true_areas, predicted_areas)
    highest = _ratio(most, true_areas, predicted_areas, crowd)
    wanted = np.flatnonzero((most > 0) & (highest >= at_least))
    t, p = true_rows[wanted], predicted_rows[wanted]
    both = np.zeros(len(true_rows))
    both[wanted] = np.concatenate(
        _blockwise(
            lambda a, b: _common(true, predicted, t[a:b], p[a:b]),
            ends(np.diff(predicted.rows)[p]),
        )
    )
    return _ratio(both, true_areas, predicted_areas, crowd)


def _areas(masks: RunLengths) -> Floats:
    """Number of pixels of each row."""
    parts = _blockwise(
        lambda a, b: _inside_sums(masks.runs[masks.rows[a] : masks.rows[b]], masks.rows[a : b + 1]),
        masks.rows,
    )
    return np.concatenate(parts)


def _inside_sums(runs: Runs, rows: Codes) -> Floats:
    """Sum of every second run of each row from its second one on."""
    first, last = rows[:-1] - rows[0], rows[1:] - rows[0]
    odd, even = _before(runs[1::2]), _before(runs[::2])
    sums: Runs = np.where(
        first % 2 == 0,
        odd[last // 2] - odd[first // 2],
        even[(last + 1) // 2] - even[(first + 1) // 2],
    )
    return sums.astype(np.float64)


def _before(runs: Runs) -> Runs:
    """Sums of what is before each run, and of all, in 32 bits: their differences fit there."""
    sums = np.zeros(len(runs) + 1, np.uint32)
    np.cumsum(runs, dtype=np.uint32, out=sums[1:])
    return sums


def _ratio(
    both: Floats, true_areas: Floats, predicted_areas: Floats, crowd: NDArray[np.bool_]
) -> Floats:
    whole = np.where(crowd, predicted_areas, true_areas + predicted_areas - both)
    return np.divide(both, whole, out=np.zeros(len(both)), where=both > 0)


def _common(
    true: RunLengths, predicted: RunLengths, true_rows: Codes, predicted_rows: Codes
) -> Floats:
    """Pixels that both masks of each pair have.

    The true masks lie end to end on a line; what they have on it from the first to the last pixel
    of each run of a prediction is what the two share.
    """
    line, t = _line(true, true_rows)
    inside = (np.arange(len(line.runs)) - np.repeat(line.rows[:-1], np.diff(line.rows))) & 1
    stops, covered = ends(line.runs), np.cumsum(line.runs * inside)
    covered -= (
        stops[1:] * inside
    )  # before a place in a run: so much, and its position if it is inside
    seen, p = _line(predicted, predicted_rows)
    edges = ends(seen.runs)
    places, starts = strided(seen.rows[p] + 1, np.diff(seen.rows)[p] // 2 * 2, 1)
    moved = stops[line.rows[t]] - edges[seen.rows[p]]
    wanted = edges[places]
    wanted += np.repeat(moved, np.diff(starts))
    at = np.searchsorted(stops[1:], wanted)
    wanted &= (-inside)[at]
    wanted += covered[at]
    shared = wanted[1::2] - wanted[::2]
    pixels: Codes = np.add.reduceat(shared, starts[:-1] // 2)
    return pixels.astype(np.float64)


def _line(masks: RunLengths, rows: Codes) -> tuple[RunLengths, Codes]:
    """The masks that some rows need, each once, and which of them each row needs."""
    used, positions = np.unique(rows, return_inverse=True)
    return masks.select(used), positions
