"""Edits including shifts of runs of words, and lengths of references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_core.states import ExactSum, counted
from valor_text.counting.corpus import PreparedSums
from valor_text.counting.pairs import Pairs
from valor_text.counting.preparation import Codes, faults
from valor_text.kernels import functions as kernels
from valor_text.kernels.values import Positions
from valor_text.normalisers.tercom import tokens


@frozen(eq=False)
class ShiftedEdits:
    """Counts for TER of each item.

    Parameters
    ----------
    edits : ndarray of int64, shape (items,)
        Edits from the reference that requires the fewest.
    lengths : ndarray of float64, shape (items,)
        Mean number of words of the references.
    faults : ndarray of uint8, optional
        Faults of preparation, as `valor_text.counting.preparation.faults` finds them.
    """

    edits: Positions
    lengths: NDArray[np.float64]
    faults: Codes | None = None

    @classmethod
    def of(cls, batch: TextBatch, **options: bool) -> ShiftedEdits:
        """Compute the edits of items with a response and references, with options of `tokens`."""
        pairs = Pairs.of(batch)
        words = tokens(pairs.texts, **options)
        edits = kernels.shifted_edits(words.ids, words.starts, pairs.responses, pairs.references)
        lengths = np.concatenate([[0], np.cumsum(words.counts[pairs.references])])[pairs.starts]
        return cls(
            edits[pairs.best(-edits.astype(np.float64))],
            np.diff(lengths) / np.diff(pairs.starts),
            faults(pairs, words.counts, tokeniser="words@1"),
        )


def edit_rates(edits: Positions, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edits per word of the references; without words, 1 for edits and 0 for none.

    Examples
    --------
    >>> edit_rates(np.array([1, 3, 0]), np.array([4.0, 0.0, 0.0]))
    array([0.25, 1.  , 0.  ])
    """
    return np.where(lengths > 0, edits / np.where(lengths > 0, lengths, 1), edits > 0)


@define(kw_only=True)
class ShiftedEditSums(PreparedSums):
    """State: edits of all items, and lengths of their references.

    Parameters
    ----------
    normalized, no_punct, asian_support, case_sensitive : bool
        Preparation of texts.
    """

    refuses_nothing: ClassVar[bool] = True

    normalized: bool
    no_punct: bool
    asian_support: bool
    case_sensitive: bool
    edits: int = counted(int)
    lengths: ExactSum = counted(ExactSum)

    def count(self, items: TextBatch) -> tuple[Mapping[str, NDArray[Any]], Codes | None]:
        """Return the edits and lengths of each item, and its faults."""
        found = ShiftedEdits.of(
            items,
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
        return {"edits": found.edits, "lengths": found.lengths}, found.faults
