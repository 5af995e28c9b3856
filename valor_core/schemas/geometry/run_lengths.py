"""Run lengths of masks (COCO's RLE): conversion from and to arrays and compressed text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.columns import read_only

Runs = NDArray[np.uint32]
"""Lengths of runs of pixels."""


def runs_of(counts: Any) -> Runs:
    """Convert a list of counts, or COCO's compressed text, to run lengths.

    Raises
    ------
    SchemaError
        If the counts are neither non-negative 32-bit integers nor such text.

    Examples
    --------
    >>> runs_of([2, 3]), runs_of("52")
    (array([2, 3], dtype=uint32), array([5, 2], dtype=uint32))
    """
    if isinstance(counts, (str, bytes)):
        return decompressed(counts)
    try:
        array = np.asarray(counts)
    except ValueError:  # rows of different lengths
        array = np.empty((), dtype=object)
    if array.size == 0:
        array = array.astype(np.int64)
    is_whole = array.ndim == 1 and array.dtype.kind in "iu" and not np.ma.is_masked(counts)
    if not is_whole or array.min(initial=0) < 0 or array.max(initial=0) >= 1 << 32:
        raise SchemaError(f"counts: expected non-negative run lengths, got {short_repr(counts)}")
    return read_only(array.astype(np.uint32))


def decompressed(text: str | bytes) -> Runs:
    """Decompress COCO's text to run lengths.

    Every count is written in groups of five bits, lowest first, one character each. From the fourth
    count on, the text holds the difference from the count two before.

    Raises
    ------
    SchemaError
        If the text is not in this format.
    """
    raw = np.frombuffer(text.encode() if isinstance(text, str) else text, dtype=np.uint8)
    values = raw.astype(np.int64) - 48
    more = (values & 32) != 0
    if values.size and (values.min() < 0 or values.max() > 63 or more[-1]):
        raise SchemaError(f"counts: expected COCO's compressed run lengths, got {short_repr(text)}")
    ends = np.flatnonzero(~more)
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    lengths = ends - starts + 1
    if lengths.max(initial=0) > 12:
        raise SchemaError(f"counts: expected COCO's compressed run lengths, got {short_repr(text)}")
    shifts = 5 * (np.arange(len(values)) - np.repeat(starts, lengths))
    parts = (values & 31) << shifts
    counts = np.add.reduceat(parts, starts) if len(starts) else np.empty(0, np.int64)
    negative = (values[ends] & 16) != 0
    counts -= negative.astype(np.int64) << (5 * lengths)
    for first in (1, 2):  # differences to the count two before, summed up
        counts[first::2] = np.cumsum(counts[first::2])
    if counts.min(initial=0) < 0 or counts.max(initial=0) >= 1 << 32:
        raise SchemaError(f"counts: expected COCO's compressed run lengths, got {short_repr(text)}")
    return read_only(counts.astype(np.uint32))


def compressed(runs: Runs) -> str:
    """Compress run lengths to COCO's text.

    Examples
    --------
    >>> compressed(np.array([5, 2], np.uint32))
    '52'
    """
    counts = runs.astype(np.int64)
    differences = counts.copy()
    differences[3:] -= counts[1:-2]
    text = bytearray()
    for value in differences.tolist():
        while True:
            low = value & 31
            value >>= 5
            is_last = value == (-1 if low & 16 else 0)
            text.append(48 + low + (0 if is_last else 32))
            if is_last:
                break
    return text.decode()


def encoded(mask: NDArray[np.bool_]) -> Runs:
    """Return the run lengths of a boolean image."""
    flat = mask.T.reshape(-1)
    if not flat.size:
        return np.empty(0, np.uint32)
    changes = np.flatnonzero(np.diff(flat.astype(np.int8), prepend=0))
    return read_only(np.diff(changes, prepend=0, append=flat.size).astype(np.uint32))


def decoded(runs: Runs, height: int, width: int) -> NDArray[np.bool_]:
    """Return the boolean image of run lengths, shape (height, width)."""
    inside = np.arange(len(runs)) % 2 == 1
    return np.repeat(inside, runs).reshape(width, height).T
