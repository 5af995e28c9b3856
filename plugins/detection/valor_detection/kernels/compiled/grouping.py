"""Order of rows by group, in C."""

from __future__ import annotations

from ctypes import c_int64

import numpy as np

from valor_core.kernels import array
from valor_core.schemas import Codes
from valor_detection.kernels import KERNELS

_GROUPS, _WRITTEN = array(np.int64), array(np.int64, written=True)

_grouped_order = KERNELS.function(
    "grouped_order", None, c_int64, _GROUPS, c_int64, _WRITTEN, _WRITTEN
)


def grouped_order(groups: Codes, count: int) -> Codes:
    """Order of rows by group, rows of a group as they stand.

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
