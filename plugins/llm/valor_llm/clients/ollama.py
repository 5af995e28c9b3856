"""API of Ollama's chat endpoint.

Ollama cuts a prompt to its context window without an error, so each request asks for a window that
has room for the prompt and the reply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from threading import Lock
from typing import Any

from valor_llm.clients.endpoint import Dialect, Endpoint
from valor_llm.clients.fields import count, finish_of, mapping, merged, text_of
from valor_llm.clients.openai import tokens_of
from valor_llm.clients.protocol import ClientError, Reply, Request, TransientError, Usage
from valor_llm.parameters.clients import OllamaParameters

_SMALLEST = 4096
"""Default of most versions of Ollama."""

_REPLY = 2048
"""Tokens of a reply whose length is not limited."""

_TEMPLATE = 256
"""Tokens that the chat template of a model may add."""

_LETTERS = re.compile(r"[A-Za-z\s]+")


class GrowingWindow:
    """Context window that doubles until it has room for the longest prompt so far.

    Ollama reloads a model to change the window. Hence there are few sizes, and the window never
    shrinks during a run.

    Parameters
    ----------
    parameters : OllamaParameters
        Largest window, and a fixed one in ``extra.options.num_ctx``.
    """

    def __init__(self, parameters: OllamaParameters) -> None:
        self._most = parameters.max_num_ctx
        self._size = min(_SMALLEST, self._most)
        self._growing = Lock()
        self._is_fixed = "num_ctx" in mapping(parameters.extra.get("options"))

    def check(self, request: Request) -> None:
        """Raise a `ClientError` for a prompt that may exceed the largest window."""
        if not self._is_fixed and (tokens := tokens_at_most(request)) > self._most:
            length = sum(len(message.content) for message in request.messages)
            raise ClientError(
                f"judge.client.max_num_ctx: expected room for a prompt of {length:,} characters "
                f"and its reply, up to {tokens:,} tokens, got {self._most:,}. Raise "
                "judge.client.max_num_ctx, or shorten the texts"
            )

    def sized(self, body: dict[str, Any], request: Request) -> dict[str, Any]:
        """Return the body with the size of the window."""
        if self._is_fixed:
            return body
        needed = tokens_at_most(request)
        with self._growing:
            while self._size < min(needed, self._most):
                self._size = min(2 * self._size, self._most)
            return merged(body, {"options": {"num_ctx": self._size}})


def tokens_at_most(request: Request) -> int:
    """Upper estimate of the tokens of a prompt and its reply.

    Prose has at least four letters per token. Digits, punctuation and bytes of other alphabets may
    have one token each in small vocabularies, but usually three bytes share one.

    Examples
    --------
    >>> from valor_llm.clients.protocol import Message
    >>> messages = (Message("user", "It rains today. " * 100),)  # 1,500 letters, 100 periods
    >>> tokens_at_most(Request(messages=messages, schema={}, step="claims", max_tokens=1000))
    1856
    """
    text = "".join(message.content for message in request.messages)
    letters = sum(map(len, _LETTERS.findall(text)))
    size = len(_LETTERS.sub("", text).encode(errors="replace"))
    beyond = sum(character > "\x7f" for character in text) if not text.isascii() else 0
    signs = len(text) - letters - beyond
    prompt = letters / 3 + signs + (size - signs) / 2.5
    return int(prompt) + (request.max_tokens or _REPLY) + _TEMPLATE


def body_of(request: Request, model: str) -> dict[str, Any]:
    """Convert a request to the body of a call.

    Examples
    --------
    >>> body_of(Request(messages=(), schema={}, step="claims", format="json_object"), "small")
    {'model': 'small', 'messages': [], 'stream': False, 'format': 'json'}
    """
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": one.role, "content": one.content} for one in request.messages],
        "stream": False,
    }
    if request.format == "json_schema":
        body["format"] = request.schema
    elif request.format == "json_object":
        body["format"] = "json"
    if request.probabilities:
        body |= {"logprobs": True, "top_logprobs": request.alternatives}
    settings = {
        "temperature": request.temperature,
        "seed": request.seed,
        "num_predict": request.max_tokens,
    }
    options = {name: value for name, value in settings.items() if value is not None}
    return body | ({"options": options} if options else {})


def reply_of(answer: Mapping[str, Any], place: str, model: str) -> Reply:
    """The reply in an answer of the endpoint.

    Raises
    ------
    TransientError
        If it has none.

    Examples
    --------
    >>> answer = {"message": {"content": "{}"}, "done": True, "done_reason": "stop"}
    >>> reply_of(answer, "http://localhost:11434", "small")
    Reply(text='{}', model='small', finish='stop', ...)
    """
    usage = Usage(
        prompt=count(answer.get("prompt_eval_count")), completion=count(answer.get("eval_count"))
    )
    if not isinstance(answer.get("message"), Mapping):
        raise TransientError(f"{place}: expected a message in the answer, found none", usage=usage)
    if answer.get("done") is False:
        raise TransientError(f"{place}: expected a whole answer, found a part of one", usage=usage)
    return Reply(
        text=text_of(mapping(answer["message"]).get("content")),
        model=str(answer.get("model") or model),
        finish=finish_of(answer.get("done_reason")),
        reasoned=bool(mapping(answer["message"]).get("thinking")),
        usage=usage,
        tokens=tokens_of(answer.get("logprobs")),
    )


OLLAMA = Dialect(
    name="ollama",
    path="/api/chat",
    body_of=body_of,
    reply_of=reply_of,
    longer="Use a model with a longer context window and raise judge.client.max_num_ctx, or "
    "shorten the texts",
    window=GrowingWindow,
)


def ollama_endpoint(parameters: OllamaParameters) -> Endpoint:
    """Create the client of a model that Ollama runs."""
    return Endpoint(parameters, OLLAMA)
