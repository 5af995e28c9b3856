"""Endings: what an endpoint says of why a reply ended, in the words of all of them."""

from __future__ import annotations

from collections.abc import Mapping
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


def finish_of(told: Any) -> Finish:
    """Why a reply ended, from an endpoint's word for it.

    Examples
    --------
    >>> [finish_of(word) for word in ("eos", "MAX_TOKENS", "content_filter", None, [1])]
    ['stop', 'length', 'filter', 'other', 'error']
    """
    if told is None or told == "":
        return "other"
    return _FINISHES.get(told.casefold(), "other") if isinstance(told, str) else "error"
