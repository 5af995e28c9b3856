"""Responses of items that have references, and their results for all items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core import Undefined
from valor_core.results import NoScore, Numbers
from valor_core.schemas.text import TextBatch
from valor_text.counting.pairs import Pairs

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
