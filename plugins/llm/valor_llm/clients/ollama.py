"""Ollama: its own chat endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from valor_llm.clients.endings import finish_of
from valor_llm.clients.endpoint import Endpoint
from valor_llm.clients.fields import count, mapping, text_of
from valor_llm.clients.openai import tokens_of
from valor_llm.clients.protocol import Passing, Reply, Request, Usage


class Ollama(Endpoint):
    """A model that Ollama runs."""

    path: ClassVar[str] = "/api/chat"

    def body(self, request: Request) -> dict[str, Any]:
        """A request as the endpoint takes it."""
        return body_of(request, self.model)

    def reply(self, answer: Mapping[str, Any]) -> Reply:
        """The reply in an answer."""
        return reply_of(answer, self.endpoint, self.model)


def body_of(request: Request, model: str) -> dict[str, Any]:
    """A request as the endpoint takes it.

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
    Passing
        If it has none.

    Examples
    --------
    >>> answer = {"message": {"content": "{}"}, "done": True, "done_reason": "stop"}
    >>> reply_of(answer, "http://localhost:11434", "small")
    Reply(text='{}', model='small', finish='stop', ...)
    """
    if not isinstance(answer.get("message"), Mapping):
        raise Passing(f"{place}: expected a message in the answer, found none")
    if answer.get("done") is False:
        raise Passing(f"{place}: expected a whole answer, found a part of one")
    return Reply(
        text=text_of(mapping(answer["message"]).get("content")),
        model=str(answer.get("model") or model),
        finish=finish_of(answer.get("done_reason")),
        reasoned=bool(mapping(answer["message"]).get("thinking")),
        usage=Usage(
            prompt=count(answer.get("prompt_eval_count")),
            completion=count(answer.get("eval_count")),
        ),
        tokens=tokens_of(answer.get("logprobs")),
    )
