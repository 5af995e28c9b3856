"""Tokens: where they stand in texts, and their numbers in a vocabulary."""

import numpy as np

from valor_text.kernels.compiled.functions import (
    CODES,
    COUNT,
    IDS,
    IDS_OUT,
    KINDS,
    PLACES,
    PLACES_OUT,
    function,
)
from valor_text.kernels.kinds import CharacterKinds
from valor_text.kernels.values import Characters, Ids, Positions, Spans

_runs = function(
    "runs",
    *(CODES, PLACES, PLACES, COUNT, KINDS),
    *(PLACES_OUT, IDS_OUT, IDS_OUT, PLACES_OUT),
)
_vocabulary = function("vocabulary", CODES, PLACES, IDS, COUNT, IDS_OUT, PLACES_OUT)


def runs(characters: Characters, kinds: CharacterKinds) -> Spans:
    """Where the tokens of texts stand."""
    codes, texts = characters.codes, len(characters.starts)
    # As many tokens as characters at the most: memory that nobody writes to costs nothing.
    firsts, lengths, lines = (np.empty(len(codes), kind) for kind in (np.int64, np.int32, np.int32))
    starts = np.empty(texts + 1, np.int64)
    given = (codes, characters.starts, characters.stops, texts, kinds.table(codes))
    count = _runs(*given, firsts, lengths, lines, starts)
    return Spans(firsts[:count].copy(), lengths[:count].copy(), lines[:count].copy(), starts)


def vocabulary(characters: Characters, spans: Spans) -> tuple[Ids, Positions]:
    """Number of each token's word, and the first token of each word."""
    count = len(spans.firsts)
    ids, words = np.empty(count, np.int32), np.empty(count, np.int64)
    known = _vocabulary(characters.codes, spans.firsts, spans.lengths, count, ids, words)
    return ids, words[:known]
