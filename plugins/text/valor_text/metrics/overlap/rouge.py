"""ROUGE: words, n-grams and subsequences that a response shares with its best reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_text.counting.ngrams import in_common
from valor_text.counting.pairs import Pairs
from valor_text.counting.tokens import Tokens
from valor_text.kernels import lines_in_common, longest_common
from valor_text.kernels.values import Positions
from valor_text.normalisers import tokenise
from valor_text.normalisers.rouge import stemmed
from valor_text.parameters.overlap import ROUGEParameters

Numbers = NDArray[np.float64]


def score(
    batch: TextBatch, parameters: ROUGEParameters, resources: Mapping[str, Any]
) -> dict[str, Numbers]:
    """ROUGE of every item, by type.

    Equal to the package rouge_score, of the reference with the best F-measure.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : ROUGEParameters
        Types and measures.
    resources : mapping
        None are used.

    Returns
    -------
    dict of str to ndarray of float64
        By type and measure, in [0, 1]; 0 where a text has no words.
    """
    pairs = Pairs.of(batch)
    tokens = tokenise(pairs.texts, "rouge")
    if parameters.use_stemmer:
        tokens = stemmed(tokens)
    ngrams = in_common(pairs, tokens, _longest(parameters.rouge_types))
    scores: dict[str, Numbers] = {}
    for rouge_type in parameters.rouge_types:
        found = _overlap(rouge_type, tokens, pairs, ngrams).scores()
        best = pairs.best(found["fmeasure"])
        for measure in parameters.measures:
            name = rouge_type if measure == "fmeasure" else f"{rouge_type}_{measure}"
            scores[name] = found[measure][best]
    return scores


@frozen(eq=False)
class _Overlap:
    """What the texts of each pair have in common, and what each of them has."""

    common: Positions
    response: Positions
    reference: Positions

    def scores(self) -> Mapping[str, Numbers]:
        """Precision, recall and F-measure of each pair, 0 for 0/0; the order is rouge_score's."""
        precision = self.common / np.maximum(self.response, 1)
        recall = self.common / np.maximum(self.reference, 1)
        total = precision + recall
        fmeasure = np.divide(
            2 * precision * recall, total, out=np.zeros(len(total)), where=total > 0
        )
        return {"fmeasure": fmeasure, "precision": precision, "recall": recall}


def _longest(rouge_types: Iterable[str]) -> int:
    """Greatest length of the n-grams that types ask for."""
    return max((int(name[-1]) for name in rouge_types if name[-1].isdigit()), default=0)


def _overlap(rouge_type: str, tokens: Tokens, pairs: Pairs, ngrams: Positions) -> _Overlap:
    counts, responses, references = tokens.counts, pairs.responses, pairs.references
    if rouge_type == "rougeL":
        common = longest_common(tokens.ids, tokens.starts, tokens.known, references, responses)
    elif rouge_type == "rougeLsum":
        common = lines_in_common(
            tokens.ids, tokens.lines, tokens.starts, tokens.known, references, responses
        )
    else:
        n = int(rouge_type.removeprefix("rouge"))
        common = ngrams[:, n - 1]
        counts = np.maximum(counts - n + 1, 0)
    return _Overlap(common, counts[responses], counts[references])
