"""Counting of pairs of pixel values, compiled.

Docstrings of the functions stand in `valor_segmentation.kernels.reference.counting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.kernels import in_threads, thread_count
from valor_core.schemas import Codes
from valor_core.schemas.segmentation import Image
from valor_segmentation.kernels import KERNELS
from valor_segmentation.kernels.value_positions import Pair, Places, flat

_THREAD_PIXELS = 1 << 19  # pixels that are worth a thread of their own
_MOST_PIXELS = 1 << 30  # pixels that 32-bit counts are sure to hold
_MOST_DENSE = 1 << 18  # distances of wide values that there is a table of, not a search
_SMALL_TABLE = 1 << 13  # cells of a table that there are four of
_MOST_PLAIN = 1 << 16  # places that are computed, many at once

_count_pairs = KERNELS.function("count_pairs")
_collect_counts = KERNELS.function("collect_counts")


@frozen(eq=False)
class Lookup:
    """How pixels of one type get codes of 8 or 16 bits, and these their place in a table.

    Parameters
    ----------
    places : ndarray of uint32
        Places of all codes.
    plain : int
        Below which code each has its own number, times the length of a row, for its place.
    low : int
        Least known value.
    other : int
        Code of values that are too far from `low` for their lower bits to be their code.
    codes : ndarray of uint16 or None
        Codes of the values that the keys tell, or of all values from `low` on; one more is that
        of all other values. None where codes are the lower bits of the values.
    keys : ndarray of uint64 or None
        Distances of the known values from `low`, ascending.
    """

    places: NDArray[np.uint32]
    plain: int
    low: int
    other: int = 0
    codes: NDArray[np.uint16] | None = None
    keys: NDArray[np.uint64] | None = None
    side: Structure = field(init=False)
    """Argument of the kernel."""

    @side.default
    def _side(self) -> Structure:
        return KERNELS.struct(
            "Side",
            places=self.places,
            plain=self.plain,
            low=self.low % (1 << 64),
            other=self.other,
            keys=self.keys,
            codes=self.codes,
            count=0 if self.codes is None else len(self.codes) - 1,
        )


@frozen(eq=False)
class Piece:
    """Pixels of both sides, as one row each, and how they look up their place.

    Parameters
    ----------
    truth, prediction : ndarray of int
        Values.
    rows, columns : Lookup
        Of both sides, with codes of one width.
    width : int
        Bytes of a code.
    """

    truth: Image
    prediction: Image
    rows: Lookup
    columns: Lookup
    width: int

    def cut(self, first: int, last: int) -> Piece:
        """Some of the pixels."""
        sides = self.truth[first:last], self.prediction[first:last]
        return Piece(*sides, self.rows, self.columns, self.width)


def count_pairs(pairs: Sequence[Pair], rows: int, columns: int) -> Codes:
    """See `reference.counting.count_pairs`."""
    pieces = [_piece(pair, rows, columns) for pair in pairs]
    total, size = sum(len(piece.truth) for piece in pieces), (rows + 1) * (columns + 1)
    tasks = [partial(_count, cut, size, columns + 1) for cut in _cuts(pieces, _edges(total))]
    found, *others = in_threads(tasks)
    for other in others:
        found += other
    return found.reshape(rows + 1, columns + 1)


def _piece(pair: Pair, rows: int, columns: int) -> Piece:
    (true_values, values), (_, true_places, _, places) = flat(pair), pair
    width = max(_width(true_places, true_values.dtype), _width(places, values.dtype))
    if true_values.itemsize == values.itemsize == 2:
        width = 2  # to be counted as they are is faster
    return Piece(
        true_values,
        values,
        _lookup(true_places, true_values.dtype, width, columns + 1, rows),
        _lookup(places, values.dtype, width, 1, columns),
        width,
    )


def _edges(total: int) -> list[int]:
    """Where the pixels of all pieces are cut, for threads and for what 32 bits hold."""
    tasks = max(1, min(thread_count(), total // _THREAD_PIXELS), -(-total // _MOST_PIXELS))
    return [total * task // tasks for task in range(tasks + 1)]


def _cuts(pieces: list[Piece], edges: list[int]) -> list[list[Piece]]:
    """The pieces between each two edges; one across an edge is cut."""
    cuts: list[list[Piece]] = [[] for _ in edges[1:]]
    start = 0
    for piece in pieces:
        stop = start + len(piece.truth)
        for cut, (first, last) in zip(cuts, pairwise(edges), strict=True):
            low, high = max(first, start) - start, min(last, stop) - start
            if low < high:
                cut.append(piece.cut(low, high))
        start = stop
    return cuts


def _width(places: Places, dtype: np.dtype[Any]) -> int:
    """Bytes of the codes that pixels of a type need."""
    if dtype not in places.known:
        values, _ = places.of_type(dtype)
        places.known[dtype] = 1 if _is_narrow(values, 1) else 2
    width: int = places.known[dtype]
    return width


def _is_narrow(values: Image, width: int) -> bool:
    """Return True if label values differ in their lowest bytes, with a code left for others."""
    if values.itemsize <= width:
        return True
    most = 1 << 8 * width
    return len(values) == 0 or (_span(values) <= most and len(values) < most)


def _span(values: Image) -> int:
    return int(values[-1]) - int(values[0]) + 1


def _lookup(places: Places, dtype: np.dtype[Any], width: int, scale: int, unknown: int) -> Lookup:
    """How pixels of a type look up `scale` times their position; kept for the next image."""
    name = (dtype, width, scale, unknown)
    if name not in places.known:
        values, positions = places.of_type(dtype)
        places.check_positions(unknown)
        make = _by_lower_bits if _is_narrow(values, width) else _by_search
        places.known[name] = make(values, positions, width, scale, unknown)
    found: Lookup = places.known[name]
    return found


def _by_lower_bits(values: Image, positions: Codes, width: int, scale: int, unknown: int) -> Lookup:
    codes = values.view(f"u{values.itemsize}").astype(f"u{width}")
    table = np.full(1 << 8 * width, unknown * scale, np.uint32)
    table[codes] = positions * scale
    is_free = np.ones(len(table), bool)
    is_free[codes] = False
    low = int(values[0]) if len(values) else 0
    return Lookup(table, _plain(table, scale), low, int(is_free.argmax()))


def _by_search(values: Image, positions: Codes, width: int, scale: int, unknown: int) -> Lookup:
    """With positions for codes."""
    table = np.arange(unknown + 1, dtype=np.uint32) * np.uint32(scale)
    low, span = int(values[0]), _span(values)
    distances = values.view(f"u{values.itemsize}") - values[:1].view(f"u{values.itemsize}")
    keys = distances.astype(np.uint64)
    if span > _MOST_DENSE:
        codes = np.append(positions, unknown).astype(np.uint16)
        return Lookup(table, _plain(table, scale), low, codes=codes, keys=keys)
    codes = np.full(span + 1, unknown, np.uint16)
    codes[keys] = positions
    return Lookup(table, _plain(table, scale), low, codes=codes)


def _plain(table: NDArray[np.uint32], scale: int) -> int:
    """Below which code each looks up `scale` times itself."""
    numbers = np.arange(min(len(table), _MOST_PLAIN // scale)) * scale
    others = np.flatnonzero(table[: len(numbers)] != numbers)
    return int(others[0]) if len(others) else len(numbers)


def _count(pieces: list[Piece], size: int, row_size: int) -> Codes:
    tables = 4 if size <= _SMALL_TABLE else 1
    counts = np.zeros(tables * size, np.uint32)
    for piece in pieces:
        truth, prediction = piece.truth, piece.prediction
        _count_pairs(
            *(len(truth), truth, truth.itemsize, piece.rows.side),
            *(prediction, prediction.itemsize, piece.columns.side),
            *(piece.width, row_size, counts, size if tables > 1 else 0),
        )
    totals = np.zeros(size, np.int64)
    _collect_counts(size, tables, counts, totals)
    return totals
