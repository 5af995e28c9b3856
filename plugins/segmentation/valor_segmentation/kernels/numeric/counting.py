"""Counting of pairs of pixel values in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from valor_core.schemas.arrays import Codes
from valor_core.schemas.pixels import Image
from valor_segmentation.kernels.places import Pair, Places, flat

_CHUNK = 1 << 15  # pixels whose 64-bit places stay in the cache
_MOST_RAW = 1 << 18  # cells of a table of the values themselves


def count_pairs(pairs: Sequence[Pair], rows: int, columns: int) -> Codes:
    """Pixels by true and predicted value.

    Parameters
    ----------
    pairs : sequence of (image, Places, image, Places)
        True and predicted images of the same shape, of any integer types.
    rows, columns : int
        Positions that there are on each side.

    Returns
    -------
    counts : ndarray of int64, shape (rows + 1, columns + 1)
        The last row and the last column are of values without a position.

    Examples
    --------
    >>> places = Places(np.array([0, 1]), np.array([0, 1]))
    >>> count_pairs([(np.array([[0, 1, 7]]), places, np.array([[1, 1, 1]]), places)], 2, 2)
    array([[0, 1, 0],
           [0, 1, 0],
           [0, 1, 0]])
    """
    table = np.zeros((rows + 1, columns + 1), np.int64)
    for truth, true_places, prediction, places in pairs:
        if not truth.size:
            continue
        true_values, values = flat(truth), flat(prediction)
        lows = int(true_values.min()), int(values.min())
        sizes = int(true_values.max()) - lows[0] + 1, int(values.max()) - lows[1] + 1
        if sizes[0] * sizes[1] <= max(_MOST_RAW, truth.size // 8):
            raw = _raw(true_values, values, lows, sizes)
            true_at = _positions(np.arange(sizes[0]) + lows[0], true_places, rows)
            at = _positions(np.arange(sizes[1]) + lows[1], places, columns)
            _add(raw, true_at, at, table)
        else:
            _count(true_values, true_places, values, places, table)
    return table


def _raw(truth: Image, prediction: Image, lows: tuple[int, int], sizes: tuple[int, int]) -> Codes:
    """Counts by the values themselves, from the lowest on."""
    counts = np.zeros(sizes[0] * sizes[1], np.int64)
    # Each chunk costs a pass over the table.
    chunk = max(_CHUNK, 4 * len(counts))
    places = np.empty(min(chunk, len(truth)), np.int64)
    base = lows[0] * sizes[1] + lows[1]
    for start in range(0, len(truth), chunk):
        some = truth[start : start + chunk]
        at = places[: len(some)]
        np.multiply(some, sizes[1], out=at, dtype=np.int64, casting="unsafe")
        np.add(at, prediction[start : start + chunk], out=at, casting="unsafe")
        if base:
            at -= base
        found = np.bincount(at)
        counts[: len(found)] += found
    return counts.reshape(sizes)


def _add(raw: Codes, rows: Codes, columns: Codes, table: Codes) -> None:
    """Add counts at rows and columns of a table, where several may meet."""
    if len(set(rows.tolist())) == len(rows) and len(set(columns.tolist())) == len(columns):
        table[np.ix_(rows, columns)] += raw
        return
    row, column = np.nonzero(raw)
    np.add.at(table, (rows[row], columns[column]), raw[row, column])


def _positions(values: Image, places: Places, unknown: int) -> Codes:
    known, positions = places.of_type(values.dtype)
    if not len(known):
        return np.full(len(values), unknown)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[at] == values, positions[at], unknown)


def _count(
    truth: Image, true_places: Places, prediction: Image, places: Places, table: Codes
) -> None:
    rows, columns = table.shape
    for start in range(0, len(truth), _CHUNK):
        at = _positions(truth[start : start + _CHUNK], true_places, rows - 1) * columns
        at += _positions(prediction[start : start + _CHUNK], places, columns - 1)
        table += np.bincount(at, minlength=table.size).reshape(table.shape)
