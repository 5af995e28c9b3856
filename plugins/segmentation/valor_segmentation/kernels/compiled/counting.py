"""Counting of pairs of pixel values, compiled.

`valor_segmentation.kernels.reference.counting` documents the functions.
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
from valor_segmentation.kernels.value_positions import Pair, ValuePositions, flat

_THREAD_PIXELS = 1 << 19  # fewest pixels per thread
_MOST_PIXELS = 1 << 30  # most pixels of one task, whose counts have 32 bits
_MOST_DENSE = 1 << 18  # largest span of values with a table instead of a search
_SMALL_TABLE = 1 << 13  # most cells of a table that is counted in four copies
_MOST_PLAIN = 1 << 16  # most cells whose indices are computed with vectors

_count_pairs = KERNELS.function("count_pairs")
_collect_counts = KERNELS.function("collect_counts")


@frozen(eq=False)
class Lookup:
    """Codes of 8 or 16 bits for pixels of one type, and the cell index of each code.

    Parameters
    ----------
    indices : ndarray of uint32
        Cell index of each code: an offset of a row, or a column.
    plain : int
        Codes below this have the index code times scale.
    low : int
        Least value with a position.
    other : int
        Code of values that are too far from `low` to be coded by their lower bits.
    codes : ndarray of uint16 or None
        Codes of the values in `keys`, or of all values from `low` on; the last code is that of
        all other values. None if codes are the lower bits of the values.
    keys : ndarray of uint64 or None
        Differences between the values with a position and `low`, ascending.
    """

    indices: NDArray[np.uint32]
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
            indices=self.indices,
            plain=self.plain,
            low=self.low % (1 << 64),
            other=self.other,
            keys=self.keys,
            codes=self.codes,
            count=0 if self.codes is None else len(self.codes) - 1,
        )


@frozen(eq=False)
class Piece:
    """Pixels of both sides, as one row each, and their look-up tables.

    Parameters
    ----------
    truth, prediction : ndarray of int
        Values.
    rows, columns : Lookup
        Tables of both sides, with codes of the same width.
    width : int
        Bytes of a code.
    """

    truth: Image
    prediction: Image
    rows: Lookup
    columns: Lookup
    width: int

    def cut(self, first: int, last: int) -> Piece:
        """Return a range of the pixels."""
        sides = self.truth[first:last], self.prediction[first:last]
        return Piece(*sides, self.rows, self.columns, self.width)


def count_pairs(pairs: Sequence[Pair], rows: int, columns: int) -> Codes:
    """See `reference.counting.count_pairs`."""
    pieces = [_piece(pair, rows, columns) for pair in pairs]
    total, size = sum(len(piece.truth) for piece in pieces), (rows + 1) * (columns + 1)
    tasks = [partial(_count, cut, size, columns + 1) for cut in _cuts(pieces, _edges(total))]
    table, *others = in_threads(tasks)
    for other in others:
        table += other
    return table.reshape(rows + 1, columns + 1)


def _piece(pair: Pair, rows: int, columns: int) -> Piece:
    (true_values, values), (_, true_positions, _, positions) = flat(pair), pair
    width = max(_width(true_positions, true_values.dtype), _width(positions, values.dtype))
    if true_values.itemsize == values.itemsize == 2:
        width = 2  # faster than conversion to 8 bits
    return Piece(
        true_values,
        values,
        _lookup(true_positions, true_values.dtype, width, columns + 1, rows),
        _lookup(positions, values.dtype, width, 1, columns),
        width,
    )


def _edges(total: int) -> list[int]:
    """Bounds of the tasks: enough for all threads, and for counts of 32 bits."""
    tasks = max(1, min(thread_count(), total // _THREAD_PIXELS), -(-total // _MOST_PIXELS))
    return [total * task // tasks for task in range(tasks + 1)]


def _cuts(pieces: list[Piece], edges: list[int]) -> list[list[Piece]]:
    """Return the pieces of each task; a piece across a bound is cut."""
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


def _width(positions: ValuePositions, dtype: np.dtype[Any]) -> int:
    """Number of bytes of the codes for pixels of a type."""
    if dtype not in positions.derived:
        values, _ = positions.of_type(dtype)
        positions.derived[dtype] = 1 if _is_narrow(values, 1) else 2
    width: int = positions.derived[dtype]
    return width


def _is_narrow(values: Image, width: int) -> bool:
    """Return True if label values differ in their lowest bytes, with a code left for others."""
    if values.itemsize <= width:
        return True
    most = 1 << 8 * width
    return len(values) == 0 or (_span(values) <= most and len(values) < most)


def _span(values: Image) -> int:
    return int(values[-1]) - int(values[0]) + 1


def _lookup(
    all_positions: ValuePositions, dtype: np.dtype[Any], width: int, scale: int, unknown: int
) -> Lookup:
    """Return the cached table that maps pixels of a type to `scale` times their position."""
    name = (dtype, width, scale, unknown)
    if name not in all_positions.derived:
        values, positions = all_positions.of_type(dtype)
        all_positions.check_positions(unknown)
        make = _by_lower_bits if _is_narrow(values, width) else _by_search
        all_positions.derived[name] = make(values, positions, width, scale, unknown)
    found: Lookup = all_positions.derived[name]
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
    """Make a table whose codes are positions."""
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
    """Return the first code whose index is not `scale` times the code."""
    numbers = np.arange(min(len(table), _MOST_PLAIN // scale)) * scale
    unequal = np.flatnonzero(table[: len(numbers)] != numbers)
    return int(unequal[0]) if len(unequal) else len(numbers)


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
