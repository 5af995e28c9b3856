"""Functions of the library for both types of scores, and conversion of their exact sums."""

from collections.abc import Callable
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
    optional = ("top", "scores") if name in ("top_table", "top_reliability") else ()
    return KERNELS.function(f"{name}_{dtype.name}", optional)


def whole(limbs: NDArray[np.uint64]) -> list[int]:
    """Return the whole number in each row of 32-bit limbs, the lowest limb first."""
    return [int.from_bytes(row.tobytes(), "little") for row in limbs.astype("<u4")]
