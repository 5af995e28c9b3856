"""Masks as run lengths: allocation and validation of arrays for the functions in C."""

from __future__ import annotations

from ctypes import memmove

import numpy as np
from numpy.typing import NDArray

from valor_core.kernels import map_spans, spans_of_equal_cost
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import RunLengths
from valor_core.schemas.geometry.run_lengths import Runs
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels import KERNELS
from valor_detection.kernels.pages import paged
from valor_detection.kernels.reference.polygons import rejection
from valor_detection.kernels.row_errors import NO_TEXT, RowError, check_pixels
from valor_detection.kernels.segmentations import COMPRESSED, Segmentations

_ROWS_EACH = 1 << 9  # minimum per thread
_RUNS_EACH = 1 << 18
_PAIRS_EACH = 1 << 11

_NO_MEMORY = KERNELS.constant("masks_no_memory")

_room = KERNELS.function("masks_room")
_drawn = KERNELS.function("masks_drawn")
_measure = KERNELS.function("masks_measure")
_ious = KERNELS.function("masks_ious")


def segmentation_runs(given: Segmentations, rows: Codes, sizes: Codes) -> tuple[Runs, Codes]:
    """Convert segmentations to run lengths; polygons cover the same pixels as in COCO.

    Parameters
    ----------
    given : Segmentations
        Segmentations.
    rows : ndarray of int64, shape (n,)
        Rows to convert, in the order of the result.
    sizes : ndarray of int64, shape (n, 2)
        Height and width of each row's image.

    Returns
    -------
    runs, starts : ndarray of uint32, ndarray of int64, shape (n + 1,)
        Run lengths, and offsets of the rows. Rows without a segmentation have no runs.

    Raises
    ------
    RowError
        If a text is not compressed run lengths, a coordinate is not finite or far from any image,
        or an image or the outline of a polygon is too large.

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
    spans = spans_of_equal_cost(np.arange(len(rows) + 1), _ROWS_EACH)
    _check(map_spans(lambda a, b: _room(*columns, a, b, room), spans), given, rows, sizes)
    places = ends(room)
    runs = paged(places[-1], np.uint32)
    spans = spans_of_equal_cost(places, _RUNS_EACH)
    answers = map_spans(lambda a, b: _drawn(*columns, a, b, places, runs, lengths), spans)
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
            segmentation_runs(
                given, rows[:row], sizes[:row]
            )  # an earlier row may have an invalid text
            is_text = given.kinds[rows[row]] == COMPRESSED
            why = NO_TEXT if is_text else rejection(given.row(rows[row]).rings, sizes[row])
            raise RowError(row, why)


def _close_gap(runs: Runs, place: int, start: int, stop: int) -> None:
    """Move runs from `place` to `start`."""
    width, data = runs.itemsize, runs.ctypes.data
    if place > start:
        memmove(data + width * start, data + width * place, width * (stop - start))


def measured(runs: Runs, rows: Codes, sizes: Codes) -> tuple[Floats, Floats, Codes]:
    """Return the area and bounding box of each row, and the number of pixels in its runs.

    Parameters
    ----------
    runs, rows, sizes : ndarray
        As in `RunLengths`.

    Returns
    -------
    areas : ndarray of float64, shape (n,)
        Number of pixels inside.
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height; zeros for empty masks.
    filled : ndarray of int64, shape (n,)
        Number of pixels inside and outside, which is that of the image for valid runs. If it
        exceeds 32 bits, area and box are zeros.

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
    map_spans(
        lambda a, b: _measure(runs, rows, sizes, a, b, areas, boxes, filled),
        spans_of_equal_cost(rows, _RUNS_EACH),
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
    """Compute the IoU of pairs of masks of one size from their run lengths.

    Parameters
    ----------
    true, predicted : RunLengths
        The masks.
    true_rows, predicted_rows : ndarray of int64, shape (n,)
        Rows of each pair.
    crowd : ndarray of bool, shape (n,)
        True for pairs with a crowd, whose IoU is the share of the prediction inside.
    at_least : float
        Minimum IoU. Pairs whose areas rule it out are 0.0 and not computed.

    Returns
    -------
    ndarray of float64, shape (n,)
        IoUs; 0.0 for pairs without common pixels.

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
    answers = map_spans(
        lambda a, b: _ious(*columns, at_least, a, b, ious),
        spans_of_equal_cost(np.arange(len(ious) + 1), _PAIRS_EACH),
    )
    if _NO_MEMORY in answers:
        raise MemoryError("masks of many runs")
    return ious
