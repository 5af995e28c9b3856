"""Models at HTTP endpoints, and the values in which the APIs of endpoints differ."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from attrs import evolve, frozen

from valor_core.parameters import FromEnvironment
from valor_llm.clients.fields import merged
from valor_llm.clients.http.secrets import Key
from valor_llm.clients.http.transport import Transport
from valor_llm.clients.protocol import Reply, Request
from valor_llm.parameters.clients import EndpointParameters, is_credential, routing_headers

if TYPE_CHECKING:
    from valor_llm.clients.batches import BatchEndpoint

_VARIABLE = re.compile(r"\$\{env:(\w+)(?=\}|:-)")


class ContextWindow(Protocol):
    """Context window that a client requests for each prompt."""

    def check(self, request: Request) -> None:
        """Raise a `ClientError` for a prompt that is too long."""

    def sized(self, body: dict[str, Any], request: Request) -> dict[str, Any]:
        """Return the body with the size of the window."""


@frozen(kw_only=True)
class Dialect:
    """API of a family of endpoints, for calls over HTTP and through an SDK.

    Parameters
    ----------
    name : str
        Name of the SDK, which is part of the cache key of its replies.
    path : str
        Path of the API below the address of the endpoint.
    body_of : callable
        Converts a request and the name of the model to the body of a call.
    reply_of : callable
        Converts an answer, the address for errors, and the name of the model to a reply. Raises
        `TransientError` if the answer has no reply.
    key_header : str
        Header with the API key.
    lacks : tuple of str
        Capabilities that the API does not have, as in `Client`.
    longer : str, optional
        Sentence that says how to allow longer prompts.
    batches : callable, optional
        Creates the batch API of an endpoint.
    window : callable, optional
        Creates the `ContextWindow` of an endpoint from its parameters.
    sdk_method : str
        Path of the method of an SDK's client that creates a reply.
    sdk_arguments : tuple of str
        Fields of the body that are arguments of the method in every version of the SDK. Other
        fields are sent as ``extra_body``, since their arguments depend on the version.
    """

    name: str
    path: str
    body_of: Callable[[Request, str], dict[str, Any]]
    reply_of: Callable[[Mapping[str, Any], str, str], Reply]
    key_header: str = "authorization"
    lacks: tuple[str, ...] = ()
    longer: str | None = None
    batches: Callable[[Endpoint], BatchEndpoint] | None = None
    window: Callable[[Any], ContextWindow] | None = None
    sdk_method: str = ""
    sdk_arguments: tuple[str, ...] = ()


class Endpoint:
    """Client of a model at an HTTP endpoint.

    Parameters
    ----------
    parameters : EndpointParameters
        Address, model and key.
    dialect : Dialect
        API of the endpoint.
    key_header : str, optional
        Header with the key, if it is not the dialect's.
    headers : mapping of str to str, optional
        Headers of the dialect, which those of the parameters override.
    """

    is_remote: ClassVar[bool] = True

    def __init__(
        self,
        parameters: EndpointParameters,
        dialect: Dialect,
        *,
        key_header: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.parameters = parameters
        self.dialect = dialect
        self.lacks = dialect.lacks
        if dialect.longer is not None:
            self.longer = dialect.longer
        self._window = None if dialect.window is None else dialect.window(parameters)
        variable = parameters.api_key_env
        self._key = None if variable is None else Key(variable, "judge.client.api_key_env")
        self.transport = Transport(
            parameters.base_url,
            key=self._key,
            key_header=key_header or dialect.key_header,
            headers={**(headers or {}), **parameters.headers},
            secrets=_secrets(parameters),
        )

    @property
    def endpoint(self) -> str:
        """Address of the endpoint."""
        return self.transport.endpoint

    @property
    def model(self) -> str:
        """Requested model, as reports name it: without values of environment variables."""
        return _shown(self.parameters.model)

    def identity(self) -> dict[str, Any]:
        """Return everything that can change a reply: address, path, model and extra fields.

        The cache stores a digest of it.
        """
        identity = {"endpoint": self.transport.address, "path": self.dialect.path}
        identity["model"] = str(self.parameters.model)
        if self.parameters.extra:
            identity["extra"] = json.dumps(dict(self.parameters.extra), sort_keys=True)
        route = [self.transport.query, *routing_headers(self.parameters.headers)]
        if any(route):
            # Either may select another deployment, and may be secret.
            identity["route"] = hashlib.blake2b(repr(route).encode(), digest_size=8).hexdigest()
        return identity

    def check_key(self) -> None:
        """Raise a `ResourceError` if the API key is missing."""
        if self._key is not None:
            self._key.checked()

    def check(self, request: Request) -> None:
        """Raise a `ClientError` for a request that cannot be sent."""
        if self._window is not None:
            self._window.check(request)

    def batches(self) -> BatchEndpoint | None:
        """Return the batch API of the endpoint, if it has one."""
        return None if self.dialect.batches is None else self.dialect.batches(self)

    def body(self, request: Request) -> dict[str, Any]:
        """Return the body of a call, with the additional fields of the config."""
        body = self.dialect.body_of(request, str(self.parameters.model))
        if self._window is not None:
            body = self._window.sized(body, request)
        return merged(body, self.parameters.extra)

    def reply(self, answer: Mapping[str, Any]) -> Reply:
        """Return the reply in an answer without secrets, which an endpoint might send back."""
        reply = self.dialect.reply_of(answer, self.endpoint, str(self.parameters.model))
        is_requested = reply.model == self.parameters.model
        model = self.model if is_requested else self.transport.hidden(reply.model)
        return evolve(reply, text=self.transport.hidden(reply.text), model=model)

    def complete(self, request: Request) -> Reply:
        """Return the reply to a request."""
        body = self.body(request)
        return self.reply(self.transport.post(self.dialect.path, body, request.deadline))

    def close(self) -> None:
        """End the calls in progress."""
        self.transport.close()


def _secrets(parameters: EndpointParameters) -> tuple[str, ...]:
    """Return possible secrets: credentials, and variables in the headers and the address."""
    found: list[str] = []
    for name, value in parameters.headers.items():
        if is_credential(name, value) or isinstance(value, FromEnvironment):
            found += [str(value), *str(value).split()[1:]]
    if isinstance(parameters.base_url, FromEnvironment):
        names = _VARIABLE.findall(parameters.base_url.reference)
        values = [os.environ.get(name, "") for name in names]
        found += [value for value in values if value and "://" not in value]
    return tuple(dict.fromkeys(found))


def _shown(text: str) -> str:
    return text.reference if isinstance(text, FromEnvironment) else text
