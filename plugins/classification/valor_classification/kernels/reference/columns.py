"""Columns: copies of the columns of a matrix, a few at a time, and runs of equal values."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels.spans import columns_at_once, spans
from valor_classification.kernels.values import Scores

_TRANSPOSED_ROWS = 1024  # rows turned into columns at a time


def column_blocks(
    chunks: Sequence[Scores], first: int, last: int
) -> Iterator[tuple[int, NDArray[Any]]]:
    """First column and private copy, one column per row, of block after block of columns.

    The copy is good until the next one is asked for: they share their memory.
    """
    count = sum(len(chunk) for chunk in chunks)
    dtype = np.result_type(*chunks)
    fitting = columns_at_once(count, chunks[0].shape[1], dtype.itemsize)
    blocks = -(-(last - first) // fitting)
    step = -(-(last - first) // blocks)
    copy = np.empty((step, count), dtype)
    for start in range(first, last, step):
        stop = min(start + step, last)
        position = 0
        for chunk in chunks:
            for top, bottom in spans(0, len(chunk), _TRANSPOSED_ROWS):
                into = slice(position + top, position + bottom)
                copy[: stop - start, into] = chunk[top:bottom, start:stop].T
            position += len(chunk)
        yield start, copy[: stop - start]


def groups(ascending: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each run of equal values begins, and how long it is."""
    changes = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    starts = np.concatenate((np.zeros(min(1, ascending.size), np.intp), changes))
    return starts, np.diff(starts, append=ascending.size)
