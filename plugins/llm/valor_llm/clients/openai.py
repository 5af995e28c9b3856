"""OpenAI: any chat endpoint with OpenAI's API.

Besides OpenAI these are Azure, vLLM, llama.cpp, LM Studio, Ollama, Mistral, Groq, Together,
OpenRouter and more.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from valor_llm.clients.batches import PATIENCE, BatchCalls, BatchGone, json_or_none
from valor_llm.clients.endpoint import Dialect, Endpoint
from valor_llm.clients.fields import count, finish_of, mapping, text_of
from valor_llm.clients.http.faults import fault, said
from valor_llm.clients.protocol import (
    ClientError,
    FatalError,
    Reply,
    Request,
    TokenChoice,
    TransientError,
    Usage,
)
from valor_llm.parameters.clients import OpenAIParameters


def body_of(request: Request, model: str) -> dict[str, Any]:
    """Convert a request to the body of a call.

    Examples
    --------
    >>> body_of(Request(messages=(), schema={}, step="claims", format="text", seed=1), "small")
    {'model': 'small', 'messages': [], 'seed': 1}
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": one.role, "content": one.content} for one in request.messages],
    }
    if request.format == "json_schema":
        schema = {"name": request.step, "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.format == "json_object":
        body["response_format"] = {"type": "json_object"}
    if request.probabilities:
        body |= {"logprobs": True, "top_logprobs": request.alternatives}
    settings = {
        "temperature": request.temperature,
        "seed": request.seed,
        request.max_tokens_key: request.max_tokens,
    }
    return body | {name: value for name, value in settings.items() if value is not None}


def reply_of(answer: Mapping[str, Any], place: str, model: str) -> Reply:
    """The reply in an answer of the endpoint.

    Raises
    ------
    TransientError
        If it has none.

    Examples
    --------
    >>> choice = {"message": {"content": "{}"}, "finish_reason": "stop"}
    >>> reply_of({"choices": [choice], "model": "small-1"}, "http://localhost/v1", "small")
    Reply(text='{}', model='small-1', finish='stop', ...)
    """
    choices = answer.get("choices")
    listed = [mapping(one) for one in choices] if isinstance(choices, list) else []
    usage = usage_of(mapping(answer.get("usage")))
    if not any(listed):
        raise TransientError(f"{place}: expected a choice in the answer, found none", usage=usage)
    if len(listed) > 1:
        found = f"found {len(listed)}"
        raise TransientError(f"{place}: expected one choice in the answer, {found}", usage=usage)
    (choice,) = listed
    message = mapping(choice.get("message"))
    text, content = text_of(message.get("content")), message.get("content")
    parts = map(mapping, content if isinstance(content, list) else ())
    refusals = [message, *(one for one in parts if one.get("type") == "refusal")]
    refusal = " ".join(text_of(one.get("refusal")) for one in refusals).strip()
    finish = finish_of(choice.get("finish_reason"))
    if len(refusals) > 1 or message.get("refusal"):
        finish = "refusal"
    elif choice.get("error"):
        finish = "error"
    fingerprint = answer.get("system_fingerprint")
    return Reply(
        text=text or refusal,
        model=str(answer.get("model") or model),
        finish=finish,
        usage=usage,
        tokens=tokens_of(mapping(choice.get("logprobs")).get("content")),
        fingerprint=fingerprint if isinstance(fingerprint, str) else None,
        reasoned=any(message.get(name) for name in ("reasoning_content", "reasoning", "thinking")),
    )


def usage_of(counts: Mapping[str, Any]) -> Usage:
    """Tokens of a call, as the endpoint counts them.

    If the total is below the sum of its parts, no count is used. A larger total includes reasoning,
    which some endpoints do not count as tokens of the reply.

    Examples
    --------
    >>> usage_of({"prompt_tokens": 90, "completion_tokens": 20, "total_tokens": 150})
    Usage(prompt=90, completion=60, cached=0, reasoning=0)
    """
    prompt, completion = count(counts.get("prompt_tokens")), count(counts.get("completion_tokens"))
    total = count(counts.get("total_tokens"))
    if total and total < prompt + completion:
        return Usage()
    if total and prompt and completion:
        completion = total - prompt
    return Usage(
        prompt=prompt,
        completion=completion,
        cached=count(mapping(counts.get("prompt_tokens_details")).get("cached_tokens")),
        reasoning=count(mapping(counts.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def tokens_of(logprobs: Any) -> tuple[TokenChoice, ...]:
    """Return the tokens of a reply, each with its likeliest alternatives."""
    tokens = []
    for one in map(mapping, logprobs if isinstance(logprobs, list) else ()):
        alternatives = [mapping(entry) for entry in one.get("top_logprobs") or [] if entry]
        choices = {
            entry["token"]: float(entry["logprob"])
            for entry in [*alternatives, one]
            if isinstance(entry.get("token"), str)
            and isinstance(entry.get("logprob"), (int, float))
        }
        tokens.append(TokenChoice(str(one.get("token", "")), choices))
    return tuple(tokens)


_ENDED = ("completed", "expired", "cancelled")
_FULL = "token_limit_exceeded"


class OpenAIBatches(BatchCalls):
    """The batches of a chat endpoint."""

    most_requests: ClassVar[int] = 50_000
    most_bytes: ClassVar[int] = 190_000_000

    def __init__(self, client: Endpoint) -> None:
        super().__init__(client)
        self._url = "/v1" + client.dialect.path

    def line(self, key: str, request: Request) -> bytes:
        """Return the line of a request in a batch."""
        record = {"custom_id": key, "method": "POST", "url": self._url}
        return json.dumps(record | {"body": self.client.body(request)}).encode() + b"\n"

    def submit(self, lines: Sequence[bytes]) -> str:
        """Send a batch; its name."""
        file = self._uploaded(b"".join(lines))
        body = {"input_file_id": file, "endpoint": self._url, "completion_window": "24h"}
        answer = self._transport.post("/batches", body, PATIENCE)
        return self._id(answer, "batch")

    def results(self, batch: str) -> Mapping[str, Reply | ClientError] | None:
        """Return the replies of a batch by key, or None while it is in progress."""
        with self._known(batch):
            received = self._transport.exchange("GET", f"/batches/{batch}", deadline=PATIENCE)
        # Not parsed as an answer to a call: a batch reports its errors in addition to its state.
        state = mapping(json_or_none(received.data))
        if state.get("status") == "failed":
            raise self._failed(batch, state)
        if state.get("status") not in _ENDED:
            return None
        files = (state.get(name) for name in ("output_file_id", "error_file_id"))
        return self._replies(f"/files/{file}/content" for file in files if isinstance(file, str))

    def _uploaded(self, content: bytes) -> str:
        """Name of a file that has been sent."""
        between = f"valor-{secrets.token_hex(16)}"
        parts = (
            f'--{between}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f"--{between}\r\n"
            'Content-Disposition: form-data; name="file"; filename="questions.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        ).encode()
        received = self._transport.exchange(
            "POST",
            "/files",
            parts + content + f"\r\n--{between}--\r\n".encode(),
            headers={"content-type": f"multipart/form-data; boundary={between}"},
            deadline=PATIENCE,
        )
        return self._id(self._transport.parsed(received.data), "file")

    def _failed(self, batch: str, state: Mapping[str, Any]) -> ClientError:
        """Reason why a batch was not started."""
        data = mapping(state.get("errors")).get("data")
        first = mapping(data[0]) if isinstance(data, list) and data else {}
        why = first.get("message") or "no reason given"
        reason = f"{self.client.endpoint}: batch {batch} failed, {why}"
        if first.get("code") == _FULL:
            return BatchGone(reason)
        return FatalError(reason, "Fix the fault that the endpoint reports, and run again")

    def _outcome(self, line: Mapping[str, Any]) -> Reply | ClientError:
        """Return the reply to one request, or its error."""
        response = mapping(line.get("response"))
        body, status = mapping(response.get("body")), count(response.get("status_code"))
        if not response or line.get("error"):
            return self._lost(str(mapping(line.get("error")).get("message") or "no answer"))
        if status >= 300 or body.get("error"):
            words = said(json.dumps(body).encode())
            status = status if status >= 300 else 500
            return fault(status, {}, words, self.client.endpoint, time.time())
        return self._reply(body)


OPENAI = Dialect(
    name="openai",
    path="/chat/completions",
    body_of=body_of,
    reply_of=reply_of,
    longer="Raise the context window of the server, or shorten the texts. Ollama takes no window "
    "through /v1: use judge.client.name: ollama, or set OLLAMA_CONTEXT_LENGTH where it runs",
    batches=OpenAIBatches,
    sdk_method="chat.completions.create",
    sdk_arguments=("model", "messages"),
)


def openai_endpoint(parameters: OpenAIParameters) -> Endpoint:
    """Create the client of a chat endpoint."""
    return Endpoint(parameters, OPENAI, key_header=parameters.key_header)
