"""Offsets of tokens in texts, and their words in a vocabulary."""

import re

import numpy as np

from valor_text.kernels.values import KINDS, LINE, CharacterKinds, Characters, Ids, Positions, Spans

# Kinds as characters, in the order of the alternatives of the pattern.
_TOKEN = re.compile(
    rb"[%(WORD)c%(DIGIT)c]+|%(DOLLAR)c%(DIGIT)c+|[%(MARK)c%(DOLLAR)c][^%(BETWEEN)c%(LINE)c]*|%(ALONE)c"
    % {name.encode(): kind for name, kind in KINDS.items()}
)


def runs(characters: Characters, kinds: CharacterKinds) -> Spans:
    """Find the tokens of texts.

    A token is a run of WORD and DIGIT; a DOLLAR with the following DIGIT; a MARK or another DOLLAR
    with all characters up to the next BETWEEN or LINE; or one ALONE.

    Parameters
    ----------
    characters : Characters
        Texts.
    kinds : CharacterKinds
        Kind of each character.
    """
    kind_of = kinds.table(characters.codes)[characters.codes]
    places, lines, starts = [np.empty((0, 2), np.int64)], [np.empty(0, np.int32)], [0]
    for start, stop in zip(characters.starts.tolist(), characters.stops.tolist(), strict=True):
        own = kind_of[start:stop]
        found = [match.span() for match in _TOKEN.finditer(own.tobytes())]
        own_places = np.array(found, np.int64).reshape(-1, 2)
        places.append(own_places + start)
        lines.append(np.cumsum(own == LINE, dtype=np.int32)[own_places[:, 0]])
        starts.append(starts[-1] + len(found))
    firsts, ends = np.concatenate(places).T
    return Spans(
        firsts.copy(),
        (ends - firsts).astype(np.int32),
        np.concatenate(lines),
        np.array(starts, np.int64),
    )


def vocabulary(characters: Characters, spans: Spans) -> tuple[Ids, Positions]:
    """Number the words of tokens in order of first occurrence.

    Parameters
    ----------
    characters : Characters
        Texts.
    spans : Spans
        Offsets of their tokens.

    Returns
    -------
    ids : ndarray of int32
        Word of each token.
    words : ndarray of int64
        First token of each word.
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
