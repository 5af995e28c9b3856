"""Words of a text, folded for comparison."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from attrs import frozen


def _word_lists() -> dict[str, list[str]]:
    text = (resources.files(__package__) / "words.toml").read_text("utf-8")
    return {name: words.split() for name, words in tomllib.loads(text).items()}


_LISTS = _word_lists()
_COUNTS = {word: str(number) for number, word in enumerate(_LISTS["counts"], 2)}
_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that write no blanks between words: each character is a word."""

_WORD = re.compile(
    rf"(?P<number>\d+(?:[.,:]\d+){{0,5}}(?![^\W_{_ALONE}]))|[{_ALONE}]|[^\W_{_ALONE}]+(?:'[^\W_{_ALONE}]+)*"
)
_MARKS = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc`\u00b4", "'"))
_GROUPED = re.compile(r",(?=\d{3}(?!\d))")


@lru_cache
def words_of(name: str) -> frozenset[str]:
    """Return the words of a list in the file, such as ``"opinion"``."""
    return frozenset(_LISTS[name])


def cues_in(text: str, *names: str) -> list[str]:
    """Return the words of a text that are in one of some lists, in their order.

    Examples
    --------
    >>> cues_in("I think it is the best one.", "opinion", "toxic")
    ['think', 'best']
    """
    cues = frozenset().union(*map(words_of, names))
    return [word for word in tokens(text) if word in cues]


def begins_with(text: str, name: str) -> bool:
    """Return whether the first word of a text is in a list."""
    return next(iter(tokens(text)), "") in words_of(name)


@frozen
class Words:
    """Stems, numbers, names and negation of a text.

    Parameters
    ----------
    content : mapping of str to str
        Words with a meaning, by their stems.
    numbers : frozenset of str
        Numbers, including written ones up to twelve.
    names : frozenset of str
        Stems of words that begin with a capital within the text.
    denied : bool
        Whether the number of negations is odd.

    Examples
    --------
    >>> words = Words.of("The ferry isn't leaving Graz at 8:15.")
    >>> sorted(words.content), sorted(words.numbers), sorted(words.names), words.denied
    (['ferri', 'graz', 'leav'], ['8:15'], ['graz'], True)
    """

    content: Mapping[str, str]
    numbers: frozenset[str]
    names: frozenset[str]
    denied: bool

    @classmethod
    def of(cls, text: str) -> Words:
        """The words of a text."""
        return _words(text)


@lru_cache(maxsize=4096)
def _words(text: str) -> Words:
    content: dict[str, str] = {}
    numbers: set[str] = set()
    names: set[str] = set()
    negations = 0
    for index, (word, is_number) in enumerate(_tokens(text)):
        plain = word.casefold()
        for part in (plain[:-3], "not") if plain.endswith("n't") else (plain,):
            if is_number or part in _COUNTS:
                numbers.add(_number(_COUNTS.get(part, part)))
            elif part in words_of("negations"):
                negations += 1
            elif part not in words_of("stop"):
                content.setdefault(stem(part), word)
                if index and word[0].isupper():
                    names.add(stem(part))
    return Words(content, frozenset(numbers), frozenset(names), negations % 2 == 1)


def _tokens(text: str) -> list[tuple[str, bool]]:
    plain = unicodedata.normalize("NFKC", text).translate(_MARKS)
    return [(match[0], match["number"] is not None) for match in _WORD.finditer(plain)]


def tokens(text: str) -> list[str]:
    """All words in their order, folded.

    Examples
    --------
    >>> tokens("It's NO use")
    ["it's", 'no', 'use']
    """
    return [word.casefold() for word, _ in _tokens(text)]


def stem(word: str) -> str:
    """A word without an English ending, so that *closes* and *closed* are one.

    Examples
    --------
    >>> [stem(word) for word in ("close", "closes", "closed", "closing", "city", "cities", "gas")]
    ['clos', 'clos', 'clos', 'clos', 'citi', 'citi', 'gas']
    """
    word = word.removesuffix("'s")
    if not word.isascii():
        return word
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return f"{word[:-1]}i" if word.endswith("y") and len(word) > 3 else word


def _number(text: str) -> str:
    plain = _GROUPED.sub("", text)
    if "." in plain and plain.replace(".", "", 1).isdigit():
        plain = plain.rstrip("0").rstrip(".")
    return plain


_CLOSING = "\"'\u201d\u2019)]"
_ENDING_MARKS = r".!?\u2026"
_END = re.compile(
    rf"(?<![{_ENDING_MARKS}])[{_ENDING_MARKS}]++[{re.escape(_CLOSING)}]*+(?=\s)|;(?=\s)"
    r"|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d]*|\n+"
)
_MARKER = re.compile(r"\s*(?:[-*\u2022]|\d+[.)])\s+")
_LAST_WORD = re.compile(r"([^\W\d_]+)\.$")
_FAR = 25
"""Characters around a full stop that decide if it ends a sentence."""


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the marks of a list.

    Examples
    --------
    >>> sentences("Dr. Ames paid 3.50 to the U.S. Army. Why? - It was No. 5.")
    ['Dr. Ames paid 3.50 to the U.S. Army.', 'Why?', 'It was No. 5.']
    """
    found, start = [], 0
    for match in _END.finditer(text):
        if _is_end(text, start, match):
            found.append(text[start : match.end()])
            start = match.end()
    found.append(text[start:])
    stripped = (_without_marker(one).strip().removesuffix(";") for one in found)
    return [one for one in stripped if re.search(r"\w", one)]


def _without_marker(sentence: str) -> str:
    marker = _MARKER.match(sentence)
    return sentence if marker is None else sentence[marker.end() :]


def statements(text: str) -> list[str]:
    """The sentences of a text that are no questions.

    Examples
    --------
    >>> statements("It rains. Why?")
    ['It rains.']
    """
    return [one for one in sentences(text) if not one.rstrip(_CLOSING).endswith(("?", "\uff1f"))]


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    if match[0] != ".":
        return True
    end = match.end()
    before = _LAST_WORD.search(text[max(start, end - _FAR) : end])
    if before is None:
        # The number of a list, "1. Boil it", ends nothing; that of a sentence, "in 1911.", does.
        return end - start > _FAR or _MARKER.fullmatch(text[start : end + 1]) is None
    word, after = before[1], text[end : end + _FAR].lstrip()
    if word.casefold() == "no":
        return not after[:1].isdigit()
    return not (len(word) == 1 and word != "I") and word.casefold() not in words_of("abbreviations")
