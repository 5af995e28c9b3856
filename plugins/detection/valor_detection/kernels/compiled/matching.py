"""Pairs of boxes, greedy matching and accumulation, compiled.

Docstrings of the functions stand in `valor_detection.kernels.numeric.matching`.
"""

from __future__ import annotations

import ctypes
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.compiled import array
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.shapes import ends
from valor_core.threads import in_threads, thread_count
from valor_detection.kernels import KERNELS
from valor_detection.kernels.numeric import matching as numeric

Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]

_HIT_BYTES = 8  # sizeof(Hit)
_LEAST_ROOM = 1 << 12  # pairs that there is always room for
_THREAD_ROWS = 1 << 13  # predictions that are worth a thread of their own

_COUNT = ctypes.c_int64
_PLACE = ctypes.POINTER(ctypes.c_int64)
_CODES, _FLOATS = array(np.int64), array(np.float64)
_FLAGS, _BITS = array(np.bool_), array(np.uint64)
_RANKS = array(np.int32)
_OUT_CODES, _OUT_FLOATS = array(np.int64, written=True), array(np.float64, written=True)
_OUT_FLAGS, _OUT_BITS = array(np.bool_, written=True), array(np.uint64, written=True)
_OUT_RANKS, _ROOM = array(np.int32, written=True), array(np.uint8, written=True)


_PAIR_COLUMNS = (_CODES, _CODES, _FLOATS, _FLAGS)
_box_pairs = KERNELS.function(
    "box_pairs",
    _COUNT,
    *(_COUNT, _CODES, _CODES, _FLOATS, _FLAGS),
    *(_COUNT, _CODES, _CODES, _FLOATS),
    *(ctypes.c_double, _COUNT, _PLACE, _PLACE, _OUT_CODES, _OUT_CODES, _OUT_FLOATS),
)
_score_order = KERNELS.function(
    "score_order", ctypes.c_int, *(_COUNT, _CODES, _FLOATS, _COUNT, _OUT_CODES, _OUT_CODES)
)
_ranks = KERNELS.function(
    "ranks", None, _COUNT, _CODES, _CODES, _CODES, _OUT_CODES, _OUT_RANKS, _OUT_RANKS
)
_match_coco = KERNELS.function(
    "match_coco",
    None,
    *(_COUNT, *_PAIR_COLUMNS, _FLAGS, _COUNT, _FLOATS),
    *(_OUT_BITS, _OUT_BITS, _OUT_BITS),
)
_choose_coco = KERNELS.function(
    "choose_coco",
    None,
    *(_COUNT, *_PAIR_COLUMNS, _FLAGS, ctypes.c_double, _OUT_FLAGS, _OUT_CODES),
)
_match_best = KERNELS.function(
    "match_best",
    None,
    *(_COUNT, *_PAIR_COLUMNS, _FLAGS, _COUNT, _FLOATS, _OUT_BITS, _OUT_BITS, _OUT_BITS),
)
_choose_best = KERNELS.function(
    "choose_best", None, *(_COUNT, *_PAIR_COLUMNS, ctypes.c_double, _OUT_FLAGS, _OUT_CODES)
)
_match_walk = KERNELS.function(
    "match_walk", None, _COUNT, _CODES, _CODES, _CODES, _FLAGS, _OUT_FLAGS, _OUT_CODES
)
_interpolated = KERNELS.function(
    "interpolated",
    None,
    *(_COUNT, _COUNT, _COUNT, _CODES, _CODES, _FLOATS),
    *(_RANKS, _COUNT, _RANKS, _FLAGS, _BITS, _BITS),
    *(_COUNT, _COUNT, _CODES, _CODES, _COUNT, _ROOM, _OUT_FLOATS),
    *(_OUT_FLOATS, _OUT_FLOATS, _OUT_CODES),
)


def box_pairs(
    true_datums: Codes,
    true_groups: Codes,
    true_boxes: Floats,
    crowd: Flags,
    datums: Codes,
    groups: Codes,
    boxes: Floats,
    lowest: float,
) -> tuple[Codes, Codes, Floats]:
    """`numeric.matching.box_pairs`."""
    truths_before = ends(np.bincount(true_datums, minlength=int(datums.max(initial=-1)) + 1))
    sizes = np.zeros(len(datums), np.int64)
    columns = (len(true_datums), true_datums, true_groups, true_boxes, crowd)

    def find(first: int, last: int) -> tuple[list[Codes], list[Floats]]:
        row = ctypes.c_int64(first)
        true_row = ctypes.c_int64(int(truths_before[datums[first]]) if first < last else 0)
        capacity = max(last - first, int(np.diff(truths_before).max(initial=0)), _LEAST_ROOM)
        truths: list[Codes] = []
        ious: list[Floats] = []
        while row.value < last:
            some_truths, some_ious = np.empty(capacity, np.int64), np.empty(capacity)
            written = _box_pairs(
                *(*columns, last, datums, groups, boxes, lowest, capacity),
                *(ctypes.byref(row), ctypes.byref(true_row), sizes, some_truths, some_ious),
            )
            truths.append(some_truths[:written])
            ious.append(some_ious[:written])
        return truths, ious

    parts = in_threads([partial(find, *span) for span in _spans(datums)])
    truths = _joined([found for part in parts for found in part[0]], np.int64)
    overlaps = _joined([found for part in parts for found in part[1]], np.float64)
    return ends(sizes), truths, overlaps


