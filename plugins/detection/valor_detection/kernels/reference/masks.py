"""Masks as run lengths, in Python and NumPy; `compiled.masks` documents the parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import RunLengths
from valor_core.schemas.geometry.run_lengths import Runs
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels.reference.polygons import polygon_runs, rejection
from valor_detection.kernels.row_errors import NO_TEXT, RowError, check_pixels
from valor_detection.kernels.segmentations import COMPRESSED, POLYGONS, RUNS, Segmentations

_MOST_BITS = 60  # of a number in compressed text: 12 groups of five


def segmentation_runs(given: Segmentations, rows: Codes, sizes: Codes) -> tuple[Runs, Codes]:
    """Convert segmentations to run lengths; polygons cover the same pixels as in COCO.

    Examples
    --------
    >>> from valor_detection.kernels.segmentations import COMPRESSED, POLYGONS, Segmentation
    >>> text = Segmentation(COMPRESSED, letters=b"52203")
    >>> square = Segmentation(POLYGONS, rings=[[0, 0, 2, 0, 2, 1, 0, 1]])
    >>> given, sizes = Segmentations.of([text, square]), np.array([[2, 3], [2, 6]])
    >>> segmentation_runs(given, np.array([1, 0]), sizes)
    (array([0, 1, 1, 1, 3, 5, 2, 2, 2, 5], dtype=uint32), array([ 0,  5, 10]))
    """
    runs: list[int] = []
    lengths = np.zeros(len(rows), np.int64)
    for index, (row, size) in enumerate(zip(rows.tolist(), sizes, strict=True)):
        before, given_row = len(runs), given.row(row)
        if given_row.kind == POLYGONS:
            if problem := rejection(given_row.rings, size):
                raise RowError(index, problem)
            runs += polygon_runs(given_row.rings, size)
        elif given_row.kind == RUNS:
            runs += given_row.counts
        elif given_row.kind == COMPRESSED:
            decoded = _text_runs(given_row.letters)
            if decoded is None:
                raise RowError(index, NO_TEXT)
            runs += decoded
        lengths[index] = len(runs) - before
    return np.array(runs, np.uint32), ends(lengths)


def _text_runs(letters: bytes) -> list[int] | None:
    """Parse COCO's compressed text; None for other text.

    Each letter has five bits of a number, the lowest first, and a continuation bit. From the fourth
    run on, numbers are differences from the run two before.
    """
    runs: list[int] = []
    number = bits = 0
    for letter in letters:
        group = letter - ord("0")
        if not 0 <= group < 64:
            return None
        number |= (group & 31) << bits
        bits += 5
        if group & 32:
            continue
        if group & 16:
            number -= 1 << bits
        if len(runs) > 2:
            number += runs[-2]
        if bits > _MOST_BITS or not 0 <= number < 1 << 32:
            return None
        runs.append(number)
        number = bits = 0
    return None if bits else runs


def measured(runs: Runs, rows: Codes, sizes: Codes) -> tuple[Floats, Floats, Codes]:
    """Return the area and bounding box of each row, and the number of pixels in its runs.

    Examples
    --------
    >>> runs = np.array([2, 2, 2], np.uint32)
    >>> measured(runs, np.array([0, 3]), np.array([[2, 3]]))
    (array([2.]), array([[1., 0., 1., 2.]]), array([6]))
    """
    count = len(rows) - 1
    areas, boxes, filled = np.zeros(count), np.zeros((count, 4)), np.zeros(count, np.int64)
    for row in range(count):
        lengths = runs[rows[row] : rows[row + 1]].astype(np.int64)
        filled[row] = lengths.sum()
        if filled[row] < 1 << 32:
            areas[row] = lengths[1::2].sum()
            boxes[row] = _box(lengths, int(sizes[row, 0]))
    return areas, boxes, filled


def _box(lengths: Codes, height: int) -> tuple[float, float, float, float]:
    """Return x, y, width and height of the bounding box of the pixels inside."""
    starts = (np.cumsum(lengths) - lengths)[1::2]
    inside = lengths[1::2] > 0
    starts, lasts = starts[inside], (starts + lengths[1::2] - 1)[inside]
    if height <= 0 or not len(starts):
        return 0, 0, 0, 0
    left, right = starts[0] // height, lasts[-1] // height
    if (starts // height != lasts // height).any():  # a run over several columns
        return left, 0, right - left + 1, height
    top, bottom = (starts % height).min(), (lasts % height).max()
    return left, top, right - left + 1, bottom - top + 1


def mask_ious(
    true: RunLengths,
    predicted: RunLengths,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float = 0.0,
) -> Floats:
    """Compute the IoU of pairs of masks of one size from their run lengths.

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
    ious = np.zeros(len(true_rows))
    for pair, (t, p) in enumerate(zip(true_rows.tolist(), predicted_rows.tolist(), strict=True)):
        true_ends, predicted_ends = _run_ends(true, t), _run_ends(predicted, p)
        areas = _area(true_ends), _area(predicted_ends)
        if _ratio(min(areas), *areas, crowd[pair]) >= at_least:
            ious[pair] = _ratio(_shared(true_ends, predicted_ends), *areas, crowd[pair])
    return ious


def _run_ends(masks: RunLengths, row: int) -> Codes:
    return np.cumsum(masks.runs[masks.rows[row] : masks.rows[row + 1]], dtype=np.int64)


def _area(run_ends: Codes) -> int:
    return int(np.diff(run_ends, prepend=0)[1::2].sum())


def _shared(true_ends: Codes, predicted_ends: Codes) -> int:
    """Return the number of pixels inside both masks, summed between ends of runs."""
    line = np.unique(np.concatenate([true_ends, predicted_ends]))
    is_inside_both = np.logical_and(
        *(np.searchsorted(own, line[:-1], side="right") % 2 for own in (true_ends, predicted_ends))
    )
    return int(np.diff(line)[is_inside_both].sum())


def _ratio(shared: int, true_area: int, predicted_area: int, is_crowd: bool) -> float:
    whole = predicted_area if is_crowd else true_area + predicted_area - shared
    return shared / whole if shared else 0.0
