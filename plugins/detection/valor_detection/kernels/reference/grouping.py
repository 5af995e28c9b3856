"""Order of rows by group, in NumPy."""

import numpy as np

from valor_core.schemas import Codes


def grouped_order(groups: Codes, count: int) -> Codes:
    """Sort rows by group, stably.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Group of each row, below `count`.
    count : int
        Number of groups.

    Examples
    --------
    >>> grouped_order(np.array([1, 0, 1]), 2)
    array([1, 0, 2])
    """
    return np.argsort(groups, kind="stable")
