"""Clients that call through an SDK: client objects of the packages `openai` and `anthropic`."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from valor_core.errors import ResourceError
from valor_llm.clients.anthropic import ANTHROPIC
from valor_llm.clients.callable import Adapter, fault_of
from valor_llm.clients.fields import merged
from valor_llm.clients.http.secrets import hidden
from valor_llm.clients.openai import OPENAI
from valor_llm.clients.protocol import Client, ClientError, Reply, Request


def from_sdk(client: Any, *, model: str, extra: Mapping[str, Any] | None = None) -> Client:
    """Create a client from an `OpenAI`, `AsyncOpenAI`, `Anthropic` or `AsyncAnthropic`.

    An asynchronous one is awaited on Valor's event loop, so it must not have been used on another.

    Parameters
    ----------
    client : object
        The SDK's client, with its address, key and proxies.
    model : str
        Name of the model.
    extra : mapping, optional
        Further fields of the body of every call.

    Raises
    ------
    ResourceError
        If it is no client of one of the two.
    """
    if hasattr(getattr(client, "chat", None), "completions"):
        dialect = OPENAI
    elif hasattr(getattr(client, "messages", None), "create"):
        dialect = ANTHROPIC
    else:
        raise ResourceError(
            f"judge.client: expected a client of openai or anthropic, got {type(client).__name__}",
            "Use valor_llm.clients.callable.from_callable for a custom function",
        )
    # The judge counts and budgets every attempt, so the SDK must not retry on its own.
    once = client.with_options(max_retries=0) if hasattr(client, "with_options") else client
    create = attrgetter(dialect.sdk_method)(once)
    address = str(getattr(client, "base_url", type(client).__name__))
    endpoint = address.partition("?")[0].rstrip("/")
    more = dict(extra or {})
    identity = {"endpoint": endpoint, "dialect": dialect.name, "model": model}

    def call(request: Request) -> Any:
        body = merged(dialect.body_of(request, model), more)
        named = {name: body.pop(name) for name in dialect.sdk_arguments}
        return create(**named, extra_body=body, timeout=request.deadline)

    def read(answer: Any) -> Reply:
        table = answer if isinstance(answer, Mapping) else answer.model_dump()
        return dialect.reply_of(table, endpoint, model)

    def fault(error: Exception) -> ClientError:
        found = fault_of(error, endpoint)
        key = getattr(client, "api_key", None)
        if isinstance(key, str):
            found.args = tuple(hidden(str(one), [key]) for one in found.args)
        return found

    return Adapter(
        endpoint=endpoint,
        model=model,
        identity=identity | ({"extra": repr(sorted(more.items()))} if more else {}),
        lacks=dialect.lacks,
        call=call,
        read=read,
        fault=fault,
        is_awaited=any(cls.__name__.startswith("Async") for cls in type(client).__mro__),
    )