def _spans(datums: Codes) -> list[tuple[int, int]]:
    """Spans of rows with whole images that are worth a thread each."""
    count = max(1, min(thread_count(), len(datums) // _THREAD_ROWS))
    cuts = np.searchsorted(datums, datums[[len(datums) * i // count for i in range(1, count)]])
    return list(pairwise([0, *cuts.tolist(), len(datums)]))


def _joined(parts: list[Any], dtype: Any) -> Any:
    """The parts as one array that holds no room to spare."""
    if not parts:
        return np.empty(0, dtype)
    return parts[0].copy() if len(parts) == 1 else np.concatenate(parts)


def score_order(groups: Codes, scores: Floats, count: int) -> Codes:
    """`numeric.matching.score_order`."""
    order = np.empty(len(groups), np.int64)
    starts = np.empty(count + 1, np.int64)
    if _score_order(len(groups), groups, scores, count, starts, order):
        raise MemoryError
    return order


def ranks(order: Codes, groups: Codes, datums: Codes) -> NDArray[np.int32]:
    """`numeric.matching.ranks`."""
    count = int(datums[-1]) + 1 if len(datums) else 0
    count = max(count, int(datums.max(initial=-1)) + 1)
    found = np.empty(len(order), np.int32)
    seen, tallies = np.full(count, -1), np.zeros(count, np.int32)
    _ranks(len(order), order, groups, datums, seen, tallies, found)
    return found


def match_coco(
    starts: Codes,
    truths: Codes,
    ious: Floats,
    crowd: Flags,
    ignored: Flags,
    thresholds: Floats,
) -> tuple[Bits, Bits]:
    """`numeric.matching.match_coco`."""
    count = len(starts) - 1
    matched, excused = np.empty(count, np.uint64), np.empty(count, np.uint64)
    _match_coco(
        *(count, starts, truths, ious, crowd, ignored, len(thresholds), thresholds),
        *(np.zeros(len(crowd), np.uint64), matched, excused),
    )
    return matched, excused


def choose_coco(
    starts: Codes, truths: Codes, ious: Floats, crowd: Flags, ignored: Flags, threshold: float
) -> Codes:
    """`numeric.matching.choose_coco`."""
    places = np.empty(len(starts) - 1, np.int64)
    _choose_coco(
        *(len(places), starts, truths, ious, crowd, ignored, threshold),
        *(np.zeros(len(crowd), np.bool_), places),
    )
    return places


def match_best(
    starts: Codes,
    truths: Codes,
    ious: Floats,
    crowd: Flags,
    ignored: Flags,
    thresholds: Floats,
) -> tuple[Bits, Bits]:
    """`numeric.matching.match_best`."""
    count = len(starts) - 1
    matched, excused = np.empty(count, np.uint64), np.empty(count, np.uint64)
    _match_best(
        *(count, starts, truths, ious, crowd, ignored, len(thresholds), thresholds),
        *(np.zeros(len(crowd), np.uint64), matched, excused),
    )
    return matched, excused


def choose_best(
    starts: Codes, truths: Codes, ious: Floats, crowd: Flags, ignored: Flags, threshold: float
) -> Codes:
    """`numeric.matching.choose_best`."""
    places = np.empty(len(starts) - 1, np.int64)
    _choose_best(
        *(len(places), starts, truths, ious, crowd, threshold),
        *(np.zeros(len(crowd), np.bool_), places),
    )
    return places


def match_ranked(
    starts: Codes,
    truths: Codes,
    ious: Floats,
    scores: Floats,
    crowd: Flags,
) -> Codes:
    """`numeric.matching.match_ranked`."""
    rows, order = numeric.ranked_order(starts, truths, ious, scores)
    places = np.full(len(starts) - 1, -1, np.int64)
    _match_walk(len(order), order, rows, truths, crowd, np.zeros(len(crowd), np.bool_), places)
    return places


def interpolated(
    order: Codes,
    group_starts: Codes,
    scores: Floats,
    ranks: NDArray[np.int32],
    most: int,
    places: NDArray[np.int32],
    counted: Flags,
    matched: Bits,
    excused: Bits,
    threshold_count: int,
    needed: Codes,
    positives: Codes,
) -> tuple[Floats, Floats, Codes]:
    """`numeric.matching.interpolated`."""
    count, points = needed.shape
    precisions = np.empty((count, threshold_count, points))
    thresholds = np.empty((count, threshold_count, points))
    found = np.empty((threshold_count, count), np.int64)
    hits = min(int(np.diff(group_starts).max(initial=0)), int(positives.max(initial=0)))
    _interpolated(
        *(0, count, count, order, group_starts, scores),
        *(ranks, most, places, counted, matched, excused),
        *(threshold_count, points, needed, positives, hits),
        *(np.empty(_HIT_BYTES * threshold_count * hits + 1, np.uint8), np.empty(hits + 1)),
        *(precisions, thresholds, found),
    )
    return precisions, thresholds, found
