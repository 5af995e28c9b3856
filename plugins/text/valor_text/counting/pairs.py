"""Pairs of each item's response with its references, and results of items that have any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core import Undefined
from valor_core.results import NoScore, Numbers
from valor_core.schemas.text import TextBatch
from valor_text.kernels.values import Positions
from valor_text.normalisers import normalise


@frozen(eq=False, repr=False)
class Pairs:
    """Responses and references of items, as indices of texts.

    Parameters
    ----------
    texts : list of str
        Responses of all items, then references of all items.
    starts : ndarray of int64
        Offset of the first pair of each item, and the total.

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
        """Pair the texts of a batch whose items have a response and references."""
        return cls.between(batch.responses.tolist(), batch.references.tolist())

    @classmethod
    def between(cls, responses: Sequence[str], references: Sequence[Sequence[str]]) -> Pairs:
        """Pair responses with their references; each has at least one."""
        starts = np.zeros(len(responses) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, references), np.int64, len(responses)), out=starts[1:])
        return cls([*responses, *chain.from_iterable(references)], starts)

    def normalised(self, normaliser: str) -> Pairs:
        """Return the same pairs with normalised texts."""
        return evolve(self, texts=normalise(self.texts, normaliser))

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def items(self) -> int:
        """Number of items."""
        return len(self.starts) - 1

    @cached_property
    def has_one_each(self) -> bool:
        """True if each item has exactly one reference."""
        return self.items == len(self)

    @cached_property
    def responses(self) -> Positions:
        """Index of the response of each pair."""
        return np.repeat(np.arange(self.items), np.diff(self.starts))

    @cached_property
    def references(self) -> Positions:
        """Index of the reference of each pair."""
        return np.arange(self.items, self.items + len(self))

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        """Texts of the response and of the reference of each pair."""
        responses, references = self.texts[: self.items], self.texts[self.items :]
        if not self.has_one_each:
            responses = [responses[number] for number in self.responses.tolist()]
        return responses, references

    def best(self, values: NDArray[np.float64]) -> Positions:
        """Return the first pair of each item with the greatest value."""
        if self.has_one_each:
            return np.arange(self.items)
        greatest = np.maximum.reduceat(values, self.starts[:-1])
        is_best = np.flatnonzero(values == np.repeat(greatest, np.diff(self.starts)))
        first: Positions = is_best[np.searchsorted(is_best, self.starts[:-1])]
        return first

    def first(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the responses, given a value for each text."""
        return values[: self.items]


def paired_items(batch: TextBatch) -> tuple[TextBatch, Counter[str]]:
    """Select the items that have a response and references.

    Per-item metrics need not call this: they declare which fields they require.

    Returns
    -------
    TextBatch
        Selected items.
    Counter of str
        Number of excluded items by reason.

    Examples
    --------
    >>> from valor_core.schemas.text import Text
    >>> batch = TextBatch.of([Text("q1", response="a", references="a"), Text("q2", response="b")])
    >>> items, left_out = paired_items(batch)
    >>> len(items), left_out
    (1, Counter({'undefined: no references': 1}))
    """
    is_paired = np.ones(len(batch), bool)
    left_out: Counter[str] = Counter()
    for name in ("response", "references"):
        lacks = batch.lacks(name) & is_paired
        if lacks.any():
            left_out[f"undefined: no {name}"] = int(lacks.sum())
            is_paired &= ~lacks
    return (batch.select(np.flatnonzero(is_paired)) if left_out else batch), left_out


_WITHOUT = Undefined("no references")


@frozen(eq=False)
class Answers:
    """Pairs of the items that have references, and the rows of these items.

    Parameters
    ----------
    pairs : Pairs
        Responses and references.
    positions : ndarray of int64
        Rows of these items among all items.
    count : int
        Number of all items.
    """

    pairs: Pairs
    positions: NDArray[np.int64]
    count: int

    @classmethod
    def of(cls, batch: TextBatch, *, no_answer: bool = False, given: Sequence[str] = ()) -> Answers:
        """Pair the texts of a batch whose items have a response.

        Parameters
        ----------
        batch : TextBatch
            Items.
        no_answer : bool
            Whether items without references get an empty one.
        given : sequence of str
            Texts that replace the references of every item.
        """
        if no_answer or given:
            references = [given or texts or ("",) for texts in batch.references.tolist()]
            pairs = Pairs.between(batch.responses.tolist(), references)
            return cls(pairs, np.arange(len(batch)), len(batch))
        lacks = batch.lacks("references")
        positions = np.flatnonzero(~lacks)
        return cls(
            Pairs.of(batch.select(positions) if lacks.any() else batch), positions, len(batch)
        )

    def are_no_answers(self, is_empty: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the pairs of items without an answer: normalisation leaves no reference with text.

        Parameters
        ----------
        is_empty : ndarray of bool
            Whether the reference of each pair is empty after normalisation.
        """
        return np.repeat(self.met(is_empty, "all"), np.diff(self.pairs.starts))

    def met(self, is_met: NDArray[np.bool_], require: Literal["any", "all"]) -> NDArray[np.bool_]:
        """Return whether any, or all, pairs of each item meet a condition."""
        if not self.pairs.items:
            return is_met
        joined = np.logical_or if require == "any" else np.logical_and
        answer: NDArray[np.bool_] = joined.reduceat(is_met, self.pairs.starts[:-1])
        return answer

    def numbers(
        self, values: NDArray[Any], codes: NDArray[Any] | None = None, gaps: Sequence[NoScore] = ()
    ) -> Numbers:
        """Return numbers of all items, given those of the items with references.

        Parameters
        ----------
        values : ndarray
            One number per item with references.
        codes : ndarray of integers, optional
            0 for a number, otherwise the index of the reason in `gaps` plus one.
        gaps : sequence of Undefined or Failed
            Reasons.
        """
        spread = np.zeros(self.count)
        reasons = np.ones(self.count, np.min_scalar_type(len(gaps) + 1))
        spread[self.positions] = values
        reasons[self.positions] = 0 if codes is None else codes + (codes > 0)
        return Numbers(spread, reasons, (_WITHOUT, *gaps))
