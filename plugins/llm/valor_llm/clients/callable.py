"""Callables: any Python function as a client."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

from valor_llm.clients.http.faults import fault, told, wrong_key
from valor_llm.clients.protocol import Client, ClientError, Passing, Reply, Request

Messages = list[dict[str, str]]
Said = str | Reply


class _Function:
    """What a function tells as a client, whichever way it is called."""

    is_remote: ClassVar[bool] = True
    lacks: ClassVar[tuple[str, ...]] = ("format", "temperature", "seed", "max_tokens")

    def __init__(self, function: Callable[[Messages], Any], model: str, endpoint: str) -> None:
        self._function = function
        self._model, self._endpoint = model, endpoint

    @property
    def endpoint(self) -> str:
        """Where the replies come from."""
        return self._endpoint

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._model

    def identity(self) -> dict[str, Any]:
        """What of it can change a number."""
        return {"endpoint": self.endpoint, "model": self.model}

    def _reply(self, said: Any) -> Reply:
        if isinstance(said, str):
            return Reply(text=said, model=self._model)
        if isinstance(said, Reply):
            return said
        raise ClientError(
            f"{self._endpoint}: expected a text or a Reply, got {type(said).__name__}"
        )


class _Blocking(_Function):
    def complete(self, request: Request) -> Reply:
        """One reply."""
        try:
            return self._reply(self._function(_messages(request)))
        except Exception as error:
            raise fault_of(error, self._endpoint) from error


class _Awaited(_Function):
    async def complete(self, request: Request) -> Reply:
        """One reply."""
        try:
            return self._reply(await self._function(_messages(request)))
        except Exception as error:
            raise fault_of(error, self._endpoint) from error


def from_callable(
    function: Callable[[Messages], Said | Awaitable[Said]],
    *,
    model: str,
    endpoint: str | None = None,
) -> Client:
    """A client that calls a function.

    Parameters
    ----------
    function : callable
        Gets a list of messages, each with ``"role"`` and ``"content"``, and returns a text or a
        `Reply`. It is called on several threads at once; one that is an ``async def`` is awaited
        on Valor's event loop.
    model : str
        What it asks, for reports and for the cache: replies are taken from it only where this and
        `endpoint` are the same.
    endpoint : str, optional
        What reports and the cache call it; the function's name unless given.

    Examples
    --------
    >>> client = from_callable(lambda messages: '{"claims": []}', model="none", endpoint="mine")
    >>> client.complete(Request(messages=(), schema={}, step="claims")).text
    '{"claims": []}'
    """
    name = getattr(function, "__qualname__", type(function).__qualname__)
    place = endpoint or f"{getattr(function, '__module__', '')}.{name}"
    call = getattr(function, "__call__", None)  # noqa: B004 - may be a coroutine function itself
    is_awaited = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
    return (_Awaited if is_awaited else _Blocking)(function, model, place)


def fault_of(error: Exception, place: str) -> ClientError:
    """What an exception means for further calls; those of HTTP clients have a status.

    Examples
    --------
    >>> fault_of(TimeoutError("too slow"), "mine")
    Passing('mine: TimeoutError, too slow')
    """
    if isinstance(error, ClientError):
        return error
    status = getattr(error, "status_code", None)
    text = " ".join(str(error).split())[:400]
    if isinstance(status, int) and status >= 400:
        answer = getattr(error, "response", None)
        headers = getattr(answer, "headers", None)
        names = {str(k).lower(): str(v) for k, v in headers.items()} if headers else {}
        body = getattr(error, "body", None)
        said = told(body) if isinstance(body, Mapping) else text
        key = wrong_key(body) or wrong_key({"message": said})
        return fault(status, names, said, place, time.time(), key)
    reason = f"{place}: {type(error).__name__}{', ' if text else ''}{text}"
    kinds = {cls.__name__ for cls in type(error).__mro__}
    is_passing = isinstance(error, (TimeoutError, ConnectionError)) or "APIConnectionError" in kinds
    return Passing(reason) if is_passing else ClientError(reason)


def _messages(request: Request) -> Messages:
    return [{"role": one.role, "content": one.content} for one in request.messages]
