"""Counting of pairs of pixel values in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from valor_core.schemas import Codes
from valor_core.schemas.segmentation import Image
from valor_segmentation.kernels.value_positions import Pair, Places, flat


def count_pairs(pairs: Sequence[Pair], rows: int, columns: int) -> Codes:
    """Pixels by true and predicted value.

    Parameters
    ----------
    pairs : sequence of (image, Places, image, Places)
        True and predicted images of the same shape, of any integer types.
    rows, columns : int
        Positions that there are on each side, below 65,536.

    Returns
    -------
    counts : ndarray of int64, shape (rows + 1, columns + 1)
        The last row and the last column are of values without a position.

    Raises
    ------
    SchemaError
        If the images of a pair differ in shape or are no whole numbers, or a position is not
        there.

    Examples
    --------
    >>> places = Places(np.array([0, 1]), np.array([0, 1]))
    >>> count_pairs([(np.array([[0, 1, 7]]), places, np.array([[1, 1, 1]]), places)], 2, 2)
    array([[0, 1, 0],
           [0, 1, 0],
           [0, 1, 0]])
    """
    table = np.zeros((rows + 1, columns + 1), np.int64)
    for pair in pairs:
        (truth, prediction), (_, true_places, _, places) = flat(pair), pair
        true_places.check_positions(rows)
        places.check_positions(columns)
        at = (
            _positions(truth, true_places, rows),
            _positions(prediction, places, columns),
        )
        np.add.at(table, at, 1)
    return table


def _positions(values: Image, places: Places, unknown: int) -> Codes:
    """Position of each value, or `unknown`."""
    known, positions = places.of_type(values.dtype)
    if not len(known):
        return np.full(len(values), unknown)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, positions[at], unknown)
