"""Pairs: each item's response beside each of its references."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_text.kernels.values import Positions


@frozen(eq=False)
class Pairs:
    """The responses and references of items, as numbers of texts.

    Parameters
    ----------
    texts : list of str
        The responses of all items, then the references of all items.
    starts : ndarray of int64
        Where the pairs of each item begin; one more at the end.

    Examples
    --------
    >>> from valor_core.schemas.text import Text
    >>> batch = TextBatch.of([Text("q1", response="a", references=["b", "c"])])
    >>> pairs = Pairs.of(batch)
    >>> pairs.texts, pairs.responses, pairs.references
    (['a', 'b', 'c'], array([0, 0]), array([1, 2]))
    """

    texts: list[str] = field(repr=False)
    starts: Positions

    @classmethod
    def of(cls, batch: TextBatch) -> Pairs:
        """The pairs of a batch, whose items have a response and references."""
        references = batch.references.tolist()
        starts = np.zeros(len(batch) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, references), np.int64, len(batch)), out=starts[1:])
        flat = [text for texts in references for text in texts]
        return cls([*batch.responses.tolist(), *flat], starts)

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def items(self) -> int:
        """Number of items."""
        return len(self.starts) - 1

    @property
    def responses(self) -> Positions:
        """The response of each pair, a number of a text."""
        return np.repeat(np.arange(self.items), np.diff(self.starts))

    @property
    def references(self) -> Positions:
        """The reference of each pair, a number of a text."""
        return np.arange(self.items, self.items + len(self))

    def best(self, values: NDArray[np.float64]) -> Positions:
        """The pair of each item with the greatest value; the first of equals."""
        if self.items == len(self):
            return np.arange(self.items)
        greatest = np.maximum.reduceat(values, self.starts[:-1])
        is_best = np.flatnonzero(values == np.repeat(greatest, np.diff(self.starts)))
        first: Positions = is_best[np.searchsorted(is_best, self.starts[:-1])]
        return first

    def first(self, values: NDArray[Any]) -> NDArray[Any]:
        """What each item's response has, of something that every text has."""
        return values[: self.items]
