"""Lenient access to the fields of JSON from endpoints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from valor_llm.clients.protocol import Finish

_ENDINGS: Mapping[Finish, str] = {
    "stop": "stop eos end end_turn eos_token stop_sequence complete completed tool_use tool_calls "
    "function_call finished",
    "length": "length max_tokens max_output_tokens token_limit pause_turn incomplete",
    "context": "model_context_window_exceeded context_window_exceeded model_length "
    "context_length_exceeded",
    "refusal": "refusal refused",
    "filter": "content_filter content_filtered content_filter_error safety recitation blocklist "
    "prohibited_content spii image_safety sensitive guardrail_intervened moderation blocked",
    "error": "error abort aborted cancelled canceled timeout failed malformed_function_call "
    "insufficient_system_resource",
}
_FINISHES: Mapping[str, Finish] = {
    word: finish for finish, words in _ENDINGS.items() for word in words.split()
}


def finish_of(word: Any) -> Finish:
    """Convert an endpoint's reason for the end of a reply.

    Examples
    --------
    >>> [finish_of(word) for word in ("eos", "MAX_TOKENS", "content_filter", None, [1])]
    ['stop', 'length', 'filter', 'other', 'error']
    """
    if word is None or word == "":
        return "other"
    return _FINISHES.get(word.casefold(), "other") if isinstance(word, str) else "error"


class Ambiguous(ValueError):
    """A JSON object that has two different values for a key."""


def json_value(data: bytes) -> Any:
    """The value of a text in JSON. Repeated keys need equal values.

    Raises
    ------
    ValueError, RecursionError
        If the text is not JSON; `Ambiguous` if a key has two different values.

    Examples
    --------
    >>> json_value(b'{"text": "yes", "text": "no"}')
    Traceback (most recent call last):
        ...
    valor_llm.clients.fields.Ambiguous: two values for 'text'
    """
    return json.loads(data, object_pairs_hook=_unambiguous)


def _unambiguous(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        for key, value in pairs:
            if made[key] != value:
                raise Ambiguous(f"two values for {key!r}")
    return made


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a table unchanged, and an empty one for other values."""
    return value if isinstance(value, Mapping) else {}


def count(value: Any) -> int:
    """Return a number of tokens, also from a text of decimal digits; 0 for other values.

    Examples
    --------
    >>> [count(value) for value in (3, 2.0, "250", None, "many", "2.5", -1, True, float("nan"))]
    [3, 2, 250, 0, 0, 0, 0, 0, 0]
    """
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 16 else 0
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < 1e15 else 0


def text_of(value: Any) -> str:
    """Return a text, or the texts of a list of parts; empty without any.

    Examples
    --------
    >>> text_of([{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "yes"}])
    'yes'
    """
    if isinstance(value, str):
        return value
    parts = [mapping(one) for one in value] if isinstance(value, list) else []
    texts = [one.get("text") for one in parts if one.get("type", "text") == "text"]
    return "".join(one for one in texts if isinstance(one, str))


def merged(body: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a request with further fields, also in tables that it has.

    Examples
    --------
    >>> merged({"options": {"seed": 0}}, {"options": {"num_ctx": 8192}})
    {'options': {'seed': 0, 'num_ctx': 8192}}
    """
    together = dict(body)
    for name, value in extra.items():
        old = together.get(name)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            value = merged(old, value)
        together[name] = value
    return together
