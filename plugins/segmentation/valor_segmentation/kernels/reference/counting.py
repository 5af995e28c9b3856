"""Counting of pairs of pixel values in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from valor_core.schemas import Codes
from valor_core.schemas.segmentation import Image
from valor_segmentation.kernels.value_positions import Pair, ValuePositions, flat


def count_pairs(pairs: Sequence[Pair], rows: int, columns: int) -> Codes:
    """Count pixels by true and predicted value.

    Parameters
    ----------
    pairs : sequence of (image, ValuePositions, image, ValuePositions)
        True and predicted images of the same shape, of any integer types.
    rows, columns : int
        Number of positions on each side, below 65,536.

    Returns
    -------
    counts : ndarray of int64, shape (rows + 1, columns + 1)
        The last row and the last column count values without a position.

    Raises
    ------
    SchemaError
        If the images of a pair differ in shape or are not whole numbers, or a position is out of
        range.

    Examples
    --------
    >>> positions = ValuePositions(np.array([0, 1]), np.array([0, 1]))
    >>> pair = (np.array([[0, 1, 7]]), positions, np.array([[1, 1, 1]]), positions)
    >>> count_pairs([pair], 2, 2)
    array([[0, 1, 0],
           [0, 1, 0],
           [0, 1, 0]])
    """
    table = np.zeros((rows + 1, columns + 1), np.int64)
    for pair in pairs:
        (truth, prediction), (_, true_positions, _, positions) = flat(pair), pair
        true_positions.check_positions(rows)
        positions.check_positions(columns)
        at = (
            _positions(truth, true_positions, rows),
            _positions(prediction, positions, columns),
        )
        np.add.at(table, at, 1)
    return table


def _positions(values: Image, known: ValuePositions, unknown: int) -> Codes:
    """Position of each value, or `unknown`."""
    ascending, positions = known.of_type(values.dtype)
    if not len(ascending):
        return np.full(len(values), unknown)
    at = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    return np.where(ascending[at] == values, positions[at], unknown)
