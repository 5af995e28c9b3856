"""Places in ragged rows, in NumPy."""

from __future__ import annotations

import numpy as np

from valor_core.schemas import Codes
from valor_core.schemas.geometry import ends


def strided(first: Codes, counts: Codes, step: int) -> tuple[Codes, Codes]:
    """Places from a first one on in each row, some apart, and where each row's begin.

    Parameters
    ----------
    first, counts : ndarray of int64, shape (n,)
        First place of each row, and how many it has.
    step : int
        From one place to the next.

    Examples
    --------
    >>> strided(np.array([1, 7]), np.array([3, 1]), 2)
    (array([1, 3, 5, 7]), array([0, 3, 4]))
    """
    starts = ends(counts)
    places = np.repeat(first - step * starts[:-1], counts)
    places += np.arange(0, step * starts[-1], step)
    return places, starts
