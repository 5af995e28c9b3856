"""Data set: batches, and other splits and orders of the same items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from valor_core.schemas import Batch, Codes

Batches = Sequence[Batch]
"""Batches of one data set."""


class DataSet(tuple[Batch, ...]):
    """Batches of one data set, with splits and orders cached for all metrics.

    Examples
    --------
    >>> from valor_core.schemas.text import Text, TextBatch
    >>> data = DataSet([TextBatch.of([Text("a"), Text("b")]), TextBatch.of([Text("c")])])
    >>> [len(part) for part in data.singles]
    [1, 1, 1]
    >>> data.in_other_orders["in reverse order"].datums.uids.tolist()
    ['c', 'b', 'a']
    """

    @cached_property
    def singles(self) -> Batches:
        """Batches of one item each."""
        return singles(self)

    @property
    def thirds(self) -> tuple[Batches, Batches, Batches]:
        """Three parts of single-item batches; item i belongs to part i % 3."""
        return self.singles[::3], self.singles[1::3], self.singles[2::3]

    @cached_property
    def splits(self) -> Mapping[str, Batches]:
        """Other splits and orders of the data, by description."""
        halves = [
            part
            for batch in self
            for part in (
                batch.select(np.arange(1, len(batch), 2)),
                batch.select(np.arange(0, len(batch), 2)),
            )
        ]
        return {
            "in reverse order": self[::-1],
            "one by one": self.singles,
            "one by one in another order": [self.singles[i] for i in _shuffled(len(self.singles))],
            "odd and even items apart": halves,
        }

    @cached_property
    def remade(self) -> Batches:
        """Batches rebuilt from their items."""
        return [type(batch).of(batch.items()) for batch in self]

    @cached_property
    def in_other_orders(self) -> Mapping[str, Batch]:
        """All items in one batch, in several orders; empty without batches."""
        if not self:
            return {}
        made = type(self[0])
        items = [item for batch in self for item in batch.items()]
        return {
            "in one batch": made.of(items),
            "in reverse order": made.of(items[::-1]),
            "in another order": made.of([items[i] for i in _shuffled(len(items))]),
        }

    @cached_property
    def empties(self) -> Batches:
        """Empty batches: one built from no items, and an empty selection of every batch."""
        return [*(type(batch).of([]) for batch in self[:1]), *map(none_of, self)]


def singles(batches: Batches) -> Batches:
    """Split batches into batches of one item each."""
    return [batch.select(_at(i)) for batch in batches for i in range(len(batch))]


def none_of(batch: Batch) -> Batch:
    """Return an empty selection of a batch."""
    return batch.select(np.empty(0, np.int64))


def _at(position: int) -> Codes:
    return np.array([position], dtype=np.int64)


def _shuffled(count: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(count).permutation(count)]
