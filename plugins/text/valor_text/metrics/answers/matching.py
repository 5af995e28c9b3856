"""ExactMatch, Contains and Regex: comparison of a response with texts or patterns."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any
from unicodedata import category

import numpy as np

from valor_core import Failed, Undefined
from valor_core.errors import short_repr
from valor_core.results import Numbers
from valor_core.schemas.text import TextBatch
from valor_text.counting.pairs import Answers
from valor_text.parameters.answers import (
    NO_PATTERN,
    ContainsParameters,
    ExactMatchParameters,
    RegexParameters,
)

_EMPTY = Undefined("no reference with text")
_JOINER = "\u200d"
_INVISIBLE = "\u00ad\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Characters that do not end a word."""
_CONTEXT = 32  # characters around a match that are checked


def exact_match(
    batch: TextBatch, parameters: ExactMatchParameters, resources: Mapping[str, Any]
) -> Any:
    """Score 1 if a response equals one of its references after normalisation, otherwise 0.

    With the normaliser `squad`, equal to SQuAD's evaluation script 1.1; with `no_answer` as well,
    to that of 2.0.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : ExactMatchParameters
        Preparation of texts.
    resources : mapping
        Unused.

    Returns
    -------
    Numbers or ItemRows
        1 or 0. Undefined for an item without references, unless `no_answer`.
    """
    answers = Answers.of(batch, no_answer=parameters.no_answer)
    pairs = answers.pairs.normalised(parameters.normaliser)
    responses, references = pairs.sides
    is_right = np.fromiter(map(operator.eq, responses, references), bool, len(pairs))
    if parameters.no_answer:
        is_empty = np.fromiter(map(operator.not_, references), bool, len(pairs))
        is_right &= ~is_empty | answers.are_no_answers(is_empty)
    right = is_right.astype(np.float64)
    numbers = answers.numbers(right[pairs.best(right)])
    if all(references):
        return numbers
    # Imported here: few items have references that normalisation leaves empty.
    from valor_text.counting import preparation

    counts = np.fromiter(map(len, pairs.texts), np.int64, len(pairs.texts))
    codes = preparation.faults(answers.pairs, counts, parameters.normaliser)
    return preparation.rows(batch, numbers, codes, answers.positions)


def contains(
    batch: TextBatch, parameters: ContainsParameters, resources: Mapping[str, Any]
) -> Numbers:
    """Score 1 if a response contains any, or all, of the given texts, otherwise 0.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : ContainsParameters
        Texts to search, and preparation.
    resources : mapping
        Unused.

    Returns
    -------
    Numbers
        1 or 0. If references are searched, undefined for an item without references, or with
        references that are all empty after normalisation: every response contains an empty text.
        An empty reference among others is ignored.
    """
    answers = Answers.of(batch, given=parameters.substrings)
    responses, wanted = answers.pairs.normalised(parameters.normaliser).sides
    is_found = np.fromiter(map(operator.contains, responses, wanted), bool, len(wanted))
    if parameters.whole_words:
        for pair in np.flatnonzero(is_found).tolist():
            is_found[pair] = _has_word(responses[pair], wanted[pair])
    is_empty = np.fromiter((not text for text in wanted), bool, len(wanted))
    if parameters.require == "any":
        is_met = answers.met(is_found & ~is_empty, "any")
    else:
        is_met = answers.met(is_found | is_empty, "all")
    lacks = answers.met(is_empty, "all")
    return answers.numbers(is_met & ~lacks, lacks.astype(np.uint8), [_EMPTY])


def regex(batch: TextBatch, parameters: RegexParameters, resources: Mapping[str, Any]) -> Numbers:
    """Score 1 if any, or all, of the given patterns match a response, otherwise 0.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : RegexParameters
        Patterns, unless the references are the patterns, and how they have to match.
    resources : mapping
        Unused.

    Returns
    -------
    Numbers
        1 or 0. If references are the patterns, undefined for an item without references, and failed
        if one of them is not a regular expression.

    Notes
    -----
    Python's `re` has no time limit. A pattern with nested repetition, such as ``(a+)+b``, can take
    practically forever on a text that does not match; ``(?:a++)++b`` matches the same texts fast.
    """
    answers = Answers.of(batch, given=parameters.patterns)
    responses, patterns = answers.pairs.sides
    compiled = {pattern: _compiled(pattern, parameters) for pattern in dict.fromkeys(patterns)}
    failures = [one for one in compiled.values() if isinstance(one, Failed)]
    is_match, codes = np.zeros(len(patterns), bool), np.zeros(answers.pairs.items, np.int64)
    items = answers.pairs.responses.tolist()
    for pair, (item, pattern, text) in enumerate(zip(items, patterns, responses, strict=True)):
        test = compiled[pattern]
        if isinstance(test, Failed):
            codes[item] = codes[item] or failures.index(test) + 1
        else:
            is_match[pair] = test(text) is not None
    is_met = answers.met(is_match, parameters.require)
    return answers.numbers(is_met & (codes == 0), codes, failures)


def _has_word(text: str, word: str) -> bool:
    """Return True if a text contains a word that is not part of a longer one."""
    start = text.find(word)
    while start >= 0:
        if _is_whole_word(text, start, start + len(word)):
            return True
        start = text.find(word, start + 1)
    return False


def _is_whole_word(text: str, start: int, stop: int) -> bool:
    """Return True if no letter, digit, underscore or combining mark adjoins a part of a text."""
    before, after = text[max(0, start - _CONTEXT) : start], text[stop : stop + _CONTEXT]
    if before and not before[-1].isspace() and (_extends(text[start]) or before[-1] == _JOINER):
        return False
    if after and _extends(after[0]):
        return False
    first_visible = after.lstrip(_INVISIBLE)[:1]
    return not (_is_of_word(before.rstrip(_INVISIBLE)[-1:]) or _is_of_word(first_visible))


def _extends(character: str) -> bool:
    """Return True for marks, joiners and skin tones, which belong to the preceding character."""
    return (
        category(character)[0] == "M"
        or character == _JOINER
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def _is_of_word(character: str) -> bool:
    return bool(character) and (
        character.isalnum() or character == "_" or category(character)[0] == "M"
    )


def _compiled(pattern: str, parameters: RegexParameters) -> Callable[[str], Any] | Failed:
    """Return the method that searches a text for a pattern, or the reason if it is invalid."""
    try:
        found = re.compile(pattern, re.IGNORECASE if parameters.ignore_case else 0)
    except NO_PATTERN as error:
        return Failed(
            f"expected regular expressions as references, got {short_repr(pattern)}: {error}"
        )
    return found.fullmatch if parameters.whole else found.search
