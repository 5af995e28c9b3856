"""Masks as run lengths, in NumPy; `compiled.masks` says what each function is given and finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from valor_core.kernels import over, shares
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import RunLengths, Runs, ends
from valor_detection.kernels.pages import paged
from valor_detection.kernels.reference.ragged import strided
from valor_detection.kernels.reference.segmentations import Columns
from valor_detection.kernels.row_errors import RowError, check_pixels
from valor_detection.kernels.segmentations import Segmentations

_BLOCK = 1 << 17  # letters, boundaries or runs that are worked on at a time, so that they stay near

T = TypeVar("T")


def segmentation_runs(given: Segmentations, rows: Codes, sizes: Codes) -> tuple[Runs, Codes]:
    """Run lengths of segmentations: as they are, decompressed, or of polygons drawn as COCO does.

    Examples
    --------
    >>> from valor_detection.kernels.segmentations import COMPRESSED, POLYGONS, Segmentation
    >>> text = Segmentation(COMPRESSED, letters=b"52203")
    >>> square = Segmentation(POLYGONS, rings=[[0, 0, 2, 0, 2, 1, 0, 1]])
    >>> given, sizes = Segmentations.of([text, square]), np.array([[2, 3], [2, 6]])
    >>> segmentation_runs(given, np.array([1, 0]), sizes)
    (array([0, 1, 1, 1, 3, 5, 2, 2, 2, 5], dtype=uint32), array([ 0,  5, 10]))
    """
    columns = Columns.of(given)

    def some(first: int, last: int) -> tuple[Runs, Codes] | RowError:
        try:
            runs, lengths = columns.runs(rows[first:last], sizes[first:last])
        except RowError as error:
            return RowError(first + error.row, error.sentence)
        return _end_to_end([runs]), lengths

    parts = _blockwise(some, columns.costs(rows))
    for part in parts:
        if isinstance(part, RowError):
            raise part
    runs, lengths = map(list, zip(*parts, strict=True))
    del parts
    return _end_to_end(runs), ends(np.concatenate(lengths))


def _end_to_end(parts: list[Runs]) -> Runs:
    """Runs of several parts in pages of their own; lets go of each part that it has copied."""
    runs = paged(sum(map(len, parts)), np.uint32)
    stop = len(runs)
    while parts:
        part = parts.pop()
        runs[stop - len(part) : stop] = part
        stop -= len(part)
    return runs


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
    lengths = _of_one_width(runs)
    stops = _before(lengths)
    halves = np.diff(rows) // 2
    inside, starts = strided(rows[:-1] + 1, halves, 2)
    first, drawn = stops[inside], lengths[inside]
    first -= np.repeat(stops[rows[:-1]], halves)
    areas, filled = np.zeros(len(sizes)), (stops[rows[1:]] - stops[rows[:-1]]).astype(np.int64)
    full = halves > 0
    if full.any():
        areas[full] = np.add.reduceat(drawn, starts[:-1][full], dtype=drawn.dtype)
    boxes = _boxes(first, drawn, starts, sizes)
    wrong = filled > np.iinfo(np.uint32).max
    areas[wrong], boxes[wrong] = 0, 0
    return areas, boxes, filled


def _of_one_width(runs: Runs) -> NDArray[Any]:
    """Runs in 32 bits where their sum fits there, which are worked on in half the time."""
    return runs if runs.sum(dtype=np.int64) < 1 << 32 else runs.astype(np.int64)


def _boxes(first: NDArray[Any], lengths: NDArray[Any], starts: Codes, sizes: Codes) -> Floats:
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
    begins, lasts = starts[rows], starts[rows + 1] - 1
    height = np.clip(sizes[rows, 0], 1, np.iinfo(first.dtype).max).astype(first.dtype)
    heights = np.repeat(height, counts[rows])
    column = (first / heights).astype(first.dtype)  # exact below 2**52 pixels, and quicker
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
    either = np.concatenate(
        _blockwise(
            lambda a, b: _differing(true, predicted, t[a:b], p[a:b]),
            ends(np.diff(true.rows)[t] + np.diff(predicted.rows)[p]),
        )
    )
    both = np.zeros(len(true_rows))
    both[wanted] = (true_areas[wanted] + predicted_areas[wanted] - either) / 2
    return _ratio(both, true_areas, predicted_areas, crowd)


def _areas(masks: RunLengths) -> Floats:
    """Number of pixels of each row: every second of its runs, from the second one on."""
    areas = np.zeros(len(masks))
    first, halves = masks.rows[:-1] + 1, np.diff(masks.rows) // 2
    for parity in (0, 1):
        rows = np.flatnonzero((first % 2 == parity) & (halves > 0))
        if len(rows):
            runs, start = masks.runs[parity::2], first[rows] // 2
            edges = np.stack([start, start + halves[rows]], axis=1).ravel()
            edges = edges[: -1 if edges[-1] == len(runs) else None]
            areas[rows] = np.add.reduceat(runs, edges, dtype=runs.dtype)[::2]
    return areas


def _before(runs: NDArray[Any]) -> NDArray[Any]:
    """Sums of what is before each run, and of all, in the type of the runs."""
    sums = np.zeros(len(runs) + 1, runs.dtype)
    np.cumsum(runs, dtype=runs.dtype, out=sums[1:])
    return sums


def _ratio(
    both: Floats, true_areas: Floats, predicted_areas: Floats, crowd: NDArray[np.bool_]
) -> Floats:
    whole = np.where(crowd, predicted_areas, true_areas + predicted_areas - both)
    return np.divide(both, whole, out=np.zeros(len(both)), where=both > 0)


def _differing(
    true: RunLengths, predicted: RunLengths, true_rows: Codes, predicted_rows: Codes
) -> NDArray[Any]:
    """Pixels that only one of both masks of each pair has.

    The true masks lie end to end on a line, the predictions on one beside it. Of the boundaries of
    both, sorted, every second one begins what only one of the two has, and the next one ends it.
    """
    pixels = int(true.sizes[true_rows].prod(axis=1).sum())
    dtype = np.uint32 if pixels < 1 << 32 else np.int64  # the narrower are sorted in half the time
    if not len(true_rows):
        return np.empty(0, dtype)
    t, true_counts = _boundaries(true, true_rows, dtype)
    p, predicted_counts = _boundaries(predicted, predicted_rows, dtype)
    line = np.sort(np.concatenate([t, p]))
    starts = ends(true_counts + predicted_counts)
    pixels_each: NDArray[Any] = np.add.reduceat(
        line[1::2] - line[::2], starts[:-1] // 2, dtype=dtype
    )
    return pixels_each


def _boundaries(masks: RunLengths, rows: Codes, dtype: Any) -> tuple[NDArray[Any], Codes]:
    """Where runs end on a line of masks end to end, an even number in each, and how many.

    A mask that ends outside has its end twice, so that nothing begins there.
    """
    first, last = masks.rows[rows], masks.rows[rows + 1]
    runs = [masks.runs[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    stops = np.cumsum(np.concatenate(runs), dtype=dtype)
    counts = last - first
    is_odd = counts % 2 == 1
    return np.concatenate([stops, stops[(np.cumsum(counts) - 1)[is_odd]]]), counts + is_odd
