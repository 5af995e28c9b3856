"""Functions of the library for both types of scores, their exact sums, and threads."""

from collections.abc import Callable
from ctypes import Structure
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels import KERNELS
from valor_core.kernels import Span, map_spans

_T = TypeVar("_T")

_THREAD_SCORES = 1 << 18  # fewest scores per thread

MOST_THRESHOLDS = 255
"""Largest number of thresholds that fits the byte that counts them."""

confusion_table = KERNELS.function("confusion_table")


@cache
def function(name: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
    """Return a function of the library for scores of one type.

    Parameters
    ----------
    name : str
        Name without the type.
    dtype : dtype
        float32 or float64.
    """
    return KERNELS.function(of_type(name, dtype))


@cache  # NumPy builds the name of a dtype at each call
def of_type(name: str, dtype: np.dtype[Any]) -> str:
    """Return a name in C for scores of one type."""
    return f"{name}_{dtype.name}"


def sums(limbs: NDArray[np.uint64], unit_bits: int) -> Structure:
    """Return the struct of exact sums, one for each row of limbs."""
    return KERNELS.struct("Sums", limbs=limbs, limb_count=limbs.shape[1], unit_bits=unit_bits)


def whole(limbs: NDArray[np.uint64]) -> list[int]:
    """Return the whole number in each row of 32-bit limbs, the lowest limb first."""
    return [int.from_bytes(row.tobytes(), "little") for row in limbs.astype("<u4")]


def in_threads(task: Callable[[int, int], _T], rows: int, scores: int, threads: int) -> list[_T]:
    """Return the results of a task for spans of rows, one per thread.

    Parameters
    ----------
    task : callable
        Function of the first row, and of one past the last row.
    rows : int
        Number of rows.
    scores : int
        Number of scores to read; few scores are not worth a thread.
    threads : int
        Maximum number of threads.
    """
    count = max(1, min(threads, scores // _THREAD_SCORES))
    return map_spans(task, spans(0, rows, -(-rows // count)))


def spans(first: int, last: int, step: int) -> list[Span]:
    """Return spans of at most `step` that follow each other from `first` to `last`.

    Examples
    --------
    >>> spans(0, 5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, step)
    return [(start, min(start + step, last)) for start in range(first, last, step)]
