"""Repeated example: a reply that says of an item what an example of the prompt says of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from valor_llm.replies.reading import Data
from valor_llm.steps.prompt import Prompt

_WORD = re.compile(r"\w{4,}")


def repeats_example(text: str, prompt: Prompt, data: Data) -> bool:
    """Whether a reply holds an example's sentences, about what the data do not speak of.

    Small models do so. Their reply has the right form and is about something else, and only this
    tells it from a right one.

    Parameters
    ----------
    text : str
        The reply.
    prompt : Prompt
        The prompt with its examples.
    data : mapping
        What was asked about.

    Examples
    --------
    >>> from valor_llm.steps.prompt import own
    >>> prompt = own("claims")
    >>> repeats_example(prompt.examples[0].reply, prompt, {"response": "It rains."})
    True
    >>> repeats_example(prompt.examples[0].reply, prompt, prompt.examples[0].data)
    False
    """
    for example in prompt.examples:
        told = _sentences(example.reply)
        if told and all(one in text or json.dumps(one)[1:-1] in text for one in told):
            only_there = _words(" ".join(told)) & _words_of(example.data) - _words_of(data)
            if only_there:
                return True
    return False


@lru_cache(maxsize=256)
def _sentences(reply: str) -> tuple[str, ...]:
    """The texts of several words in an example's reply."""
    return tuple(one for one in _texts(json.loads(reply)) if " " in one)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(one)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _words_of(data: Data) -> set[str]:
    return _words(" ".join(_texts(dict(data))))
