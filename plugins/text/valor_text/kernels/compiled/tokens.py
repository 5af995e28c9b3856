"""Tokens: where they stand in texts, and their numbers in a vocabulary."""

import numpy as np

from valor_core.kernels import array
from valor_text.kernels.compiled.functions import (
    COUNT,
    IDS,
    IDS_OUT,
    KINDS,
    PLACES,
    PLACES_OUT,
    function,
)
from valor_text.kernels.kinds import CharacterKinds
from valor_text.kernels.values import CODE_TYPES, Characters, Ids, Positions, Spans

_RUNS = {
    np.dtype(kind): function(
        f"runs_{np.dtype(kind).name}",
        *(array(kind), PLACES, PLACES, COUNT, KINDS),
        *(PLACES_OUT, IDS_OUT, IDS_OUT, PLACES_OUT),
    )
    for kind in CODE_TYPES
}
_VOCABULARY = {
    np.dtype(kind): function(
        f"vocabulary_{np.dtype(kind).name}",
        *(array(kind), PLACES, IDS, COUNT, IDS_OUT, PLACES_OUT),
    )
    for kind in CODE_TYPES
}


def runs(characters: Characters, kinds: CharacterKinds) -> Spans:
    """Where the tokens of texts stand."""
    codes, texts = characters.codes, len(characters.starts)
    # As many tokens as characters at the most: memory that nobody writes to costs nothing.
    firsts = np.empty(len(codes), np.int64)
    lengths, lines = np.empty(len(codes), np.int32), np.empty(len(codes), np.int32)
    starts = np.empty(texts + 1, np.int64)
    given = (codes, characters.starts, characters.stops, texts, kinds.table(codes))
    count = _RUNS[codes.dtype](*given, firsts, lengths, lines, starts)
    return Spans(firsts[:count].copy(), lengths[:count].copy(), lines[:count].copy(), starts)


def vocabulary(characters: Characters, spans: Spans) -> tuple[Ids, Positions]:
    """Number of each token's word, and the first token of each word."""
    count = len(spans.firsts)
    ids, words = np.empty(count, np.int32), np.empty(count, np.int64)
    count_words = _VOCABULARY[characters.codes.dtype]
    known = count_words(characters.codes, spans.firsts, spans.lengths, count, ids, words)
    return ids, words[:known]
