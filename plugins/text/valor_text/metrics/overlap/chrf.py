"""ChrF of every item and of a corpus: F-score of n-grams of characters and words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_core.states import counted
from valor_text.counting.corpus import CorpusSums, corpus_metric
from valor_text.counting.ngrams import in_common, numbers_of_ngrams
from valor_text.counting.pairs import Pairs
from valor_text.kernels.values import Positions
from valor_text.normalisers import normalise, tokenise
from valor_text.normalisers.tokens import Tokens
from valor_text.parameters.overlap import ChrFParameters

Floats = NDArray[np.float64]

_EPSILON = 1e-16
"""Value of sacrebleu for a share of no n-grams."""


def score(batch: TextBatch, parameters: ChrFParameters, resources: Mapping[str, Any]) -> Floats:
    """ChrF of every item, with its best reference.

    Equal to sacrebleu's, over 100.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : ChrFParameters
        Lengths of the n-grams, and averages.
    resources : mapping
        Unused.

    Returns
    -------
    ndarray of float64
        In [0, 1]; 0 without common n-grams.
    """
    return _Overlap.of(Pairs.of(batch), parameters).chrf(parameters)


def _by_length(state: Any) -> NDArray[np.int64]:
    return np.zeros((3, state.parameters.char_order + state.parameters.word_order), np.int64)


@define(kw_only=True)
class ChrFSums(CorpusSums):
    """State: n-grams by length, of responses, of their best references, and of both.

    Parameters
    ----------
    parameters : ChrFParameters
        Lengths of the n-grams, and choice of the best reference.
    """

    parameters: ChrFParameters
    ngrams: NDArray[np.int64] = counted(_by_length, takes_self=True)

    def count(self, items: TextBatch) -> tuple[Mapping[str, Positions], None]:
        """Return the n-grams of each item."""
        overlap = _Overlap.of(Pairs.of(items), self.parameters)
        counts = (overlap.responses, overlap.references, overlap.common)
        return {"ngrams": np.stack(counts, axis=1)}, None

    def column_names(self, name: str) -> list[str]:
        """Return the names of the columns in the rows of items."""
        if name != "ngrams":
            return [name]
        lengths = range(1, self.ngrams.shape[1] + 1)
        kinds = ("responses", "references", "common")
        return [f"{kind}_{length}" for kind in kinds for length in lengths]


@corpus_metric("CorpusChrF", ChrFSums, lambda parameters: {"parameters": parameters})
def corpus_chrf(sums: ChrFSums, parameters: ChrFParameters) -> Floats:
    """ChrF of a corpus: n-grams are added up over all items before they are divided.

    Equal to sacrebleu's, over 100.
    """
    return _Overlap(*np.moveaxis(sums.ngrams, 1, 0)).chrf(parameters)


@frozen(eq=False)
class _Overlap:
    """N-grams of texts, and in common: one row per pair or item, or one for all.

    Columns are lengths, of characters first.
    """

    responses: Positions
    references: Positions
    common: Positions

    @classmethod
    def of(cls, pairs: Pairs, parameters: ChrFParameters) -> _Overlap:
        """Count each item with its best reference."""
        texts = normalise(pairs.texts, parameters.normaliser)
        letters = tokenise(texts, "characters" if parameters.whitespace else "char")
        parts = [cls._counted(pairs, letters, parameters.char_order)]
        if parameters.word_order:
            parts.append(cls._counted(pairs, tokenise(texts, "chrf"), parameters.word_order))
        joined = (np.concatenate(columns, axis=1) for columns in zip(*parts, strict=True))
        every = cls(*joined)
        best = pairs.best(every.chrf(parameters))
        return cls(every.responses[best], every.references[best], every.common[best])

    @staticmethod
    def _counted(
        pairs: Pairs, tokens: Tokens, longest: int
    ) -> tuple[Positions, Positions, Positions]:
        numbers = numbers_of_ngrams(tokens.counts, longest)
        responses, references = numbers[pairs.responses], numbers[pairs.references]
        # Lengths that exceed the reference do not count.
        return np.where(references > 0, responses, 0), references, in_common(pairs, tokens, longest)

    def chrf(self, parameters: ChrFParameters) -> Floats:
        """Return ChrF of each row, with operations in the order of sacrebleu."""
        is_response, is_reference = self.responses > 0, self.references > 0
        precision = np.where(is_response, self.common / np.maximum(self.responses, 1), _EPSILON)
        recall = np.where(is_reference, self.common / np.maximum(self.references, 1), _EPSILON)
        if parameters.eps_smoothing:
            scores = _f_score(precision, recall, parameters.beta, _EPSILON)
            mean: Floats = _sum_in_order(scores) / scores.shape[1]
            return mean
        is_counted = is_response & is_reference
        lengths = np.maximum(is_counted.sum(1), 1)
        mean_precision = _sum_in_order(np.where(is_counted, precision, 0)) / lengths
        mean_recall = _sum_in_order(np.where(is_counted, recall, 0)) / lengths
        return _f_score(mean_precision, mean_recall, parameters.beta, 0)


def _f_score(precision: Floats, recall: Floats, beta: float, otherwise: float) -> Floats:
    factor = beta**2
    total = factor * precision + recall
    product = (1 + factor) * precision * recall
    scores: Floats = np.full(total.shape, float(otherwise))
    return np.divide(product, total, out=scores, where=total > 0)


def _sum_in_order(columns: Floats) -> Floats:
    # Sum rows from left to right; the order of NumPy's sum depends on the number of columns.
    total = np.zeros(len(columns))
    for column in columns.T:
        total += column
    return total
