"""EditDistance: number of edits between a response and its nearest reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from valor_core.schemas.text import TextBatch
from valor_text.counting import preparation
from valor_text.counting.edits import errors, reference_tokens, response_tokens
from valor_text.counting.pairs import Pairs
from valor_text.kernels import functions as kernels
from valor_text.normalisers import normalise, tokenise
from valor_text.parameters.edits import EditDistanceParameters


def score(
    batch: TextBatch, parameters: EditDistanceParameters, resources: Mapping[str, Any]
) -> Any:
    """Levenshtein distance of every item: substitutions, deletions and insertions.

    Equal to rapidfuzz and nltk, and with `relative` to the normalized distance of rapidfuzz.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : EditDistanceParameters
        Preparation of texts, and whether the distance is divided.
    resources : mapping
        Unused.

    Returns
    -------
    ndarray of float64 or ItemRows
        Smallest distance of each item to its references; with `relative` in [0, 1], and 0 for two
        empty texts.
    """
    pairs = Pairs.of(batch)
    tokens = tokenise(normalise(pairs.texts, parameters.normaliser), parameters.tokeniser)
    counts = kernels.edit_counts(
        tokens.ids, tokens.starts, tokens.word_count, pairs.references, pairs.responses
    )
    distances = errors(counts).astype(np.float64)
    if parameters.relative:
        longer = np.maximum(reference_tokens(counts), response_tokens(counts))
        distances /= np.maximum(longer, 1)
    codes = preparation.faults(pairs, tokens.counts, parameters.normaliser, parameters.tokeniser)
    return preparation.rows(batch, distances[pairs.best(-distances)], codes)
