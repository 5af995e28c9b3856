"""GLEU of every item and of a corpus: the smaller of n-gram precision and recall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_core.states import counted
from valor_text.counting import preparation
from valor_text.counting.corpus import PreparedSums, corpus_metric
from valor_text.counting.ngrams import in_common, numbers_of_ngrams
from valor_text.counting.pairs import Pairs
from valor_text.kernels.values import Positions
from valor_text.normalisers import normalise, tokenise
from valor_text.parameters.overlap import GLEUParameters


def score(batch: TextBatch, parameters: GLEUParameters, resources: Mapping[str, Any]) -> Any:
    """GLEU of every item, with its best reference.

    Equal to nltk's `sentence_gleu`.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : GLEUParameters
        Lengths of the n-grams, and preparation.
    resources : mapping
        Unused.

    Returns
    -------
    ndarray of float64 or ItemRows
        In [0, 1]; 0 if no text has an n-gram.
    """
    matches, totals, codes = _counts(Pairs.of(batch), parameters)
    return preparation.rows(batch, matches / np.maximum(totals, 1), codes)


@define(kw_only=True)
class GLEUSums(PreparedSums):
    """State: n-grams that responses share with their best references, and totals.

    Parameters
    ----------
    parameters : GLEUParameters
        Lengths of the n-grams, and preparation.
    """

    parameters: GLEUParameters
    matches: int = counted(int)
    totals: int = counted(int)

    def count(self, items: TextBatch) -> tuple[Mapping[str, Positions], preparation.Codes | None]:
        """Return the n-grams of each item, and its faults."""
        matches, totals, codes = _counts(Pairs.of(items), self.parameters)
        return {"matches": matches, "totals": totals}, codes


@corpus_metric("CorpusGLEU", GLEUSums, lambda parameters: {"parameters": parameters})
def corpus_gleu(sums: Any, parameters: GLEUParameters) -> NDArray[np.float64]:
    """GLEU of a corpus: n-grams are added up over all items before they are divided.

    Equal to nltk's `corpus_gleu`.
    """
    shares: NDArray[np.float64] = sums.matches / np.maximum(sums.totals, 1)
    return shares


def _counts(
    pairs: Pairs, parameters: GLEUParameters
) -> tuple[Positions, Positions, preparation.Codes | None]:
    """Return n-grams common with the best reference, those of the larger text, and faults."""
    tokens = tokenise(normalise(pairs.texts, parameters.normaliser), parameters.tokeniser)
    lengths = slice(parameters.shortest - 1, parameters.longest)
    common = in_common(pairs, tokens, parameters.longest)[:, lengths].sum(1)
    numbers = numbers_of_ngrams(tokens.counts, parameters.longest)[:, lengths].sum(1)
    totals = np.maximum(numbers[pairs.responses], numbers[pairs.references])
    # As in nltk, a reference without n-grams loses to others if the response has none.
    best = pairs.best(np.where(totals > 0, common / np.maximum(totals, 1), -1))
    codes = preparation.faults(pairs, tokens.counts, parameters.normaliser, parameters.tokeniser)
    return common[best], totals[best], codes
