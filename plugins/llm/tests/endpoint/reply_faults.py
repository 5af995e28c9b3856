"""Faults of replies: what a model or its endpoint says wrongly in an answer that arrives."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Said:
    """An answer before it is put into a dialect's form.

    Parameters
    ----------
    value : object
        What is said; None where the reply has no form.
    text : str, optional
        The reply; null without.
    schema : mapping
        The form that was asked for.
    finish : {"stop", "length", "content_filter"}
        Why it ended.
    refusal : str, optional
        Stands in the place of the text.
    model : str
        The name that is returned.
    has_usage : bool
        Whether tokens are counted.
    is_bare : bool
        Whether the reply is a number and no object.
    example : str, optional
        A reply that stands in the prompt as an example.
    """

    value: Any
    text: str | None
    schema: Mapping[str, Any]
    model: str
    finish: str = "stop"
    refusal: str | None = None
    has_usage: bool = True
    is_bare: bool = False
    example: str | None = None


Change = Callable[[Said], Said | None]
"""A fault; None where it has nothing to act on."""

REPLY_FAULTS: dict[str, Change] = {}


def reply_fault(name: str) -> Callable[[Change], Change]:
    """Declare a fault under a name."""

    def declare(change: Change) -> Change:
        REPLY_FAULTS[name] = change
        return change

    return declare


def _of_text(name: str, change: Callable[[str], str]) -> None:
    """Declare a fault of the text of a value."""

    def on(said: Said) -> Said | None:
        return replace(said, text=change(said.text)) if said.text is not None else None

    REPLY_FAULTS[name] = on


def with_value(said: Said, value: Any) -> Said:
    """The same answer with another value."""
    is_bare = said.is_bare and isinstance(value, dict) and "rating" in value
    return replace(said, value=value, text=str(value["rating"]) if is_bare else json.dumps(value))


def _of_value(name: str, change: Callable[[Any], Any]) -> None:
    """Declare a fault of the value in any form."""

    def on(said: Said) -> Said | None:
        return with_value(said, change(copy.deepcopy(said.value))) if said.value else None

    REPLY_FAULTS[name] = on


# ---- the envelope

_TELLS = ("I cannot help with that.", "Sure, here is what I think: it looks mostly right to me.")
_OF_ENVELOPE: Mapping[str, Mapping[str, Any]] = {
    "empty_content": {"text": ""},
    "blank_content": {"text": " \n\n "},
    "null_content": {"text": None},
    "refusal": {"text": None, "refusal": _TELLS[0]},
    "refusal_in_text": {"text": _TELLS[0]},
    "content_filter": {"text": "", "finish": "content_filter"},
    "other_model": {"model": "another-model-2020"},
    "no_usage": {"has_usage": False},
    "schema_ignored": {"text": _TELLS[1]},
}


def _of_envelope(changes: Mapping[str, Any]) -> Change:
    return lambda said: replace(said, **changes)


REPLY_FAULTS |= {name: _of_envelope(changes) for name, changes in _OF_ENVELOPE.items()}


@reply_fault("cut_at_length")
def _cut_at_length(said: Said) -> Said | None:
    if said.text is None:
        return None
    return replace(said, text=said.text[: len(said.text) * 2 // 3], finish="length")


@reply_fault("schema_echoed")
def _schema_echoed(said: Said) -> Said:
    return replace(said, text=json.dumps(said.schema))


@reply_fault("content_filter_midway")
def _content_filter_midway(said: Said) -> Said | None:
    if said.text is None:
        return None
    return replace(said, text=said.text[: len(said.text) // 2], finish="content_filter")


@reply_fault("example_copied")
def _example_copied(said: Said) -> Said | None:
    return replace(said, text=said.example) if said.example else None


# ---- the text

_of_text("cut_json", lambda text: text[: len(text) // 2])
_of_text("fenced", lambda text: f"```json\n{text}\n```")
_of_text("fenced_unclosed", lambda text: f"```json\n{text}")
_of_text("prose_around", lambda text: f"Sure! Here it is:\n{text}\nLet me know if I can help.")
_of_text(
    "braces_in_prose", lambda text: f"As {{id, verdict}} pairs, in {{}}:\n{text}\nDone {{ok}}."
)
_of_text("two_objects", lambda text: f"{text}\n{text}")
_of_text("trailing_comma", lambda text: text.replace("]", ",]").replace("}", ",}"))
_of_text("single_quotes", lambda text: text.replace('"', "'"))
_of_text("byte_order_mark", lambda text: "\ufeff" + text)
_of_text("comment", lambda text: text.replace("{", "{ // as asked\n", 1))
_of_text("text_in_text", json.dumps)
_of_text("long_reply", lambda text: text + " " * 3_000_000)
_of_text("deep_nesting", lambda text: "[" * 100_000 + text)
_of_text("many_braces", lambda text: "{" * 20_000 + text)
_of_text("raw_line_feeds", lambda text: text.replace("The last", "The\nlast"))
_of_text("bare_quotes", lambda text: text.replace("The last word", 'The "last" word'))
_of_text("lone_surrogate", lambda text: text.replace("The last", "The \\ud800 last"))


# ---- the value, whatever it is

_of_value("empty_object", lambda value: {})
_of_value("nested_object", lambda value: {"result": value})
_of_value("nested_twice", lambda value: {"data": {"result": value}})
_of_value("array_around", lambda value: [value])
_of_value("array_in_place_of_object", lambda value: next(iter(value.values())))
_of_value("null_values", lambda value: dict.fromkeys(value))
_of_value("extra_keys", lambda value: {"thought": "Let me see.", **value, "confidence": 0.9})
_of_value("other_key", lambda value: {f"my_{key}": one for key, one in value.items()})
_of_value("capital_keys", lambda value: {key.capitalize(): one for key, one in value.items()})
_of_value("values_as_text", lambda value: {key: json.dumps(one) for key, one in value.items()})
