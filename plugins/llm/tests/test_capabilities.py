"""Capabilities of an endpoint, detected from its messages."""

from __future__ import annotations

import pytest
from attrs import evolve
from valor_llm.clients.protocol import Request
from valor_llm.judge.capabilities import Capabilities

SCHEMA = {
    "type": "object",
    "properties": {"claims": {"type": "array", "items": {}, "minItems": 2, "maxItems": 2}},
}
REQUEST = Request(
    messages=(),
    schema=SCHEMA,
    step="claims",
    temperature=0.0,
    seed=7,
    max_tokens=100,
    probabilities=True,
)

SAID = {
    "OpenAI, a reasoning model": (
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead. (unsupported_parameter, max_tokens)",
        {"max_tokens_key": "max_completion_tokens"},
    ),
    "OpenAI, its temperature": (
        "Unsupported value: 'temperature' does not support 0 with this model.",
        {"temperature": None},
    ),
    "an endpoint without a seed": ("Extra inputs are not permitted: seed", {"seed": None}),
    "an old model": (
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported.",
        {"format": "json_object"},
    ),
    "a schema without lengths": (
        "Invalid schema for response_format 'claims': 'minItems' is not permitted.",
        {
            "schema": {
                "type": "object",
                "properties": {"claims": {"type": "array", "items": {}}},
            }
        },
    ),
    "fewer alternatives": ("top_logprobs must be at most 5", {"alternatives": 5}),
}


@pytest.mark.parametrize("name", SAID)
def test_what_an_endpoint_names_is_changed_and_nothing_else(name: str) -> None:
    said, change = SAID[name]
    found = Capabilities().after(REQUEST, said)
    assert found is not None
    assert found.fitted(REQUEST) == evolve(REQUEST, **change)


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 8192 tokens, you asked for 9000 max_tokens.",
        "max_tokens is too large: 4096",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The request is malformed.",
        "",
    ],
)
def test_a_request_that_is_too_long_or_unclear_teaches_nothing(said: str) -> None:
    assert Capabilities().after(REQUEST, said) is None


def test_what_was_not_sent_is_not_to_blame() -> None:
    bare = Request(messages=(), schema={}, step="claims", format="text")
    for said in ("temperature", "seed", "max_tokens", "logprobs", "response_format", "minItems"):
        assert Capabilities().after(bare, said) is None


def test_everything_may_be_rejected_in_turn_and_then_there_is_an_end() -> None:
    found, steps = Capabilities(), []
    for said in ["max_tokens"] * 3 + ["logprobs"] * 3 + ["minItems"] * 2 + ["response_format"] * 3:
        after = found.after(found.fitted(REQUEST), said)
        steps.append(after is not None)
        found = after or found
    assert steps == [True, True, False] * 2 + [True, False] + [True, True, False]
    assert found.to_dict() == {
        "format": "text",
        "max_tokens_key": "max_completion_tokens",
        "alternatives": 5,
        "left_out": ["list_lengths", "max_tokens", "probabilities"],
    }
    assert Capabilities.of(found.to_dict()) == found


def test_what_two_calls_find_out_is_joined_in_any_order() -> None:
    one = Capabilities(format="json_object", left_out=frozenset({"seed"}))
    other = Capabilities(max_tokens_key="max_completion_tokens", alternatives=5)
    joined = Capabilities("json_object", "max_completion_tokens", 5, frozenset({"seed"}))
    assert one.joined(other) == other.joined(one) == joined


def test_a_client_that_cannot_ask_for_a_form_is_asked_for_text() -> None:
    known = Capabilities.lacking(("format", "seed"))
    assert known.fitted(REQUEST) == evolve(REQUEST, format="text", seed=None)
