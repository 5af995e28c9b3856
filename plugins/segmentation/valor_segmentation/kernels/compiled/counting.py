"""Counting of pairs of pixel values, compiled.

Docstrings of the functions stand in `valor_segmentation.kernels.numeric.counting`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from ctypes import c_int64, c_void_p
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.compiled import array
from valor_core.schemas.arrays import Codes
from valor_core.schemas.pixels import Image
from valor_core.threads import in_threads, thread_count
from valor_segmentation.kernels import KERNELS
from valor_segmentation.kernels.places import Pair, Places, flat

_THREAD_PIXELS = 1 << 19  # pixels that are worth a thread of their own
_MOST_PIXELS = 1 << 30  # pixels that 32-bit counts are sure to hold
_MOST_DENSE = 1 << 18  # values of wide types that there is a table of, not a search
_SMALL_TABLE = 1 << 13  # cells of a table that there are four of

_SIDE = (c_void_p, c_int64, array(np.uint64), array(np.uint32), c_int64)
_COUNTS, _TOTALS = array(np.uint32, written=True), array(np.int64, written=True)


def _bound(name: str, *arguments: Any) -> Any:
    function = getattr(KERNELS.library, name)
    function.argtypes, function.restype = arguments, None
    return function


_count_pairs = _bound("count_pairs", c_int64, *_SIDE, *_SIDE, _COUNTS, c_int64)
_collect_counts = _bound("collect_counts", c_int64, c_int64, _COUNTS, _TOTALS)

Lookup = tuple[NDArray[np.uint64], NDArray[np.uint32], int]
"""Sorted keys, places, and the number of keys; or no keys, the places of all values from 0 on, and
the negative of their number. One place more is that of all other values."""
Piece = tuple[Image, Image, Lookup, Lookup]
"""Pixels of both sides, and how each looks up its place."""

_NO_KEYS = np.empty(0, np.uint64)


def count_pairs(pairs: Sequence[Pair], rows: int, columns: int) -> Codes:
    """`numeric.counting.count_pairs`."""
    pieces: list[Piece] = []
    for truth, true_places, prediction, places in pairs:
        true_values, values = flat(truth), flat(prediction)
        if len(true_values):
            row = _lookup(true_places, true_values.dtype, columns + 1, rows)
            column = _lookup(places, values.dtype, 1, columns)
            pieces.append((true_values, values, row, column))
    total, size = sum(len(piece[0]) for piece in pieces), (rows + 1) * (columns + 1)
    tasks = [partial(_count, cut, size) for cut in _cuts(pieces, _edges(total))]
    found: Codes = np.sum(in_threads(tasks), axis=0)
    return found.reshape(rows + 1, columns + 1)


def _edges(total: int) -> list[int]:
    """Where the pixels of all pieces are cut, for threads and for what 32 bits hold."""
    tasks = max(1, min(thread_count(), total // _THREAD_PIXELS), -(-total // _MOST_PIXELS))
    return [total * task // tasks for task in range(tasks + 1)]


def _cuts(pieces: list[Piece], edges: list[int]) -> list[list[Piece]]:
    """The pieces between each two edges; one across an edge is cut."""
    cuts: list[list[Piece]] = [[] for _ in edges[1:]]
    start = 0
    for truth, prediction, row, column in pieces:
        stop = start + len(truth)
        for cut, (first, last) in zip(cuts, pairwise(edges), strict=True):
            low, high = max(first, start) - start, min(last, stop) - start
            if low < high:
                cut.append((truth[low:high], prediction[low:high], row, column))
        start = stop
    return cuts


def _lookup(places: Places, dtype: np.dtype[Any], scale: int, unknown: int) -> Lookup:
    """How pixels of a type look up `scale` times their position; kept for the next image."""
    name = (dtype, scale, unknown)
    if name not in places.known:
        values, positions = places.of_type(dtype)
        keys = values.view(np.dtype(f"u{dtype.itemsize}"))
        is_dense = dtype.itemsize <= 2 or int(keys.max(initial=0)) < _MOST_DENSE
        make = _dense if is_dense else _sorted
        places.known[name] = make(keys, positions * scale, unknown * scale)
    found: Lookup = places.known[name]
    return found


def _dense(values: Image, positions: Codes, unknown: int) -> Lookup:
    is_narrow = values.itemsize <= 2
    size = 1 << 8 * values.itemsize if is_narrow else int(values.max(initial=0)) + 1
    table = np.full(size + 1, unknown, np.uint32)
    table[values] = positions
    return _NO_KEYS, table, -size


def _sorted(values: Image, positions: Codes, unknown: int) -> Lookup:
    order = np.argsort(values)
    keys = values[order].astype(np.uint64)
    return keys, np.append(positions[order], unknown).astype(np.uint32), len(keys)


def _count(pieces: list[Piece], size: int) -> Codes:
    tables = 4 if size <= _SMALL_TABLE else 1
    counts = _cleared(tables * size)
    for truth, prediction, row, column in pieces:
        _count_pairs(
            *(len(truth), truth.ctypes.data, truth.itemsize, *row),
            *(prediction.ctypes.data, prediction.itemsize, *column),
            *(counts, size if tables > 1 else 0),
        )
    totals = np.zeros(size, np.int64)
    _collect_counts(size, tables, counts, totals)
    return totals


def _cleared(cells: int) -> NDArray[np.uint32]:
    """Counts of zero, which this thread keeps from one call to the next."""
    if len(getattr(_here, "counts", ())) < cells:
        _here.counts = np.zeros(cells, np.uint32)
    counts: NDArray[np.uint32] = _here.counts
    return counts


_here = threading.local()
