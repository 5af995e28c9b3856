"""Counting of pairs of pixel values in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes
from valor_core.schemas.segmentation import Image
from valor_segmentation.kernels.value_positions import Pair, Places, flat

_CHUNK = 1 << 17  # pixels whose places stay in the cache
_MOST_RAW = 1 << 16  # cells of a table of the values themselves


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
        _count(truth, true_places, prediction, places, table)
    return table


def _count(
    truth: Image, true_places: Places, prediction: Image, places: Places, table: Codes
) -> None:
    most = max(_MOST_RAW, 4 * table.size)  # each chunk costs a pass over the table
    raw = _Raw(_bounds(true_places, truth.dtype), _bounds(places, prediction.dtype))
    is_raw = raw.cells <= min(most, 4 * len(truth))
    step = max(_CHUNK, most)
    for start in range(0, len(truth), step):
        some, others = truth[start : start + step], prediction[start : start + step]
        if is_raw and raw.has(some, others):
            raw.add(some, others)
            continue
        at = _positions(some, true_places, len(table) - 1) * table.shape[1]
        at += _positions(others, places, table.shape[1] - 1)
        table += np.bincount(at, minlength=table.size).reshape(table.shape)
    if is_raw:
        raw.collect(true_places, places, table)


Bounds = tuple[int, int]
"""A lowest and a highest value."""


def _bounds(places: Places, dtype: np.dtype[Any]) -> Bounds:
    """The values that have a position; 0 alone if none has."""
    known, _ = places.of_type(dtype)
    return (int(known[0]), int(known[-1])) if len(known) else (0, 0)


def _is_within(values: Image, bounds: Bounds) -> bool:
    low, high = bounds
    if low >= 0:  # negative values then are beyond all others
        values = values.view(f"u{values.itemsize}")
    if int(values.max()) > high:
        return False
    return low <= np.iinfo(values.dtype).min or int(values.min()) >= low


@frozen(eq=False)
class _Raw:
    """Counts by the values themselves.

    Parameters
    ----------
    rows, columns : (int, int)
        Lowest and highest true and predicted value.
    """

    rows: Bounds
    columns: Bounds

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows[1] - self.rows[0] + 1, self.columns[1] - self.columns[0] + 1

    @property
    def cells(self) -> int:
        return self.shape[0] * self.shape[1]

    @cached_property
    def counts(self) -> Codes:
        return np.zeros(self.cells, np.int64)

    def has(self, truth: Image, prediction: Image) -> bool:
        """Whether there is a cell for each of some pixels."""
        return _is_within(truth, self.rows) and _is_within(prediction, self.columns)

    def add(self, truth: Image, prediction: Image) -> None:
        """Count some pixels."""
        # Whatever overflows on the way, the places themselves fit.
        kind = np.dtype(np.uint16 if self.cells <= 1 << 16 else np.int64)
        first = self.rows[0] * self.shape[1] + self.columns[0]
        row, base = np.array([self.shape[1], first % (1 << 64)], np.uint64).astype(kind)
        at = truth.astype(kind)
        at *= row
        at += prediction.astype(kind)
        at -= base
        found = np.bincount(at)
        self.counts[: len(found)] += found

    def collect(self, true_places: Places, places: Places, table: Codes) -> None:
        """Add all counts to a table, where several values may meet."""
        (low, high), (other_low, other_high) = self.rows, self.columns
        rows = _positions(np.arange(low, high + 1), true_places, len(table) - 1)
        columns = _positions(np.arange(other_low, other_high + 1), places, table.shape[1] - 1)
        np.add.at(table, (rows[:, None], columns), self.counts.reshape(self.shape))


def _positions(values: Image, places: Places, unknown: int) -> Codes:
    known, positions = places.of_type(values.dtype)
    if values.dtype.itemsize <= 2:
        table = np.full(1 << 8 * values.dtype.itemsize, unknown)
        # A negative index counts from the end, where the negative values then are.
        table[known] = positions
        found: Codes = table[values]
        return found
    if not len(known):
        return np.full(len(values), unknown)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, positions[at], unknown)
