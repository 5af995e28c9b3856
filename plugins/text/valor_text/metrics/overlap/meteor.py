"""METEOR: words aligned by themselves, their stems and their synonyms, in few chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas.text import TextBatch
from valor_text.counting import preparation
from valor_text.counting.pairs import Pairs
from valor_text.kernels import alignments
from valor_text.kernels.values import Ids, Positions
from valor_text.metrics.overlap.wordnet import WordNet
from valor_text.normalisers import normalise, porter, tokenise
from valor_text.normalisers.tokens import Tokens
from valor_text.parameters.overlap import METEORParameters


def score(batch: TextBatch, parameters: METEORParameters, resources: Mapping[str, Any]) -> Any:
    """METEOR of every item, with its best reference.

    Equal to nltk's `meteor_score` of the same tokens.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : METEORParameters
        Weights and tokens.
    resources : mapping
        ``wordnet``, for the synonyms; not with ``synonyms: none``.

    Returns
    -------
    ndarray of float64 or ItemRows
        In [0, 1]; 0 where no word is aligned.
    """
    pairs = Pairs.of(batch)
    texts = normalise(pairs.texts, parameters.normaliser)
    words = tokenise(texts, parameters.tokeniser).renamed(lambda words: map(str.lower, words))
    stems = words.renamed(porter.stems)
    responses, references = pairs.responses, pairs.references
    aligned, chunks = alignments(
        *(words.ids, stems.ids, words.starts, max(words.known, stems.known)),
        *_synonyms(stems, pairs.items, resources.get("wordnet")),
        *(responses, references),
    )
    counts = words.counts
    values = _meteor(aligned, chunks, counts[responses], counts[references], parameters)
    codes = preparation.faults(
        pairs, counts, normaliser=parameters.normaliser, tokeniser=parameters.tokeniser
    )
    return preparation.rows(batch, values[pairs.best(values)], codes)


def _synonyms(stems: Tokens, responses: int, wordnet: WordNet | None) -> tuple[Ids, Positions]:
    """Synonyms that the stems of the responses have among all stems, and where each one's are."""
    if wordnet is None:
        return np.empty(0, np.int32), np.zeros(stems.known + 1, np.int64)
    asked = np.zeros(stems.known, bool)
    asked[stems.ids[: stems.starts[responses]]] = True
    names = stems.words
    numbers = {name: number for number, name in enumerate(names)}
    found = [
        sorted(numbers[one] for one in wordnet.synonyms(name) if one in numbers) if wanted else []
        for name, wanted in zip(names, asked.tolist(), strict=True)
    ]
    starts = np.cumsum([0, *map(len, found)], dtype=np.int64)
    return np.array([one for own in found for one in own], np.int32), starts


def _meteor(
    aligned: Positions,
    chunks: Positions,
    response: Positions,
    reference: Positions,
    parameters: METEORParameters,
) -> NDArray[np.float64]:
    alpha = parameters.alpha
    # Where nothing is aligned, any divisor will do: the value is 0.
    precision = aligned / np.maximum(response, 1)
    recall = aligned / np.maximum(reference, 1)
    weighted = alpha * precision + (1 - alpha) * recall
    mean = np.divide(precision * recall, weighted, out=np.zeros(len(aligned)), where=weighted > 0)
    broken = (chunks / np.maximum(aligned, 1)).tolist()
    penalty = parameters.gamma * np.array([share**parameters.beta for share in broken])
    values: NDArray[np.float64] = (1 - penalty) * mean
    return values
