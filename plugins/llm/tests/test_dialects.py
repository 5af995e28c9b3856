"""Dialects: what is sent to an endpoint, and how its answers are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from cases import for_each
from messages import refused
from mock_endpoint import MockEndpoint
from valor_llm.clients import anthropic, ollama, openai
from valor_llm.clients.anthropic import anthropic_endpoint
from valor_llm.clients.endpoint import Endpoint
from valor_llm.clients.ollama import ollama_endpoint
from valor_llm.clients.openai import openai_endpoint
from valor_llm.clients.protocol import (
    BadRequest,
    ClientError,
    FatalError,
    Message,
    Reply,
    Request,
    TokenChoice,
    TransientError,
    Usage,
)
from valor_llm.judge.judge import Judge
from valor_llm.parameters.clients import (
    AnthropicParameters,
    OllamaParameters,
    OpenAIParameters,
)
from valor_llm.parameters.judge import JudgeParameters

from valor_core.errors import ResourceError

SCHEMA = {
    "type": "object",
    "properties": {"rating": {"type": "integer", "enum": [0, 1, 2]}},
    "required": ["rating"],
    "additionalProperties": False,
}
REQUEST = Request(
    messages=(Message("system", "Rate."), Message("user", "It rains.")),
    schema=SCHEMA,
    step="rate",
    temperature=0.0,
    seed=7,
    max_tokens=50,
)


def client_of(name: str, endpoint: MockEndpoint, **more: Any) -> Endpoint:
    if name == "openai":
        return openai_endpoint(OpenAIParameters(base_url=endpoint.base_url, model="m", **more))
    if name == "anthropic":
        return anthropic_endpoint(AnthropicParameters(base_url=endpoint.root, model="m", **more))
    return ollama_endpoint(OllamaParameters(base_url=endpoint.root, model="m", **more))


DIALECTS = ("openai", "anthropic", "ollama")
SCRIPTED = {"reply": '{"rating": 2}'}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_reply_comes_with_its_model_and_tokens(name: str, endpoint: MockEndpoint) -> None:
    endpoint.configure(script=[SCRIPTED])
    reply = client_of(name, endpoint).complete(REQUEST)
    assert json.loads(reply.text) == {"rating": 2}
    assert (reply.finish, reply.model) == ("stop", "m")
    assert reply.usage.prompt > 0
    assert reply.usage.completion > 0


@pytest.mark.parametrize("name", DIALECTS)
def test_a_reply_that_was_cut_says_so(name: str, endpoint: MockEndpoint) -> None:
    endpoint.configure(script=[{"reply": '{"rat', "finish": "length"}])
    assert client_of(name, endpoint).complete(REQUEST).finish == "length"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, BadRequest),
        (401, FatalError),
        (404, FatalError),
        (422, BadRequest),
        (500, TransientError),
    ],
)
@pytest.mark.parametrize("name", DIALECTS)
def test_error_has_the_message_of_the_endpoint(
    name: str, status: int, kind: type[ClientError], endpoint: MockEndpoint
) -> None:
    endpoint.configure(script=[f"http_{status}"])
    client = client_of(name, endpoint)
    with pytest.raises(ClientError) as caught:
        client.complete(REQUEST)
    assert type(caught.value) is kind
    words = {
        400: "The request is malformed.",
        401: "Incorrect API key provided.",
        404: "The model does not exist.",
        422: "The request cannot be processed.",
        500: "The server had an error.",
    }
    assert str(caught.value).startswith(f"{client.endpoint}: {status} ")
    assert words[status] in str(caught.value)


def test_openai_is_sent_a_strict_schema_and_every_setting() -> None:
    assert openai.body_of(REQUEST, "m") == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Rate."},
            {"role": "user", "content": "It rains."},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "rate", "strict": True, "schema": SCHEMA},
        },
        "temperature": 0.0,
        "seed": 7,
        "max_tokens": 50,
    }


def test_anthropic_gets_instruction_and_schema_in_separate_fields() -> None:
    assert anthropic.body_of(REQUEST, "m") == {
        "model": "m",
        "max_tokens": 50,
        "system": "Rate.",
        "messages": [{"role": "user", "content": "It rains."}],
        "temperature": 0.0,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }


def test_ollama_is_sent_a_schema_and_options() -> None:
    assert ollama.body_of(REQUEST, "m") == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Rate."},
            {"role": "user", "content": "It rains."},
        ],
        "stream": False,
        "format": SCHEMA,
        "options": {"temperature": 0.0, "seed": 7, "num_predict": 50},
    }


@pytest.mark.parametrize(
    ("name", "form", "sent"),
    [
        ("openai", "json_object", {"response_format": {"type": "json_object"}}),
        ("openai", "text", {}),
        (
            "anthropic",
            "json_object",
            {
                "tools": [{"name": "rate", "input_schema": SCHEMA}],
                "tool_choice": {"type": "tool", "name": "rate"},
            },
        ),
        ("anthropic", "text", {}),
        ("ollama", "json_object", {"format": "json"}),
        ("ollama", "text", {}),
    ],
)
def test_a_form_is_asked_for_less_strictly(name: str, form: Any, sent: dict[str, Any]) -> None:
    body_of: Callable[[Request, str], dict[str, Any]] = {
        "openai": openai.body_of,
        "anthropic": anthropic.body_of,
        "ollama": ollama.body_of,
    }[name]
    bare = Request(messages=(), schema=SCHEMA, step="rate", format=form, max_tokens=5)
    fields = ("response_format", "tools", "tool_choice", "format", "output_config")
    body = body_of(bare, "m")
    assert {name: body[name] for name in fields if name in body} == sent


def test_a_forced_tool_is_read_as_the_reply(endpoint: MockEndpoint) -> None:
    endpoint.configure(script=[SCRIPTED])
    request = Request(
        messages=REQUEST.messages, schema=SCHEMA, step="rate", format="json_object", max_tokens=5
    )
    reply = client_of("anthropic", endpoint).complete(request)
    assert (reply.text, reply.finish) == ('{"rating": 2}', "stop")


def test_error_in_a_choice_ends_its_reply_with_an_error() -> None:
    choice = {"message": {"content": "{}"}, "finish_reason": "stop", "error": {"code": 502}}
    assert read_openai(choice).finish == "error"


def test_texts_and_further_tools_of_an_anthropic_answer_are_part_of_the_reply() -> None:
    def text(*parts: dict[str, Any]) -> str:
        return anthropic.reply_of({"content": list(parts)}, "http://h", "m").text

    five: dict[str, Any] = {"type": "tool_use", "name": "rate", "input": {"rating": 5}}
    two = {"type": "tool_use", "name": "rate", "input": {"rating": 2}}
    thought = {"type": "thinking", "thinking": "Rate 1?"}
    assert text(thought, five) == '{"rating": 5}'
    assert text(five, two) == '{"rating": 5}\n{"rating": 2}'
    retracted = text(five, {"type": "text", "text": "Strike that."})
    assert retracted == '{"rating": 5}\nStrike that.'


def test_anthropic_needs_a_number_of_tokens() -> None:
    with pytest.raises(FatalError, match=r"^judge.max_tokens: expected a number") as caught:
        anthropic.body_of(Request(messages=(), schema={}, step="rate"), "m")
    assert caught.value.remedy == "Write it as: judge: {max_tokens: 2048}"


def test_further_fields_and_headers_are_sent(endpoint: MockEndpoint) -> None:
    client_of(
        "ollama", endpoint, extra={"options": {"num_ctx": 8}, "think": False}, headers={"X-Me": "1"}
    ).complete(REQUEST)
    entry = endpoint.log[-1]
    assert entry["body"]["options"] == {
        "temperature": 0.0,
        "seed": 7,
        "num_predict": 50,
        "num_ctx": 8,
    }
    assert entry["body"]["think"] is False
    assert entry["headers"]["x-me"] == "1"


@pytest.mark.parametrize(
    ("name", "more", "header", "value"),
    [
        ("openai", {}, "authorization", "Bearer sk-test-1"),
        ("openai", {"key_header": "api-key"}, "api-key", "sk-test-1"),
        ("anthropic", {}, "x-api-key", "sk-test-1"),
        ("ollama", {}, "authorization", "Bearer sk-test-1"),
    ],
)
def test_the_key_is_sent_where_the_endpoint_looks_for_it(
    name: str,
    more: dict[str, str],
    header: str,
    value: str,
    endpoint: MockEndpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VALOR_TEST_KEY", "sk-test-1\n")
    endpoint.configure(key="sk-test-1")
    client_of(name, endpoint, api_key_env="VALOR_TEST_KEY", **more).complete(REQUEST)
    headers = endpoint.log[-1]["headers"]
    assert headers[header] == value
    assert [one for one, text in headers.items() if "sk-test" in text] == [header]


def test_a_key_that_is_missing_is_an_error_before_any_call(
    endpoint: MockEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of("openai", endpoint, api_key_env="VALOR_TEST_KEY")
    parameters = JudgeParameters(cache="off")
    monkeypatch.delenv("VALOR_TEST_KEY", raising=False)
    for asks in (lambda: Judge(parameters, client), lambda: client.complete(REQUEST)):
        with refused(ResourceError) as caught:
            asks()
    monkeypatch.setenv("VALOR_TEST_KEY", "sk-tést")
    with refused(ResourceError) as caught:
        Judge(parameters, client)
    assert "tést" not in str(caught.value)
    assert endpoint.counters["requests"] == 0


# ---- answers, as endpoints give them


def read_openai(choice: dict[str, Any], **more: Any) -> Reply:
    return openai.reply_of({"choices": [choice], **more}, "http://h", "m")


@for_each(
    ("message", "finish", "text", "expected"),
    [
        ({"content": "{}"}, "stop", "{}", "stop"),
        ({"content": None}, "length", "", "length"),
        ({"content": ""}, "content_filter", "", "filter"),
        ({"content": None, "refusal": "I cannot."}, "stop", "I cannot.", "refusal"),
        ({"content": [{"type": "text", "text": "{}"}]}, "stop", "{}", "stop"),
        ({"content": [{"type": "thinking"}, {"type": "text", "text": "{}"}]}, "stop", "{}", "stop"),
        ({"content": 7}, "stop", "", "stop"),
        ({}, None, "", "other"),
        (None, "tool_calls", "", "stop"),
        ({"content": "{}"}, "model_length", "{}", "context"),
        ({"content": "{}"}, "SAFETY", "{}", "filter"),
        ({"content": "{}"}, [1], "{}", "error"),
        (
            {"content": [{"type": "refusal", "refusal": "No."}, {"type": "text", "text": "{}"}]},
            "stop",
            "{}",
            "refusal",
        ),
        ({"content": "{}", "refusal": {"reason": "policy"}}, "stop", "{}", "refusal"),
        ({"content": "{}", "refusal": ""}, "stop", "{}", "stop"),
    ],
)
def test_any_message_content_becomes_a_text(
    message: Any, finish: Any, text: str, expected: str
) -> None:
    reply = read_openai({"message": message, "finish_reason": finish})
    assert (reply.text, reply.finish) == (text, expected)


def test_cached_and_reasoning_tokens_are_reported() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    reply = read_openai({"message": {"content": ""}}, usage=usage, system_fingerprint="fp")
    assert reply.usage == Usage(prompt=100, completion=30, cached=64, reasoning=20)
    assert reply.fingerprint == "fp"


@pytest.mark.parametrize("usage", [None, 3, {"prompt_tokens": "many"}, {"prompt_tokens": -1}])
def test_missing_tokens_are_zero(usage: Any) -> None:
    assert read_openai({"message": {"content": ""}}, usage=usage).usage == Usage()


def test_anthropic_counts_cached_tokens_separately() -> None:
    expected = {
        "input_tokens": 10,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 30,
        "output_tokens": 5,
    }
    # 10 + 60 + 30 = 100 tokens of the prompt, of which 60 were read from the cache.
    assert anthropic.usage_of(expected) == Usage(prompt=100, completion=5, cached=60)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("refusal", "refusal"), (None, "other")],
)
def test_anthropic_says_why_a_reply_ended(reason: Any, finish: str) -> None:
    answer = {"content": [], "stop_reason": reason}
    reply = anthropic.reply_of(answer, "http://h", "m")
    assert (reply.text, reply.finish) == ("", finish)


@pytest.mark.parametrize("choices", [None, [], [None], {}, "none"])
def test_an_answer_without_a_choice_may_have_one_next_time(choices: Any) -> None:
    with pytest.raises(
        TransientError, match=r"^http://h: expected a choice in the answer, found none$"
    ):
        openai.reply_of({"choices": choices}, "http://h", "m")


@pytest.mark.parametrize("answer", [{}, {"content": None}, {"message": None}])
def test_an_answer_of_another_dialect_is_no_reply(answer: Any) -> None:
    with pytest.raises(TransientError, match=r"^http://h: expected a list of content"):
        anthropic.reply_of(answer, "http://h", "m")
    with pytest.raises(TransientError, match=r"^http://h: expected a message in the answer"):
        ollama.reply_of(answer, "http://h", "m")


def test_the_likeliest_tokens_come_with_their_probabilities(endpoint: MockEndpoint) -> None:
    request = Request(
        messages=REQUEST.messages, schema=SCHEMA, step="rate", probabilities=True, alternatives=3
    )
    reply = client_of("openai", endpoint).complete(request)
    assert "".join(one.token for one in reply.tokens) == reply.text
    sent = endpoint.log[-1]["body"]
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 3)
    (rated,) = [one for one in reply.tokens if len(one.choices) > 1]
    assert {choice.strip() for choice in rated.choices} == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("expected", "tokens"),
    [
        (None, ()),
        ([{"token": "1", "logprob": -0.5}], (TokenChoice("1", {"1": -0.5}),)),
        (
            [{"token": "1", "logprob": -0.5, "top_logprobs": [{"token": "2", "logprob": -1}]}],
            (TokenChoice("1", {"2": -1.0, "1": -0.5}),),
        ),
        ([{"token": "1", "top_logprobs": [None, {"token": 3}]}], (TokenChoice("1", {}),)),
        ([None], (TokenChoice("", {}),)),
    ],
)
def test_valid_token_probabilities_are_read(expected: Any, tokens: Any) -> None:
    assert openai.tokens_of(expected) == tokens


def test_query_and_headers_identify_a_deployment_and_the_key_does_not() -> None:
    def identity(query: str = "", **headers: str) -> dict[str, Any]:
        url = f"http://127.0.0.1:9/v1{query}"
        return openai_endpoint(
            OpenAIParameters(base_url=url, model="m", headers=headers)
        ).identity()

    plain = identity()
    others = [identity("?deployment=b"), identity(region="east"), identity(region="west")]

    assert all(one != plain for one in others)
    assert others[1] != others[2]
    assert identity(Authorization="Bearer abc") == plain
