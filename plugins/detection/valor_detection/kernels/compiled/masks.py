"""Masks as run lengths, in C: arrays are made and checked here, and worked on there."""

from __future__ import annotations

from ctypes import memmove

import numpy as np
from numpy.typing import NDArray

from valor_core.kernels import over, shares
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import RunLengths, Runs, ends
from valor_detection.kernels import KERNELS
from valor_detection.kernels.pages import paged
from valor_detection.kernels.reference.polygons import rejection
from valor_detection.kernels.row_errors import NO_TEXT, RowError, check_pixels
from valor_detection.kernels.segmentations import COMPRESSED, Segmentations

_ROWS_EACH = 1 << 9  # worth a thread of their own
_RUNS_EACH = 1 << 18
_PAIRS_EACH = 1 << 11

_NO_MEMORY = KERNELS.constant("masks_no_memory")

_room = KERNELS.function("masks_room")
_drawn = KERNELS.function("masks_drawn")
_measure = KERNELS.function("masks_measure")
_ious = KERNELS.function("masks_ious")


def segmentation_runs(given: Segmentations, rows: Codes, sizes: Codes) -> tuple[Runs, Codes]:
    """Run lengths of segmentations: as they are, decompressed, or of polygons drawn as COCO does.

    Parameters
    ----------
    given : Segmentations
        The segmentations.
    rows : ndarray of int64, shape (n,)
        Rows of them that are wanted, in their order.
    sizes : ndarray of int64, shape (n, 2)
        Height and width of each row's image.

    Returns
    -------
    runs, starts : ndarray of uint32, ndarray of int64, shape (n + 1,)
        Run lengths and where each row's begin; a row without a segmentation has none.

    Raises
    ------
    RowError
        If a row's text is something else than compressed run lengths, a coordinate is not finite
        or far from any image, or an image or the way around a polygon is too large.

    Examples
    --------
    >>> from valor_detection.kernels.segmentations import COMPRESSED, POLYGONS, Segmentation
    >>> text = Segmentation(COMPRESSED, letters=b"52203")
    >>> square = Segmentation(POLYGONS, rings=[[0, 0, 2, 0, 2, 1, 0, 1]])
    >>> given, sizes = Segmentations.of([text, square]), np.array([[2, 3], [2, 6]])
    >>> segmentation_runs(given, np.array([1, 0]), sizes)
    (array([0, 1, 1, 1, 3, 5, 2, 2, 2, 5], dtype=uint32), array([ 0,  5, 10]))
    """
    rows, sizes = np.ascontiguousarray(rows, np.int64), np.ascontiguousarray(sizes, np.int64)
    segmentations = KERNELS.struct(
        "Segmentations",
        kinds=given.kinds,
        rows=given.row_ends,
        rings=given.ring_ends,
        numbers=given.numbers,
        counts=given.counts,
        letters=given.letters,
    )
    columns = (segmentations, rows, sizes)
    room, lengths = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    spans = shares(np.arange(len(rows) + 1), _ROWS_EACH)
    _check(over(lambda a, b: _room(*columns, a, b, room), spans), given, rows, sizes)
    places = ends(room)
    runs = paged(places[-1], np.uint32)
    spans = shares(places, _RUNS_EACH)
    answers = over(lambda a, b: _drawn(*columns, a, b, places, runs, lengths), spans)
    _check(answers, given, rows, sizes)
    starts = ends(lengths)
    for first, last in spans[1:]:
        _close_gap(runs, int(places[first]), int(starts[first]), int(starts[last]))
    return runs[: starts[-1]], starts


def _check(answers: list[int], given: Segmentations, rows: Codes, sizes: Codes) -> None:
    if _NO_MEMORY in answers:
        raise MemoryError("polygons of many corners")
    for row in answers:
        if row >= 0:
            segmentation_runs(given, rows[:row], sizes[:row])  # of which one may be no text
            is_text = given.kinds[rows[row]] == COMPRESSED
            why = NO_TEXT if is_text else rejection(given.row(rows[row]).rings, sizes[row])
            raise RowError(row, why)


def _close_gap(runs: Runs, place: int, start: int, stop: int) -> None:
    """Move runs at a place down to where they should start."""
    width, data = runs.itemsize, runs.ctypes.data
    if place > start:
        memmove(data + width * start, data + width * place, width * (stop - start))


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
        Number of pixels inside and outside: those of the image, if the runs are right. Where they
        are more than 32 bits count, area and box are zeros.

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
