"""SDKs: a client object of the package `openai` or `anthropic` as a client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from attrs import frozen

from valor_core.errors import ResourceError
from valor_llm.clients import anthropic, openai
from valor_llm.clients.callable import fault_of
from valor_llm.clients.fields import merged
from valor_llm.clients.http.secrets import hidden
from valor_llm.clients.protocol import Client, ClientError, Reply, Request


@frozen
class _Dialect:
    """How an SDK is asked."""

    name: str
    create: Callable[[Any], Callable[..., Any]]
    body_of: Callable[[Request, str], dict[str, Any]]
    reply_of: Callable[[Mapping[str, Any], str, str], Reply]
    arguments: tuple[str, ...]
    """Fields that every version has an argument for; others come and go with versions."""
    lacks: tuple[str, ...]


_OPENAI = _Dialect(
    "openai",
    lambda client: client.chat.completions.create,
    openai.body_of,
    openai.reply_of,
    ("model", "messages"),
    (),
)
_ANTHROPIC = _Dialect(
    "anthropic",
    lambda client: client.messages.create,
    anthropic.body_of,
    anthropic.reply_of,
    ("model", "messages", "max_tokens"),
    anthropic.Anthropic.lacks,
)


class _Sdk:
    """What an SDK's client tells as a client, whichever way it is called."""

    is_remote: ClassVar[bool] = True

    def __init__(
        self, client: Any, dialect: _Dialect, model: str, extra: Mapping[str, Any]
    ) -> None:
        self.lacks = dialect.lacks
        self._client, self._dialect, self._model = client, dialect, model
        self._extra = dict(extra)
        # Its own attempts would be counted by nobody.
        once = client.with_options(max_retries=0) if hasattr(client, "with_options") else client
        self._create = dialect.create(once)

    @property
    def endpoint(self) -> str:
        """Its address."""
        address = str(getattr(self._client, "base_url", type(self._client).__name__))
        return address.partition("?")[0].rstrip("/")

    @property
    def model(self) -> str:
        """The model that is asked for."""
        return self._model

    def identity(self) -> dict[str, Any]:
        """What of it can change a number."""
        told = {"endpoint": self.endpoint, "dialect": self._dialect.name, "model": self.model}
        return told | ({"extra": repr(sorted(self._extra.items()))} if self._extra else {})

    def _arguments(self, request: Request) -> dict[str, Any]:
        body = merged(self._dialect.body_of(request, self._model), self._extra)
        named = {name: body.pop(name) for name in self._dialect.arguments}
        return {**named, "extra_body": body, "timeout": request.deadline}

    def _reply(self, answer: Any) -> Reply:
        read = answer if isinstance(answer, Mapping) else answer.model_dump()
        return self._dialect.reply_of(read, self.endpoint, self._model)

    def _fault(self, error: Exception) -> ClientError:
        found = fault_of(error, self.endpoint)
        key = getattr(self._client, "api_key", None)
        if isinstance(key, str):
            found.args = tuple(hidden(str(one), [key]) for one in found.args)
        return found


class _Blocking(_Sdk):
    def complete(self, request: Request) -> Reply:
        """One reply."""
        try:
            return self._reply(self._create(**self._arguments(request)))
        except Exception as error:
            raise self._fault(error) from None


class _Awaited(_Sdk):
    async def complete(self, request: Request) -> Reply:
        """One reply."""
        try:
            return self._reply(await self._create(**self._arguments(request)))
        except Exception as error:
            raise self._fault(error) from None


def from_sdk(client: Any, *, model: str, extra: Mapping[str, Any] | None = None) -> Client:
    """A client that asks through an `OpenAI`, `AsyncOpenAI`, `Anthropic` or `AsyncAnthropic`.

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
        dialect = _OPENAI
    elif hasattr(getattr(client, "messages", None), "create"):
        dialect = _ANTHROPIC
    else:
        raise ResourceError(
            f"judge.client: expected a client of openai or anthropic, got {type(client).__name__}",
            "Use valor_llm.clients.callable.from_callable for a function of your own",
        )
    is_awaited = any(cls.__name__.startswith("Async") for cls in type(client).__mro__)
    return (_Awaited if is_awaited else _Blocking)(client, dialect, model, extra or {})
