"""Answers: responses beside their references, and which items have any."""

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
    """The pairs of the items that have references, and where these items stand.

    Parameters
    ----------
    pairs : Pairs
        Their responses and references.
    positions : ndarray of int64
        Where they stand among all items.
    count : int
        Number of all items.
    """

    pairs: Pairs
    positions: NDArray[np.int64]
    count: int

    @classmethod
    def of(cls, batch: TextBatch, *, no_answer: bool = False, given: Sequence[str] = ()) -> Answers:
        """The answers of a batch, whose items have a response.

        Parameters
        ----------
        batch : TextBatch
            The items.
        no_answer : bool
            Whether an item without references has an empty one.
        given : sequence of str
            Texts that stand in the place of every item's references.
        """
        if no_answer or given:
            references = [given or own or ("",) for own in batch.references.tolist()]
            pairs = Pairs.between(batch.responses.tolist(), references)
            return cls(pairs, np.arange(len(batch)), len(batch))
        lacks = batch.lacks("references")
        positions = np.flatnonzero(~lacks)
        return cls(
            Pairs.of(batch.select(positions) if lacks.any() else batch), positions, len(batch)
        )

    def are_no_answers(self, is_empty: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Pairs whose reference says that there is no answer: no reference of the item has text.

        Parameters
        ----------
        is_empty : ndarray of bool
            Whether nothing is left of the reference of each pair.
        """
        return np.repeat(self.met(is_empty, "all"), np.diff(self.pairs.starts))

    def met(self, is_met: NDArray[np.bool_], require: Literal["any", "all"]) -> NDArray[np.bool_]:
        """Whether any, or all, pairs of each item meet something."""
        if not self.pairs.items:
            return is_met
        joined = np.logical_or if require == "any" else np.logical_and
        answer: NDArray[np.bool_] = joined.reduceat(is_met, self.pairs.starts[:-1])
        return answer

    def numbers(
        self, values: NDArray[Any], codes: NDArray[Any] | None = None, gaps: Sequence[NoScore] = ()
    ) -> Numbers:
        """Numbers of all items, of those of the items that have references.

        Parameters
        ----------
        values : ndarray
            A number for each.
        codes : ndarray of integers, optional
            0 where there is a number, else one more than the position of the reason in `gaps`.
        gaps : sequence of Undefined or Failed
            Reasons.
        """
        spread = np.zeros(self.count)
        reasons = np.ones(self.count, np.min_scalar_type(len(gaps) + 1))
        spread[self.positions] = values
        reasons[self.positions] = 0 if codes is None else codes + (codes > 0)
        return Numbers(spread, reasons, (_WITHOUT, *gaps))
