"""Numbers of n-grams of texts, and of n-grams that texts have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import asdict, define, frozen
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_core.states import counted
from valor_text.counting.corpus import PreparedSums
from valor_text.counting.pairs import Pairs
from valor_text.counting.preparation import Codes, faults
from valor_text.kernels import functions as kernels
from valor_text.kernels.values import Positions
from valor_text.normalisers import normalise, tokenise
from valor_text.normalisers.tokens import Tokens


def in_common(pairs: Pairs, tokens: Tokens, longest: int) -> Positions:
    """Return the number of n-grams that the response and reference of each pair have in common.

    Parameters
    ----------
    pairs : Pairs
        Texts of the items.
    tokens : Tokens
        Their tokens.
    longest : int
        Largest length of the n-grams.

    Returns
    -------
    ndarray of int64, shape (pairs, longest)
        One column per length, starting at 1.
    """
    alone = np.arange(len(pairs) + 1)
    return kernels.common_ngrams(
        tokens.ids, tokens.starts, longest, pairs.responses, pairs.references, alone
    )


def numbers_of_ngrams(tokens: Positions, longest: int) -> Positions:
    """Return the number of n-grams in texts with the given numbers of tokens, a column per length.

    Examples
    --------
    >>> numbers_of_ngrams(np.array([5, 1]), 3)
    array([[5, 4, 3],
           [1, 0, 0]])
    """
    numbers: Positions = np.maximum(tokens[:, None] - np.arange(longest), 0)
    return numbers


@frozen(eq=False, repr=False)
class NgramTable:
    """Counts for BLEU: one row per item, or one row for all items.

    Parameters
    ----------
    matches : ndarray of int64, shape (rows, longest)
        N-grams of each length that responses share with their references. Each counts as often as
        in the response, and at most as often as in the reference that has it most.
    totals : ndarray of int64, shape (rows, longest)
        N-grams of the responses.
    too_short : ndarray of int64, shape (rows, longest)
        Number of responses without an n-gram of the length.
    response_tokens : ndarray of int64, shape (rows,)
        Tokens of the responses.
    reference_tokens : ndarray of int64, shape (rows,)
        Tokens of the reference nearest to the response in length, the shorter of two.
    """

    matches: Positions
    totals: Positions
    too_short: Positions
    response_tokens: Positions
    reference_tokens: Positions

    @classmethod
    def of(cls, pairs: Pairs, tokens: Tokens, longest: int) -> NgramTable:
        """Count a row per item."""
        matches = kernels.common_ngrams(
            *(tokens.ids, tokens.starts, longest),
            *(np.arange(pairs.items), pairs.references, pairs.starts),
        )
        counts = tokens.counts
        responses, references = counts[pairs.responses], counts[pairs.references]
        # A single key for the smallest: first by distance, then by length.
        distances = np.abs(references - responses) * (counts.max(initial=0) + 1) + references
        response_counts = pairs.first(counts)
        totals = numbers_of_ngrams(response_counts, longest)
        nearest = references[pairs.best(-distances)]
        return cls(matches, totals, (totals == 0).astype(np.int64), response_counts, nearest)


def _by_length(state: Any) -> NDArray[np.int64]:
    return np.zeros(state.longest, np.int64)


@define(repr=False, kw_only=True)
class NgramSums(PreparedSums):
    """State: counts for BLEU of all items.

    Parameters
    ----------
    normaliser, tokeniser : str
        Preparation of texts.
    longest : int
        Largest length of the n-grams.
    """

    normaliser: str
    tokeniser: str
    longest: int
    matches: NDArray[np.int64] = counted(_by_length, takes_self=True)
    totals: NDArray[np.int64] = counted(_by_length, takes_self=True)
    too_short: NDArray[np.int64] = counted(_by_length, takes_self=True)
    response_tokens: int = counted(int)
    reference_tokens: int = counted(int)

    def count(self, items: TextBatch) -> tuple[Mapping[str, Positions], Codes | None]:
        """Return the row of each item, and its faults."""
        pairs = Pairs.of(items)
        tokens = tokenise(normalise(pairs.texts, self.normaliser), self.tokeniser)
        table = NgramTable.of(pairs, tokens, self.longest)
        counts: dict[str, Positions] = asdict(table, recurse=False)
        return counts, faults(pairs, tokens.counts, self.normaliser, self.tokeniser)
