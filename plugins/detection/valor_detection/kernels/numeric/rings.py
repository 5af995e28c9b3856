"""Rings of polygons from their JSON, in NumPy: a decoder would make an object of each number.

Marks are the bytes that are no digits. A number is the digits between two marks, with or without a
point among them. Its digits alone are a whole number that doubles hold exactly, as they hold the
power of ten that it is divided by: the quotient is rounded as the number itself would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from attrs import astuple, frozen
from numpy.typing import NDArray

from valor_core.schemas.columns import Codes
from valor_detection.kernels.records import FloatColumn

_OPEN, _CLOSE, _MINUS, _POINT = b"[]-."
_IS_KNOWN = np.isin(np.arange(256), list(b"[],-. \t\r\n"))

_MOST = 8  # digits of a number: these are read together, as one word
_LAST = np.array([(1 << 64) - (1 << 64 - 8 * count) for count in range(_MOST + 1)], np.uint64)
_LAST &= np.uint64(0x0F0F0F0F0F0F0F0F)
_PAIRS = np.array(
    [(8, 10, 0x00FF00FF00FF00FF), (16, 100, 0x0000FFFF0000FFFF), (32, 10_000, 0xFFFFFFFF)],
    np.uint64,
)
_POWERS = 10.0 ** np.arange(_MOST + 1)


class UnusualError(Exception):
    """Long numbers, or such with exponents, or other things than lists of lists of numbers."""


@frozen(eq=False)
class Rings:
    """Rings of some rows.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_rows,)
        Number of rings of each row.
    lengths : ndarray of int64, shape (n_rings,)
        Number of coordinates of each ring.
    numbers : ndarray of float64
        Coordinates.
    """

    counts: Codes
    lengths: Codes
    numbers: FloatColumn

    @classmethod
    def of(cls, rows: Sequence[Sequence[Sequence[float]]]) -> Rings:
        """Rings from plain Python values."""
        rings = list(chain.from_iterable(rows))
        return cls(
            np.fromiter(map(len, rows), np.int64, len(rows)),
            np.fromiter(map(len, rings), np.int64, len(rings)),
            np.fromiter(chain.from_iterable(rings), np.float64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Rings]) -> Rings:
        """Rings of several parts, one after another."""
        if not parts:
            return cls.of([])
        counts, lengths, numbers = zip(*map(astuple, parts), strict=True)
        return cls(np.concatenate(counts), np.concatenate(lengths), np.concatenate(numbers))

    @classmethod
    def read(cls, rows: Sequence[Any]) -> Rings:
        """Rings of rows, each a list in JSON.

        Raises
        ------
        UnusualError
            If a decoder has to look at them.

        Examples
        --------
        >>> rings = Rings.read([b"[[1,2.5,-3]]", b"[]"])
        >>> rings.counts, rings.lengths, rings.numbers
        (array([1, 0]), array([3]), array([ 1. ,  2.5, -3. ]))
        """
        text = b"0" * (_MOST + 1) + b",".join(rows)
        letters = np.frombuffer(text, np.uint8)
        places = np.flatnonzero(letters - np.uint8(ord("0")) > 9)
        marks = letters.take(places)
        if not _IS_KNOWN.take(marks).all():
            raise UnusualError
        first = np.flatnonzero((places[1:] - places[:-1] > 1) & (marks[:-1] != _POINT))
        numbers = _numbers(text, places, marks, first)
        counts, lengths = _nesting(marks, first)
        return cls(counts, lengths, numbers)


def _numbers(text: bytes, places: Codes, marks: NDArray[np.uint8], first: Codes) -> FloatColumn:
    """Numbers that stand behind some of the marks."""
    after = first + 1
    has_point = marks.take(after) == _POINT
    stops = places.take(after + has_point)
    decimals = np.maximum(stops - places.take(after) - 1, 0)
    counts = stops - places.take(first) - has_point - 1
    if counts.max(initial=0) > _MOST:
        raise UnusualError
    powers = _POWERS.take(decimals)
    powers[marks.take(first) == _MINUS] *= -1
    numbers: FloatColumn = _wholes(text, stops, has_point, decimals, counts) / powers
    if not numbers.all() and np.signbit(numbers[numbers == 0]).any():
        raise UnusualError  # a decoder knows about the sign of zero
    return numbers


def _wholes(
    text: bytes, stops: Codes, has_point: NDArray[np.bool_], decimals: Codes, counts: Codes
) -> NDArray[np.uint64]:
    """What the digits of numbers say: two of them are joined, then two such pairs, and so on."""
    words = np.ndarray(len(text) - _MOST + 1, "<u8", text, strides=(1,)).astype(np.uint64)
    starts = stops - _MOST
    behind, shown = _LAST.take(decimals), _LAST.take(counts)
    wholes = words.take(starts - has_point)
    wholes ^= (wholes ^ words.take(starts)) & behind
    wholes &= shown
    for width, base, kept in _PAIRS:
        lower = wholes >> width
        wholes *= base
        wholes += lower
        wholes &= kept
    return wholes


def _nesting(marks: NDArray[np.uint8], first: Codes) -> tuple[Codes, Codes]:
    """Number of rings of each row, and of numbers of each ring."""
    brackets = np.flatnonzero(marks >= _OPEN)
    depths = np.cumsum(_OPEN + 1 - marks[brackets].astype(np.int64))
    before = np.searchsorted(first, brackets)
    if depths.max(initial=0) > 2 or np.diff(before)[depths[:-1] < 2].any():
        raise UnusualError
    closes = marks[brackets] == _CLOSE
    rings, rows = np.flatnonzero(closes & (depths == 1)), np.flatnonzero(closes & (depths == 0))
    lengths = before[rings] - before[rings - 1]
    return np.diff(np.searchsorted(rings, rows), prepend=0), lengths
