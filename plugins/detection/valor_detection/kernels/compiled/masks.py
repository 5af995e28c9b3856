"""Masks as run lengths, in C: arrays are made and checked here, and worked on there."""

from __future__ import annotations

from ctypes import c_double, c_int64

import numpy as np
from numpy.typing import NDArray

from valor_core.compiled import array
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.runs import Runs
from valor_core.schemas.shapes import RunLengths, ends
from valor_core.threads import over, shares
from valor_detection.kernels import KERNELS
from valor_detection.kernels.rows import NO_RASTER, NO_TEXT, RowError, check_pixels

_BYTES = array(np.uint8)
_CODES, _COUNTED = array(np.int64), array(np.int64, written=True)
_NUMBERS, _MEASURED = array(np.float64), array(np.float64, written=True)
_RUNS, _WRITTEN = array(np.uint32), array(np.uint32, written=True)

_BYTES_EACH = 1 << 16  # of text, worth a thread of its own
_POINTS_EACH = 1 << 14
_RUNS_EACH = 1 << 18
_PAIRS_EACH = 1 << 11

_NO_MEMORY = -2


_text_lengths = KERNELS.function(
    "masks_text_lengths", c_int64, _BYTES, _CODES, c_int64, c_int64, _COUNTED
)
_from_text = KERNELS.function(
    "masks_from_text", c_int64, _BYTES, _CODES, c_int64, c_int64, _CODES, _WRITTEN
)
_measure = KERNELS.function(
    *("masks_measure", None, _RUNS, _CODES, _CODES, c_int64, c_int64),
    *(_MEASURED, _MEASURED, _COUNTED),
)
_capacity = KERNELS.function(
    "masks_polygon_capacity", c_int64, _NUMBERS, _CODES, _CODES, _CODES, c_int64, c_int64
)
_from_polygons = KERNELS.function(
    *("masks_from_polygons", c_int64, _NUMBERS, _CODES, _CODES, _CODES, c_int64, c_int64),
    *(_WRITTEN, _COUNTED),
)
_ious = KERNELS.function(
    *("masks_ious", c_int64, _RUNS, _CODES, _RUNS, _CODES, _CODES, _CODES),
    *(array(np.bool_), c_double, c_int64, c_int64, _MEASURED),
)


def decompress(text: NDArray[np.uint8], starts: Codes) -> tuple[Runs, Codes]:
    """Run lengths from COCO's compressed text, of many masks.

    Parameters
    ----------
    text : ndarray of uint8, shape (n_bytes,)
        The text of all rows.
    starts : ndarray of int64, shape (n + 1,)
        Where each row's text begins; a row without any is no mask.

    Returns
    -------
    runs, rows : ndarray of uint32, ndarray of int64, shape (n + 1,)
        Run lengths and where each row's begin.

    Raises
    ------
    RowError
        If a row's text is something else.

    Examples
    --------
    >>> decompress(np.frombuffer(b"52203", np.uint8), np.array([0, 2, 5]))
    (array([5, 2, 2, 0, 3], dtype=uint32), array([0, 2, 5]))
    """
    text = np.ascontiguousarray(text)
    starts = np.ascontiguousarray(starts, np.int64)
    spans = shares(starts, _BYTES_EACH)
    lengths = np.empty(len(starts) - 1, np.int64)
    _check(over(lambda a, b: _text_lengths(text, starts, a, b, lengths), spans))
    rows = ends(lengths)
    runs = np.empty(rows[-1], np.uint32)
    _check(over(lambda a, b: _from_text(text, starts, a, b, rows, runs), spans))
    return runs, rows


def _check(answers: list[int]) -> None:
    for row in answers:
        if row >= 0:
            raise RowError(row, NO_TEXT)


