"""English speech: one spelling for words that are written differently.

Our definition, in the style of the English normaliser of Whisper: the changes are similar, the
rules and lists differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from valor_text.normalisers.characters import rewritten
from valor_text.normalisers.sentences import APOSTROPHES, without_contractions
from valor_text.normalisers.speech.multilingual import one_case, plain_letters, without_symbols
from valor_text.normalisers.speech.numbers import in_digits
from valor_text.normalisers.speech.spelling import SPELLINGS

_FILLERS = frozenset(
    ["uh", "uhh", "uhm", "um", "umm", "er", "erm", "eh", "hm", "hmm", "mm", "mmm", "mhm"]
)
_KEPT = "'.,%$£€"
"""Punctuation that is processed word by word; all other punctuation is removed."""

_CURRENCIES = frozenset("$£€")
_ENDINGS = frozenset({"n't", "'s", "'re", "'ve", "'ll", "'d", "'m"})
_LOOSE = _CURRENCIES | _ENDINGS | {"%"}

_CLEAN: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # "u.s.a." and "p.m." become words.
    (re.compile(r"\b(?:[a-z]\.){2,}"), lambda match: match[0].replace(".", "")),
    (re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))"), ""),
    (re.compile(r",|(?<![0-9])\.|\.(?![0-9])|(?<![0-9])%|[$£€](?![0-9])"), " "),
    (re.compile(r"(?<![a-z0-9])'|'(?![a-z0-9])"), ""),
)


def english(texts: Sequence[str]) -> list[str]:
    """Lowercase English words, without differences between writers that speakers do not make.

    Steps, in this order: fold case, compatibility forms and diacritics; remove text in brackets;
    remove punctuation and symbols except decimal points, percent signs after numbers and currency
    signs before them; remove fillers (um, er, mhm); expand contractions and titles; replace British
    by American spellings; write numbers in digits.

    Examples
    --------
    >>> english(["Um, Mr. O'Neil can't pay £1,000 [laughs]. It's twenty-five per cent!"])
    ['mister oneil can not pay £1000 it is 25%']
    """
    return [text.strip() for text in rewritten(texts, _english)]


def _english(joined: str, mark: str) -> str:
    joined = plain_letters(one_case(joined.translate(APOSTROPHES)))
    joined = _bracketed(mark).sub(" ", joined).replace("&", " and ")
    joined = without_symbols(joined, mark, but=_KEPT)
    words = (joined.replace(mark, f" {mark} ") if mark else joined).split()
    different = set(words)
    if any(word.rstrip(",.") in _LOOSE for word in different):
        words = _attached(words)
        different = set(words)
    # Convert each distinct word once.
    written = {word: _written(word) for word in different}
    return " ".join(in_digits(" ".join(map(written.__getitem__, words)).split()))


def _bracketed(mark: str) -> re.Pattern[str]:
    return re.compile(rf"\[[^][{mark}]*\]|<[^<>{mark}]*>|\([^(){mark}]*\)")


def _attached(words: Sequence[str]) -> list[str]:
    """Attach separate signs and endings to their words.

    Examples
    --------
    >>> _attached(["do", "n't", "pay", "$", "5", "or", "5", "%"])
    ["don't", 'pay', '$5', 'or', '5%']
    """
    written: list[str] = []
    for word in words:
        before, sign = written[-1] if written else "", word.rstrip(",.")
        is_ending = sign in _ENDINGS and before[-1:].isalpha()
        is_percent = sign == "%" and before[-1:].isdigit()
        if is_ending or is_percent or (before in _CURRENCIES and word[0].isdigit()):
            written[-1] += word
        else:
            written.append(word)
    return written


def _written(word: str) -> str:
    """Return the normalised words for a word, possibly several or none."""
    if not word.isalnum():
        for pattern, replacement in _CLEAN:
            word = pattern.sub(replacement, word)
    full = " ".join(map(without_contractions, word.split()))
    return " ".join(SPELLINGS.get(one, one) for one in full.split() if one not in _FILLERS)
