"""GLEU: the smaller one of n-gram precision and recall, of every item and of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import define, frozen

from valor_core import Result, Undefined
from valor_core.parameters import parameter_values
from valor_core.schemas.text import TextBatch
from valor_core.states import StateRequest, counted
from valor_text.counting import preparation
from valor_text.counting.complete import complete
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
        Lengths of the n-grams, and tokens.
    resources : mapping
        None are used.

    Returns
    -------
    ndarray of float64 or ItemRows
        In [0, 1]; 0 where no text has an n-gram.
    """
    matches, totals, codes = _counts(Pairs.of(batch), parameters)
    return preparation.rows(batch, matches / np.maximum(totals, 1), codes)


@define
class GLEUCounts(preparation.PreparedState):
    """State: n-grams that responses share with their best references, of how many.

    Parameters
    ----------
    parameters : GLEUParameters
        Lengths of the n-grams, and tokens.
    """

    parameters: GLEUParameters
    items: int = counted(int)
    left_out: Counter[str] = counted(Counter)
    matches: int = counted(int)
    totals: int = counted(int)
    faults: Counter[str] = counted(Counter)
    faulty: preparation.Faulty = counted(set)

    def update(self, batch: TextBatch) -> None:
        """Count the items of a batch."""
        items, left_out = complete(batch)
        pairs = Pairs.of(items)
        matches, totals, codes = _counts(pairs, self.parameters)
        self.items += pairs.items
        self.left_out += left_out
        self.matches += int(matches.sum())
        self.totals += int(totals.sum())
        self.note(items, codes)


@frozen
class CorpusGLEU:
    """GLEU of a corpus: n-grams are added up over all items before they are divided.

    Equal to nltk's `corpus_gleu`.
    """

    parameters: GLEUParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """The counts of n-grams."""
        return (StateRequest(GLEUCounts, {"parameters": self.parameters}),)

    def compute(self, counts: GLEUCounts) -> Iterator[Result]:
        """The one result."""
        value: float | Undefined
        if counts.items:
            value = counts.matches / max(counts.totals, 1)
        else:
            value = Undefined("no items with a response and references")
        yield Result(
            parameters=parameter_values(self.parameters),
            value=value,
            left_out=dict(counts.left_out),
            warnings=counts.warnings_of("text.CorpusGLEU", self.parameters),
        )


def _counts(
    pairs: Pairs, parameters: GLEUParameters
) -> tuple[Positions, Positions, preparation.Codes | None]:
    """N-grams in common with the best reference, those of the text with more, and faults."""
    tokens = tokenise(normalise(pairs.texts, parameters.normaliser), parameters.tokeniser)
    lengths = slice(parameters.shortest - 1, parameters.longest)
    common = in_common(pairs, tokens, parameters.longest)[:, lengths].sum(1)
    numbers = numbers_of_ngrams(tokens.counts, parameters.longest)[:, lengths].sum(1)
    totals = np.maximum(numbers[pairs.responses], numbers[pairs.references])
    # As nltk: where neither text has an n-gram, another reference is better.
    best = pairs.best(np.where(totals > 0, common / np.maximum(totals, 1), -1))
    codes = preparation.faults(
        pairs, tokens.counts, normaliser=parameters.normaliser, tokeniser=parameters.tokeniser
    )
    return common[best], totals[best], codes
