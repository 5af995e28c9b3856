"""Anthropic: an endpoint for messages."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from valor_llm.clients.batches import PATIENCE, BatchCalls
from valor_llm.clients.endpoint import Dialect, Endpoint
from valor_llm.clients.fields import count, finish_of, mapping, text_of
from valor_llm.clients.http.faults import fault, message_in
from valor_llm.clients.protocol import (
    ClientError,
    FatalError,
    Reply,
    Request,
    TransientError,
    Usage,
)
from valor_llm.parameters.clients import AnthropicParameters

_THOUGHTS = ("thinking", "redacted_thinking")


def body_of(request: Request, model: str) -> dict[str, Any]:
    """Convert a request to the body of a call.

    A schema is sent as the output format; the fallback is a forced tool call, for models without
    that format.

    Examples
    --------
    >>> request = Request(messages=(), schema={}, step="claims", format="text", max_tokens=9)
    >>> body_of(request, "small")
    {'model': 'small', 'max_tokens': 9, 'messages': []}
    """
    if request.max_tokens is None:
        raise FatalError(
            "judge.max_tokens: expected a number, the endpoint asks for one",
            "Write it as: judge: {max_tokens: 2048}",
        )
    messages = [{"role": one.role, "content": one.content} for one in request.messages]
    system = "\n\n".join(one["content"] for one in messages if one["role"] == "system")
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": [one for one in messages if one["role"] != "system"],
    }
    if system:
        body["system"] = system
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.format == "json_schema":
        body["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
    elif request.format == "json_object":
        body["tools"] = [{"name": request.step, "input_schema": request.schema}]
        body["tool_choice"] = {"type": "tool", "name": request.step}
    return body


def reply_of(answer: Mapping[str, Any], place: str, model: str) -> Reply:
    """The reply in an answer of the endpoint.

    Raises
    ------
    TransientError
        If it has none.

    Examples
    --------
    >>> answer = {"content": [{"type": "text", "text": "{}"}], "stop_reason": "end_turn"}
    >>> reply_of(answer, "http://localhost", "small")
    Reply(text='{}', model='small', finish='stop', ...)
    """
    content = answer.get("content")
    if not isinstance(content, list):
        usage = usage_of(mapping(answer.get("usage")))
        raise TransientError(
            f"{place}: expected a list of content in the answer, found none", usage=usage
        )
    return Reply(
        text=_text_of(content),
        model=str(answer.get("model") or model),
        finish=finish_of(answer.get("stop_reason")),
        usage=usage_of(mapping(answer.get("usage"))),
        reasoned=any(mapping(one).get("type") in _THOUGHTS for one in content),
    )


def _text_of(content: Sequence[Any]) -> str:
    r"""The texts of an answer, and the inputs of tools as JSON, in their order.

    Examples
    --------
    >>> _text_of([{"type": "tool_use", "input": {"rating": 5}}, {"type": "text", "text": "No."}])
    '{"rating": 5}\nNo.'
    """
    parts = [mapping(one) for one in content]
    if not any(one.get("type") == "tool_use" for one in parts):
        return text_of(content)
    texts = (
        json.dumps(one.get("input"), ensure_ascii=False)
        if one.get("type") == "tool_use"
        else text_of([one])
        for one in parts
    )
    return "\n".join(filter(None, texts))


def usage_of(counts: Mapping[str, Any]) -> Usage:
    """Return the tokens of a call; cache reads and writes are part of the prompt."""
    cached = count(counts.get("cache_read_input_tokens"))
    written = count(counts.get("cache_creation_input_tokens"))
    return Usage(
        prompt=count(counts.get("input_tokens")) + cached + written,
        completion=count(counts.get("output_tokens")),
        cached=cached,
    )


_PATH = "/v1/messages/batches"

_STATUS: Mapping[Any, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class AnthropicBatches(BatchCalls):
    """The batches of an endpoint for messages."""

    most_requests: ClassVar[int] = 100_000
    most_bytes: ClassVar[int] = 240_000_000

    def line(self, key: str, request: Request) -> bytes:
        """Return the line of a request in a batch."""
        asked = {"custom_id": key, "params": self.client.body(request)}
        return json.dumps(asked).encode()

    def submit(self, lines: Sequence[bytes]) -> str:
        """Send a batch; its name."""
        body = b'{"requests": [' + b", ".join(lines) + b"]}"
        received = self._transport.exchange("POST", _PATH, body, deadline=PATIENCE)
        return self._id(self._transport.parsed(received.data), "batch")

    def results(self, batch: str) -> Mapping[str, Reply | ClientError] | None:
        """Return the replies of a batch by key, or None while it is in progress."""
        path = f"{_PATH}/{batch}"
        with self._known(batch):
            received = self._transport.exchange("GET", path, deadline=PATIENCE)
            if self._transport.parsed(received.data).get("processing_status") != "ended":
                return None
            # The address that the batch names is not followed: it could lead the key elsewhere.
            return self._replies([f"{path}/results"], headers={"accept": "*/*"})

    def _outcome(self, line: Mapping[str, Any]) -> Reply | ClientError:
        """Return the reply to one request, or its error."""
        result = mapping(line.get("result"))
        kind = result.get("type")
        if kind == "succeeded":
            return self._reply(mapping(result.get("message")))
        if kind != "errored":
            return self._lost(f"the request was {kind or 'lost'}")
        outer = mapping(result.get("error"))
        inner = mapping(outer.get("error")) or outer
        status = _STATUS.get(inner.get("type"), 500)
        said = message_in({"error": inner})
        return fault(status, {}, said, self.client.endpoint, time.time())


ANTHROPIC = Dialect(
    name="anthropic",
    path="/v1/messages",
    body_of=body_of,
    reply_of=reply_of,
    key_header="x-api-key",
    lacks=("seed", "probabilities", "list_lengths"),
    batches=AnthropicBatches,
    sdk_method="messages.create",
    sdk_arguments=("model", "messages", "max_tokens"),
)


def anthropic_endpoint(parameters: AnthropicParameters) -> Endpoint:
    """Create the client of a messages endpoint."""
    return Endpoint(parameters, ANTHROPIC, headers={"anthropic-version": parameters.version})
