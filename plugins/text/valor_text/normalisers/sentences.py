"""Sentences and words of running text: abbreviations, contractions, scripts without blanks."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that do not separate words by blanks, as ranges of a regular expression.

Thai, Lao, Burmese, Khmer, kana, Chinese characters and Hangul."""

APOSTROPHES: Final[Mapping[int, str]] = dict.fromkeys(
    map(ord, "\u2018\u2019\u201b\u02bc\u00b4`"), "'"
)
"""Table for `str.translate` from variants of the apostrophe."""

ABBREVIATIONS: Final = frozenset(
    {
        *("al", "approx", "ca", "cf", "co", "corp", "dr", "fig", "gen", "inc", "jr", "ltd", "mr"),
        *("mrs", "ms", "mt", "prof", "sen", "sr", "st", "vs"),
    }
)
"""English words written with a period that does not end a sentence."""

_CLOSING = "\"'\u201d\u2019)]"
_MARKS = r".!?\u2026"
_END = re.compile(
    rf"(?<![{_MARKS}])[{_MARKS}]++[{re.escape(_CLOSING)}]*+(?=\s)|;(?=\s)"
    r"|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d]*|\n+"
)
_LIST_MARKER = re.compile(r"\s*(?:[-*\u2022]|\d+[.)])\s+")
_LAST_WORD = re.compile(r"([^\W\d_]+)\.$")
_CONTEXT = 25  # characters around a period that decide whether it ends a sentence

_IRREGULAR = {
    "can't": "can not",
    "let's": "let us",
    "ma'am": "madam",
    "shan't": "shall not",
    "won't": "will not",
    "y'all": "you all",
}
_ENDINGS = {
    "n't": "not",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
    "'m": "am",
}
_BEFORE_IS = frozenset({"he", "she", "it", "that", "this", "there", "here"}) | {
    *("what", "who", "where", "when", "why", "how"),
}


def sentences(text: str, abbreviations: Collection[str] = ABBREVIATIONS) -> list[str]:
    """Cut a text into sentences, without list markers.

    A sentence ends at a period, another mark, a semicolon or a line. A period after an
    abbreviation, a single letter, *No.* before a number, or the number of a list item does not.

    Parameters
    ----------
    text : str
        Text.
    abbreviations : collection of str
        Abbreviations in lowercase.

    Examples
    --------
    >>> sentences("Dr. Ames paid 3.50 to the U.S. Army. Why? - It was No. 5.")
    ['Dr. Ames paid 3.50 to the U.S. Army.', 'Why?', 'It was No. 5.']
    """
    found, start = [], 0
    for match in _END.finditer(text):
        if _ends_sentence(text, start, match, abbreviations):
            found.append(text[start : match.end()])
            start = match.end()
    found.append(text[start:])
    cleaned = (_without_marker(one).strip().removesuffix(";") for one in found)
    return [one for one in cleaned if re.search(r"\w", one)]


def is_statement(sentence: str) -> bool:
    """Return True unless a sentence ends with a question mark.

    Examples
    --------
    >>> [is_statement(one) for one in ("It rains.", "Why?")]
    [True, False]
    """
    return not sentence.rstrip(_CLOSING).endswith(("?", "\uff1f"))


def without_contractions(word: str) -> str:
    """Expand the contractions of an English word, and remove other apostrophes.

    `'s` is *is* after a pronoun or question word, otherwise the end of a possessive. `'d` is always
    *would*.

    Parameters
    ----------
    word : str
        Word in lowercase.

    Examples
    --------
    >>> words = ("shouldn't've", "it's", "john's", "o'clock", "ain't")
    >>> [without_contractions(word) for word in words]
    ['should not have', 'it is', 'johns', 'oclock', 'aint']
    """
    if "'" not in word:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, full in _ENDINGS.items():
        stem = word.removesuffix(ending)
        if stem and stem not in (word, "ai"):
            return f"{without_contractions(stem)} {full}"
    stem = word.removesuffix("'s")
    return f"{stem} is" if stem in _BEFORE_IS else word.replace("'", "")


def _ends_sentence(
    text: str, start: int, match: re.Match[str], abbreviations: Collection[str]
) -> bool:
    if match[0] != ".":
        return True
    end = match.end()
    before = _LAST_WORD.search(text[max(start, end - _CONTEXT) : end])
    if before is None:
        # "1. Boil it" is a list item; "in 1911." ends a sentence.
        return end - start > _CONTEXT or _LIST_MARKER.fullmatch(text[start : end + 1]) is None
    word, after = before[1], text[end : end + _CONTEXT].lstrip()
    if word.casefold() == "no":
        return not after[:1].isdigit()
    return not (len(word) == 1 and word != "I") and word.casefold() not in abbreviations


def _without_marker(sentence: str) -> str:
    marker = _LIST_MARKER.match(sentence)
    return sentence if marker is None else sentence[marker.end() :]
