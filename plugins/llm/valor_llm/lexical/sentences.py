"""Sentences of a text, cut where a full stop, a mark or a line ends one."""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    {
        *("al", "approx", "ca", "cf", "co", "corp", "dr", "fig", "gen", "inc", "jr", "ltd", "mr"),
        *("mrs", "ms", "mt", "prof", "sen", "sr", "st", "vs"),
    }
)
"""Written with a full stop that ends no sentence. A single letter, as in U.S., counts as well."""

_CLOSING = "\"'\u201d\u2019)]"
_MARKS = r".!?\u2026"
_END = re.compile(
    rf"(?<![{_MARKS}])[{_MARKS}]++[{re.escape(_CLOSING)}]*+(?=\s)|;(?=\s)"
    r"|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d]*|\n+"
)
_MARKER = re.compile(r"\s*(?:[-*\u2022]|\d+[.)])\s+")
_LAST_WORD = re.compile(r"([^\W\d_]+)\.$")
_FAR = 25
"""Characters around a full stop that tell whether it ends a sentence."""


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
    return [one for one in sentences(text) if is_statement(one)]


def is_statement(sentence: str) -> bool:
    """Whether a sentence ends otherwise than with a question mark."""
    return not sentence.rstrip(_CLOSING).endswith(("?", "\uff1f"))


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
    return not (len(word) == 1 and word != "I") and word.casefold() not in _ABBREVIATIONS
