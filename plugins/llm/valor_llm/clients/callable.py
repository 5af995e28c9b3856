"""Callables: any Python function as a client."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from attrs import frozen

from valor_llm.clients.http.faults import fault, message_in, wrong_key
from valor_llm.clients.protocol import Client, ClientError, Reply, Request, TransientError

Messages = list[dict[str, str]]
Said = str | Reply


@frozen(kw_only=True)
class Adapter:
    """Client that calls a Python function.

    Parameters
    ----------
    endpoint, model : str
        Names for the report.
    identity : mapping of str to object
        Everything that can change a reply, for the cache.
    lacks : tuple of str
        Capabilities that cannot be requested, as in `Client`.
    call : callable
        Answers a request; its result is awaited if `is_awaited`.
    read : callable
        Converts the answer to a reply.
    fault : callable
        Converts an exception to a `ClientError`.
    is_awaited : bool
        Whether `complete` is a coroutine function.
    """

    is_remote: ClassVar[bool] = True

    endpoint: str
    model: str
    lacks: tuple[str, ...]
    _identity: Mapping[str, Any]
    _call: Callable[[Request], Any]
    _read: Callable[[Any], Reply]
    _fault: Callable[[Exception], ClientError]
    _is_awaited: bool

    @property
    def complete(self) -> Callable[[Request], Any]:
        """Function or coroutine function that returns the reply to a request."""
        return self._awaited if self._is_awaited else self._blocking

    def _blocking(self, request: Request) -> Reply:
        try:
            return self._read(self._call(request))
        except Exception as error:
            raise self._fault(error) from None

    async def _awaited(self, request: Request) -> Reply:
        try:
            return self._read(await self._call(request))
        except Exception as error:
            raise self._fault(error) from None

    def identity(self) -> dict[str, Any]:
        """Return everything that can change a reply."""
        return dict(self._identity)


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
        `Reply`. It is called from several threads at once; an ``async def`` is awaited
        on Valor's event loop.
    model : str
        Name of the model in reports and in the cache: cached replies are used only if this and
        `endpoint` are the same.
    endpoint : str, optional
        Name of the endpoint in reports and in the cache. Defaults to the function's name.

    Examples
    --------
    >>> client = from_callable(lambda messages: '{"claims": []}', model="none", endpoint="mine")
    >>> client.complete(Request(messages=(), schema={}, step="claims")).text
    '{"claims": []}'
    """
    name = getattr(function, "__qualname__", type(function).__qualname__)
    endpoint_name = endpoint or f"{getattr(function, '__module__', '')}.{name}"
    method = getattr(function, "__call__", None)  # noqa: B004 - may be a coroutine function itself
    return Adapter(
        endpoint=endpoint_name,
        model=model,
        identity={"endpoint": endpoint_name, "model": model},
        lacks=("format", "temperature", "seed", "max_tokens"),
        call=partial(_call, function),
        read=partial(_read, endpoint_name, model),
        fault=partial(fault_of, place=endpoint_name),
        is_awaited=inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method),
    )


def _call(function: Callable[[Messages], Any], request: Request) -> Any:
    return function([{"role": one.role, "content": one.content} for one in request.messages])


def _read(place: str, model: str, answer: Any) -> Reply:
    if isinstance(answer, str):
        return Reply(text=answer, model=model)
    if isinstance(answer, Reply):
        return answer
    raise ClientError(f"{place}: expected a text or a Reply, got {type(answer).__name__}")


def fault_of(error: Exception, place: str) -> ClientError:
    """Convert an exception to a `ClientError`; those of HTTP clients have a status.

    Examples
    --------
    >>> fault_of(TimeoutError("too slow"), "mine")
    TransientError('mine: TimeoutError, too slow')
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
        said = message_in(body) if isinstance(body, Mapping) else text
        key = wrong_key(body) or wrong_key({"message": said})
        return fault(status, names, said, place, time.time(), key)
    reason = f"{place}: {type(error).__name__}{', ' if text else ''}{text}"
    kinds = {cls.__name__ for cls in type(error).__mro__}
    is_passing = isinstance(error, (TimeoutError, ConnectionError)) or "APIConnectionError" in kinds
    return TransientError(reason) if is_passing else ClientError(reason)
