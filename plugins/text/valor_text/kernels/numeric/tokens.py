"""Tokens: where they stand in texts, and their numbers in a vocabulary."""

import numpy as np

from valor_text.kernels.kinds import ALONE, LINE, WORD, CharacterKinds
from valor_text.kernels.values import Characters, Ids, Positions, Spans


def runs(characters: Characters, kinds: CharacterKinds) -> Spans:
    """Where the tokens of texts stand: runs of WORD, and each ALONE for itself.

    Parameters
    ----------
    characters : Characters
        The texts.
    kinds : CharacterKinds
        What each character is taken for.
    """
    kind_of = kinds.table(characters.codes)[characters.codes]
    firsts, lengths, lines, starts = [], [], [], [0]
    for start, stop in zip(characters.starts.tolist(), characters.stops.tolist(), strict=True):
        own = kind_of[start:stop]
        is_word = own == WORD
        goes_on = is_word & np.concatenate([[False], is_word[:-1]])
        begins = np.flatnonzero((is_word & ~goes_on) | (own == ALONE))
        ends = np.flatnonzero(np.concatenate([~goes_on[1:], [True]]) & (is_word | (own == ALONE)))
        firsts.append(begins + start)
        lengths.append(ends + 1 - begins)
        lines.append(np.cumsum(own == LINE)[begins])
        starts.append(starts[-1] + len(begins))
    return Spans(
        np.concatenate([*firsts, np.empty(0, np.int64)]).astype(np.int64),
        np.concatenate([*lengths, np.empty(0, np.int32)]).astype(np.int32),
        np.concatenate([*lines, np.empty(0, np.int32)]).astype(np.int32),
        np.array(starts, np.int64),
    )


def vocabulary(characters: Characters, spans: Spans) -> tuple[Ids, Positions]:
    """Number of each token's word, in the order in which words come first, and where they do.

    Parameters
    ----------
    characters : Characters
        The texts.
    spans : Spans
        Where their tokens stand.

    Returns
    -------
    ids : ndarray of int32
        Of each token, the number of its word.
    words : ndarray of int64
        Of each word, its first token.
    """
    known: dict[bytes, int] = {}
    ids, words = np.empty(len(spans.firsts), np.int32), []
    pairs = zip(spans.firsts.tolist(), spans.lengths.tolist(), strict=True)
    for token, (first, length) in enumerate(pairs):
        word = characters.codes[first : first + length].tobytes()
        if word not in known:
            known[word] = len(known)
            words.append(token)
        ids[token] = known[word]
    return ids, np.array(words, np.int64)
