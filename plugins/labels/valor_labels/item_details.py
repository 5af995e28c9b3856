"""Columns of the details of items: sets of labels, counts by label, and texts of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats, Label
from valor_core.schemas.columns import object_column

Integers = NDArray[np.integer[Any]]


@frozen(eq=False, repr=False)
class LabelSets:
    """A set of labels for each item.

    Parameters
    ----------
    sizes : ndarray of int32, shape (n_items,)
        Number of labels of each item.
    codes : ndarray of integers
        Labels of all items, one item after another.

    Examples
    --------
    >>> sets = LabelSets.of(np.array([0, 0, 2]), np.array([5, 7, 5]), 3)
    >>> sets.select(np.array([2, 0])).codes.tolist()
    [5, 5, 7]
    >>> sets.distinct()
    (array([2, 0, 1]), [(), (5,), (5, 7)])
    """

    sizes: NDArray[np.int32]
    codes: Integers

    @classmethod
    def of(cls, datums: Codes, codes: Integers, count: int) -> LabelSets:
        """Return the sets of items from pairs of item and label, sorted by item."""
        return cls(np.bincount(datums, minlength=count).astype(np.int32), codes)

    def select(self, positions: Codes, sizes: Codes | None = None) -> LabelSets:
        """Return the sets at positions, optionally only their first labels."""
        starts = np.cumsum(self.sizes) - self.sizes
        kept = self.sizes[positions] if sizes is None else np.minimum(self.sizes[positions], sizes)
        ends = np.cumsum(kept)
        offsets = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - kept, kept)
        rows = np.repeat(starts[positions], kept) + offsets
        return LabelSets(kept.astype(np.int32), self.codes[rows])

    def distinct(self) -> tuple[Codes, list[tuple[int, ...]]]:
        """Return the number of each item's set, and the distinct sets."""
        numbers, found = np.zeros(len(self.sizes), np.int64), list[tuple[int, ...]]()
        starts = np.cumsum(self.sizes) - self.sizes
        for size in np.unique(self.sizes).tolist():
            rows = np.flatnonzero(self.sizes == size)
            table = self.codes[starts[rows, None] + np.arange(size)]
            if size == 0:
                first, indices = np.zeros(1, np.int64), np.zeros(len(rows), np.int64)
            elif size == 1:
                _, first, indices = np.unique(table[:, 0], return_index=True, return_inverse=True)
            else:
                packed = np.ascontiguousarray(table).view(f"V{table.itemsize * size}").ravel()
                _, first, indices = np.unique(packed, return_index=True, return_inverse=True)
            numbers[rows] = len(found) + indices
            found += map(tuple, table[first].tolist())
        return numbers, found


def label_counts(
    datums: Codes, labels: Codes, count: int, names: Sequence[Label]
) -> NDArray[np.object_]:
    """Count the labels of each item, as mappings of label to count.

    Parameters
    ----------
    datums, labels : ndarray of int64, shape (n,)
        Item and label of each object.
    count : int
        Number of items.
    names : sequence of Label
        Labels in the order of their codes.

    Examples
    --------
    >>> dog, cat = Label("class", "dog"), Label("class", "cat")
    >>> label_counts(np.array([0, 0, 0]), np.array([1, 0, 1]), 2, [dog, cat])
    array([{'dog': 1, 'cat': 2}, {}], dtype=object)
    """
    width = max(len(names), 1)
    pairs, times = np.unique(datums * width + labels, return_counts=True)
    most = int(times.max(initial=0)) + 1
    sets = LabelSets.of(pairs // width, pairs % width * most + times, count)
    numbers, distinct = sets.distinct()
    texts = list(map(str, names))
    named = [{texts[code // most]: code % most for code in codes} for codes in distinct]
    return object_column(named)[numbers]


def error_counts(counts: Mapping[str, Codes]) -> NDArray[np.object_]:
    """Describe the numbers of errors of each item, such as ``2 missed, 1 false``.

    Examples
    --------
    >>> error_counts({"missed": np.array([2, 0]), "false": np.array([1, 0])})
    array(['2 missed, 1 false', ''], dtype=object)
    """
    table, indices = np.unique(np.stack([*counts.values()]), axis=1, return_inverse=True)
    texts = [
        ", ".join(f"{number:,} {word}" for word, number in zip(counts, each, strict=True) if number)
        for each in table.T.tolist()
    ]
    return object_column(texts)[indices.ravel()]


def numbers_or_none(values: Floats) -> NDArray[Any]:
    """Return a column of numbers with None for NaN.

    Examples
    --------
    >>> numbers_or_none(np.array([0.5, np.nan])).tolist()
    [0.5, None]
    """
    is_missing = np.isnan(values)
    if not is_missing.any():
        return values
    found = values.astype(object)
    found[is_missing] = None
    return found
