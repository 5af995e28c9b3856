"""Functions of the library for both types of scores, and conversion of their exact sums."""

from collections.abc import Callable
from ctypes import Structure
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels import KERNELS

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
