"""Contains: whether a response has some texts in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import contains
from typing import Any

import numpy as np

from valor_core import Undefined
from valor_core.plugin import Numbers
from valor_core.schemas.text import TextBatch
from valor_text.counting.answers import Answers
from valor_text.parameters.answers import ContainsParameters

_EMPTY = Undefined("no reference with text")


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
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
