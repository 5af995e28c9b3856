"""ROUGE: words, n-grams and subsequences that a response shares with its best reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_text.counting import preparation
from valor_text.counting.ngrams import in_common
from valor_text.counting.pairs import Pairs
from valor_text.kernels import functions as kernels
from valor_text.kernels.values import Positions
from valor_text.normalisers import normalise, tokenise, tokens_of
from valor_text.normalisers.rouge import stemmed
from valor_text.normalisers.tokens import Tokens
from valor_text.parameters.overlap import ROUGEParameters

Numbers = NDArray[np.float64]


def score(batch: TextBatch, parameters: ROUGEParameters, resources: Mapping[str, Any]) -> Any:
    """ROUGE of every item, by type.

    Equal to the package rouge_score, for the reference with the best F-measure. With another
    tokeniser, equal to rouge_score with a tokenizer that returns the same tokens.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : ROUGEParameters
        Types and measures.
    resources : mapping
        Unused.

    Returns
    -------
    dict of str to ndarray of float64, or ItemRows
        By type and measure, in [0, 1]; 0 for texts without words.
    """
    pairs = Pairs.of(batch)
    tokens = tokens_of(pairs.texts, parameters.normaliser, parameters.tokeniser)
    counts, lines = tokens.counts, tokens
    if "rougeLsum" in parameters.rouge_types and not _has_lines(parameters):
        lines = _tokens_by_line(pairs.texts, parameters.normaliser, parameters.tokeniser)
    if parameters.use_stemmer:
        tokens, lines = stemmed(tokens), stemmed(lines)
    ngrams = in_common(pairs, tokens, _longest(parameters.rouge_types))
    scores: dict[str, Numbers] = {}
    for rouge_type in parameters.rouge_types:
        tokens_of_type = lines if rouge_type == "rougeLsum" else tokens
        found = _overlap(rouge_type, tokens_of_type, pairs, ngrams).scores()
        best = pairs.best(found["fmeasure"])
        for measure in parameters.measures:
            name = rouge_type if measure == "fmeasure" else f"{rouge_type}_{measure}"
            scores[name] = found[measure][best]
    codes = preparation.faults(pairs, counts, parameters.normaliser, parameters.tokeniser)
    return preparation.rows(batch, scores, codes)


def _has_lines(parameters: ROUGEParameters) -> bool:
    """Return True if tokens of whole texts have the correct lines."""
    return parameters.tokeniser == "rouge@1" and parameters.normaliser in ("none@1", "lowercase@1")


def _tokens_by_line(texts: Sequence[str], normaliser: str, tokeniser: str) -> Tokens:
    """Normalise and tokenise each line of a text separately, as in rouge_score."""
    by_text = [text.split("\n") for text in texts]
    number = np.fromiter(map(len, by_text), np.int64, len(by_text))
    lines = tokenise(normalise([*chain.from_iterable(by_text)], normaliser), tokeniser)
    ends = np.cumsum(number)
    line_numbers = np.arange(number.sum()) - np.repeat(ends - number, number)
    return evolve(
        lines,
        starts=lines.starts[np.concatenate([[0], ends])],
        lines=np.repeat(line_numbers, lines.counts).astype(np.int32),
    )


@frozen(eq=False, repr=False)
class _Common:
    """Tokens or n-grams common to the texts of each pair, and of each text."""

    common: Positions
    response: Positions
    reference: Positions

    def scores(self) -> Mapping[str, Numbers]:
        """Precision, recall and F-measure of each pair, 0 for 0/0, in the order of rouge_score."""
        precision = self.common / np.maximum(self.response, 1)
        recall = self.common / np.maximum(self.reference, 1)
        total = precision + recall
        fmeasure = np.divide(
            2 * precision * recall, total, out=np.zeros(len(total)), where=total > 0
        )
        return {"fmeasure": fmeasure, "precision": precision, "recall": recall}


def _longest(rouge_types: Iterable[str]) -> int:
    """Return the largest length of n-grams that the types require."""
    return max((int(name[-1]) for name in rouge_types if name[-1].isdigit()), default=0)


def _overlap(rouge_type: str, tokens: Tokens, pairs: Pairs, ngrams: Positions) -> _Common:
    counts, responses, references = tokens.counts, pairs.responses, pairs.references
    if rouge_type == "rougeL":
        common = kernels.longest_common(
            tokens.ids, tokens.starts, tokens.word_count, references, responses
        )
    elif rouge_type == "rougeLsum":
        common = kernels.lines_in_common(
            tokens.ids, tokens.lines, tokens.starts, tokens.word_count, references, responses
        )
    else:
        n = int(rouge_type.removeprefix("rouge"))
        common = ngrams[:, n - 1]
        counts = np.maximum(counts - n + 1, 0)
    return _Common(common, counts[responses], counts[references])
