"""Regex: whether regular expressions match a response."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from valor_core import Failed
from valor_core.errors import shown
from valor_core.results import Numbers
from valor_core.schemas.text import TextBatch
from valor_text.counting.answers import Answers
from valor_text.parameters.answers import NO_PATTERN, RegexParameters


def score(batch: TextBatch, parameters: RegexParameters, resources: Mapping[str, Any]) -> Numbers:
    """Whether any, or all, of some regular expressions match the response of each item.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : RegexParameters
        Patterns, unless the references are some, and how they have to match.
    resources : mapping
        None are used.

    Returns
    -------
    Numbers
        1 or 0. Undefined for an item without references, where these are the patterns; failed
        where one of these is no regular expression.

    Notes
    -----
    Python's `re` has no limit of time. A pattern that repeats what is repeated, such as
    ``(a+)+b``, can take longer than anybody waits on a text that does not match;
    ``(?:a++)++b`` matches the same at once.
    """
    answers = Answers.of(batch, given=parameters.patterns)
    responses, patterns = answers.pairs.sides
    known = {pattern: _compiled(pattern, parameters) for pattern in dict.fromkeys(patterns)}
    faults = [one for one in known.values() if isinstance(one, Failed)]
    is_match, codes = np.zeros(len(patterns), bool), np.zeros(answers.pairs.items, np.int64)
    items = answers.pairs.responses.tolist()
    for pair, (item, pattern, text) in enumerate(zip(items, patterns, responses, strict=True)):
        test = known[pattern]
        if isinstance(test, Failed):
            codes[item] = codes[item] or faults.index(test) + 1
        else:
            is_match[pair] = test(text) is not None
    is_met = answers.met(is_match, parameters.require)
    return answers.numbers(is_met & (codes == 0), codes, faults)


def _compiled(pattern: str, parameters: RegexParameters) -> Callable[[str], Any] | Failed:
    """What searches a text for a pattern, or what is wrong with the pattern."""
    try:
        found = re.compile(pattern, re.IGNORECASE if parameters.ignore_case else 0)
    except NO_PATTERN as error:
        return Failed(f"expected regular expressions as references, got {shown(pattern)}: {error}")
    return found.fullmatch if parameters.whole else found.search
