"""Contains: whether a response has some texts in it."""

from __future__ import annotations

from collections.abc import Mapping
from operator import contains
from typing import Any
from unicodedata import category

import numpy as np

from valor_core import Undefined
from valor_core.results import Numbers
from valor_core.schemas.text import TextBatch
from valor_text.counting.answers import Answers
from valor_text.parameters.answers import ContainsParameters

_EMPTY = Undefined("no reference with text")
_JOINER = "\u200d"
_INVISIBLE = "\u00ad\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Characters that do not end a word."""
_FAR = 32  # characters around a match that are checked


def score(
    batch: TextBatch, parameters: ContainsParameters, resources: Mapping[str, Any]
) -> Numbers:
    """Whether the response of each item contains any, or all, of some texts.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : ContainsParameters
        What is looked for, and how texts are prepared.
    resources : mapping
        None are used.

    Returns
    -------
    Numbers
        1 or 0. Undefined for an item without references, or of which nothing is left once they
        are normalised, where these are looked for: an empty text is in every response. Such a
        reference beside others is passed over.
    """
    answers = Answers.of(batch, given=parameters.substrings)
    responses, wanted = answers.pairs.normalised(parameters.normaliser).sides
    is_there = np.fromiter(map(contains, responses, wanted), bool, len(wanted))
    if parameters.whole_words:
        for pair in np.flatnonzero(is_there).tolist():
            is_there[pair] = _has_word(responses[pair], wanted[pair])
    is_empty = np.fromiter((not text for text in wanted), bool, len(wanted))
    if parameters.require == "any":
        is_met = answers.met(is_there & ~is_empty, "any")
    else:
        is_met = answers.met(is_there | is_empty, "all")
    lacks = answers.met(is_empty, "all")
    return answers.numbers(is_met & ~lacks, lacks.astype(np.uint8), [_EMPTY])


def _has_word(text: str, word: str) -> bool:
    """Whether a text has a word that is not part of a longer one."""
    start = text.find(word)
    while start >= 0:
        if _is_apart(text, start, start + len(word)):
            return True
        start = text.find(word, start + 1)
    return False


def _is_apart(text: str, start: int, stop: int) -> bool:
    """Whether no letter, digit, underscore or mark of theirs is next to a part of a text."""
    before, after = text[max(0, start - _FAR) : start], text[stop : stop + _FAR]
    if before and not before[-1].isspace() and (_extends(text[start]) or before[-1] == _JOINER):
        return False
    if after and _extends(after[0]):
        return False
    return not (_is_of_word(before.rstrip(_INVISIBLE)[-1:]) or _is_of_word(_first_visible(after)))


def _first_visible(text: str) -> str:
    return text.lstrip(_INVISIBLE)[:1]


def _extends(character: str) -> bool:
    """Whether a character belongs to the one before it: a mark, a joiner or a skin tone."""
    return (
        category(character)[0] == "M"
        or character == _JOINER
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def _is_of_word(character: str) -> bool:
    return bool(character) and (
        character.isalnum() or character == "_" or category(character)[0] == "M"
    )
