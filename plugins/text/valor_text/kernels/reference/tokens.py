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
    spans, lines, starts = [np.empty((0, 2), np.int64)], [np.empty(0, np.int32)], [0]
    for start, stop in zip(characters.starts.tolist(), characters.stops.tolist(), strict=True):
        text_kinds = kind_of[start:stop]
        found = [match.span() for match in _TOKEN.finditer(text_kinds.tobytes())]
        text_spans = np.array(found, np.int64).reshape(-1, 2)
        spans.append(text_spans + start)
        lines.append(np.cumsum(text_kinds == LINE, dtype=np.int32)[text_spans[:, 0]])
        starts.append(starts[-1] + len(found))
    firsts, ends = np.concatenate(spans).T
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
    number_of: dict[bytes, int] = {}
    ids, words = np.empty(len(spans.firsts), np.int32), []
    pairs = zip(spans.firsts.tolist(), spans.lengths.tolist(), strict=True)
    for token, (first, length) in enumerate(pairs):
        word = characters.codes[first : first + length].tobytes()
        if word not in number_of:
            number_of[word] = len(number_of)
            words.append(token)
        ids[token] = number_of[word]
    return ids, np.array(words, np.int64)
