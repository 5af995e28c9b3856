"""Pairs: each item's response beside each of its references."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_text.kernels.values import Positions
from valor_text.normalisers import normalise


@frozen(eq=False, repr=False)
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
        return cls.beside(batch.responses.tolist(), batch.references.tolist())

    @classmethod
    def beside(cls, responses: Sequence[str], references: Sequence[Sequence[str]]) -> Pairs:
        """The pairs of some responses, each with at least one reference."""
        starts = np.zeros(len(responses) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, references), np.int64, len(responses)), out=starts[1:])
        return cls([*responses, *chain.from_iterable(references)], starts)

    def normalised(self, normaliser: str) -> Pairs:
        """The same pairs of the texts that a normaliser makes."""
        return evolve(self, texts=normalise(self.texts, normaliser))

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

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        """The response and the reference of each pair."""
        responses, references = self.texts[: self.items], self.texts[self.items :]
        if self.items < len(self):
            responses = [responses[number] for number in self.responses.tolist()]
        return responses, references

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
