"""Order of rows by group, in C."""

from __future__ import annotations

import numpy as np

from valor_core.schemas import Codes
from valor_detection.kernels import KERNELS

_grouped_order = KERNELS.function("grouped_order")


def grouped_order(groups: Codes, count: int) -> Codes:
    """Sort rows by group, stably.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Group of each row, below `count`.
    count : int
        Number of groups.
    """
    order = np.empty(len(groups), np.int64)
    _grouped_order(len(groups), groups, count, np.zeros(count + 1, np.int64), order)
    return order
