"""JSON in the text of a reply: fenced, in prose, or with small mistakes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from attrs import field, frozen


class NoObject(ValueError):
    """What is wrong with a text that holds no JSON object, in words for the model."""


@frozen
class Found:
    """An object found in a text.

    Parameters
    ----------
    value : dict
        The object.
    lenient : tuple of str
        What had to be overlooked to read it.
    """

    value: dict[str, Any]
    lenient: tuple[str, ...] = field(default=())


def first_object(text: str) -> Found:
    r"""The first balanced JSON object of a text.

    Raises
    ------
    NoObject
        If there is none.

    Examples
    --------
    >>> first_object('Sure!\n```json\n{"claims": ["a",]}\n```')
    Found(value={'claims': ['a']}, lenient=('text around the object', 'trailing comma'))
    """
    stripped = text.strip()
    for start, end in _balanced(stripped):
        piece = stripped[start:end]
        around = () if piece == stripped else ("text around the object",)
        for candidate, notes in (
            (piece, ()),
            (_without_trailing_commas(piece), ("trailing comma",)),
        ):
            try:
                value = json.loads(candidate)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                return Found(value, (*around, *notes))
    if "{" not in stripped:
        raise NoObject("the reply has no JSON object")
    raise NoObject("the reply has no complete JSON object")


def _balanced(text: str) -> Iterator[tuple[int, int]]:
    """Where top-level braces open and close, strings skipped."""
    depth, start, in_string, escaped = 0, 0, False, False
    for place, character in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"' and depth:
            in_string = True
        elif character == "{":
            start = place if not depth else start
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if not depth:
                yield start, place + 1


_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.DOTALL)


def _without_trailing_commas(text: str) -> str:
    return _TRAILING.sub(lambda match: match[1] or "", text)