def polygon_runs(points: Floats, rings: Codes, rows: Codes, sizes: Codes) -> tuple[Runs, Codes]:
    """Run lengths of the union of each row's polygons, drawn as COCO does.

    Parameters
    ----------
    points : ndarray of float64, shape (n_points, 2)
        Corners, x before y.
    rings : ndarray of int64, shape (n_polygons + 1,)
        Where the corners of each polygon begin.
    rows : ndarray of int64, shape (n + 1,)
        Where the polygons of each row begin; a row without any is no mask.
    sizes : ndarray of int64, shape (n, 2)
        Height and width of each row's image.

    Returns
    -------
    runs, rows : ndarray of uint32, ndarray of int64, shape (n + 1,)
        Run lengths and where each row's begin.

    Raises
    ------
    RowError
        If a coordinate is not finite or far from any image, or an image is too large.

    Examples
    --------
    >>> corners = np.array([[0, 0], [2, 0], [2, 1], [0, 1]], float)
    >>> runs, _ = polygon_runs(corners, np.array([0, 4]), np.array([0, 1]), np.array([[2, 3]]))
    >>> runs
    array([0, 1, 1, 1, 3], dtype=uint32)
    """
    points = np.ascontiguousarray(points, np.float64)
    rings, rows = np.ascontiguousarray(rings, np.int64), np.ascontiguousarray(rows, np.int64)
    sizes = np.ascontiguousarray(sizes, np.int64)
    lengths = np.zeros(len(rows) - 1, np.int64)

    def draw(first: int, last: int) -> Runs:
        capacity = _capacity(points, rings, rows, sizes, first, last)
        if capacity < 0:
            raise RowError(~capacity, NO_RASTER)
        runs = np.empty(capacity, np.uint32)
        count = _from_polygons(points, rings, rows, sizes, first, last, runs, lengths)
        if count < 0:
            raise MemoryError("polygons of many corners")
        return runs[:count]

    parts = over(draw, shares(rings[rows], _POINTS_EACH))
    return parts[0] if len(parts) == 1 else np.concatenate(parts), ends(lengths)


def measured(runs: Runs, rows: Codes, sizes: Codes) -> tuple[Floats, Floats, Codes]:
    """Area of each row, the box around it and the number of pixels that its runs fill.

    Parameters
    ----------
    runs, rows, sizes : ndarray
        As in `RunLengths`.

    Returns
    -------
    areas : ndarray of float64, shape (n,)
        Number of pixels inside.
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height; zeros where nothing is inside.
    filled : ndarray of int64, shape (n,)
        Number of pixels inside and outside: those of the image, if the runs are right.

    Examples
    --------
    >>> runs = np.array([2, 2, 2], np.uint32)
    >>> measured(runs, np.array([0, 3]), np.array([[2, 3]]))
    (array([2.]), array([[1., 0., 1., 2.]]), array([6]))
    """
    runs, rows = np.ascontiguousarray(runs, np.uint32), np.ascontiguousarray(rows, np.int64)
    sizes = np.ascontiguousarray(sizes, np.int64)
    count = len(rows) - 1
    areas, boxes, filled = np.empty(count), np.empty((count, 4)), np.empty(count, np.int64)
    over(
        lambda a, b: _measure(runs, rows, sizes, a, b, areas, boxes, filled),
        shares(rows, _RUNS_EACH),
    )
    return areas, boxes, filled


def mask_ious(
    true: RunLengths,
    predicted: RunLengths,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float = 0.0,
) -> Floats:
    """IoU of pairs of masks of one size, from their run lengths.

    Parameters
    ----------
    true, predicted : RunLengths
        The masks.
    true_rows, predicted_rows : ndarray of int64, shape (n,)
        Rows of each pair.
    crowd : ndarray of bool, shape (n,)
        Whether the true mask of each pair is a crowd: the part of the prediction that lies in it
        is taken then.
    at_least : float
        Pairs that are certainly below it are answered with 0.0 and cost nothing.

    Returns
    -------
    ndarray of float64, shape (n,)
        Their IoUs; 0.0 where they share nothing.

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
    ious = np.empty(len(true_rows))
    columns = (
        *(true.runs, true.rows, predicted.runs, predicted.rows),
        np.ascontiguousarray(true_rows, np.int64),
        np.ascontiguousarray(predicted_rows, np.int64),
        np.ascontiguousarray(crowd),
    )
    answers = over(
        lambda a, b: _ious(*columns, at_least, a, b, ious),
        shares(np.arange(len(ious) + 1), _PAIRS_EACH),
    )
    if _NO_MEMORY in answers:
        raise MemoryError("masks of many runs")
    return ious
