"""Endpoint: a model behind an address, asked over HTTP."""

from __future__ import annotations

import hashlib
import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from attrs import evolve

from valor_core.parameters import FromEnvironment
from valor_llm.clients.fields import merged
from valor_llm.clients.http.secrets import Key
from valor_llm.clients.http.transport import Transport
from valor_llm.clients.protocol import Reply, Request
from valor_llm.parameters.clients import is_credential, routing_headers

_VARIABLE = re.compile(r"\$\{env:(\w+)\}")


class EndpointParameters(Protocol):
    """What the parameters of all endpoints say."""

    @property
    def base_url(self) -> str:
        """Its address."""

    @property
    def model(self) -> str:
        """Name of the model."""

    @property
    def api_key_env(self) -> str | None:
        """Environment variable that has the key."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Further headers."""

    @property
    def extra(self) -> Mapping[str, Any]:
        """Further fields of the body."""


class Endpoint(ABC):
    """A model behind an address; a dialect says what is sent and how an answer is read.

    Parameters
    ----------
    parameters : EndpointParameters
        Where it is.
    key_header : str
        Header that has the key.
    headers : mapping of str to str
        Headers of the dialect.
    """

    is_remote: ClassVar[bool] = True
    lacks: ClassVar[tuple[str, ...]] = ()
    path: ClassVar[str]

    def __init__(
        self,
        parameters: EndpointParameters,
        key_header: str = "authorization",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.parameters = parameters
        variable = parameters.api_key_env
        self._key = None if variable is None else Key(variable, "judge.client.api_key_env")
        self.transport = Transport(
            parameters.base_url,
            key=self._key,
            key_header=key_header,
            headers={**(headers or {}), **parameters.headers},
            secrets=_secrets(parameters),
        )

    @property
    def endpoint(self) -> str:
        """Its address."""
        return self.transport.endpoint

    @property
    def model(self) -> str:
        """The model that is asked for, as reports name it: without values of variables."""
        return _shown(self.parameters.model)

    def identity(self) -> dict[str, Any]:
        """What of it can change a reply: its address and dialect, the model, further fields.

        The cache keeps a digest of it.
        """
        told = {"endpoint": self.transport.address, "path": self.path}
        told["model"] = str(self.parameters.model)
        if self.parameters.extra:
            told["extra"] = json.dumps(dict(self.parameters.extra), sort_keys=True)
        route = [self.transport.query, *routing_headers(self.parameters.headers)]
        if any(route):
            # Either may choose another deployment, and may be secret.
            told["route"] = hashlib.blake2b(repr(route).encode(), digest_size=8).hexdigest()
        return told

    def check_key(self) -> None:
        """Find out before anything is asked whether there is a key to ask with.

        Raises
        ------
        ResourceError
            If there is none.
        """
        if self._key is not None:
            self._key.checked()

    @abstractmethod
    def body(self, request: Request) -> dict[str, Any]:
        """A request as the endpoint takes it."""

    @abstractmethod
    def reply(self, answer: Mapping[str, Any]) -> Reply:
        """The reply in an answer; a `Passing` error where it has none."""

    def complete(self, request: Request) -> Reply:
        """One reply."""
        body = self.whole_body(request)
        return self.shown(self.reply(self.transport.post(self.path, body, request.deadline)))

    def shown(self, reply: Reply) -> Reply:
        """A reply without secrets, which an endpoint might send back."""
        is_own = reply.model == self.parameters.model
        model = self.model if is_own else self.transport.hidden(reply.model)
        return evolve(reply, text=self.transport.hidden(reply.text), model=model)

    def whole_body(self, request: Request) -> dict[str, Any]:
        """A request as it is sent, with the further fields of the config."""
        return merged(self.body(request), self.parameters.extra)

    def close(self) -> None:
        """End the calls that are under way."""
        self.transport.close()


def _secrets(parameters: EndpointParameters) -> tuple[str, ...]:
    """Texts that may be secret: values of credentials, and of variables in headers and address."""
    found: list[str] = []
    for name, value in parameters.headers.items():
        if is_credential(name, value) or isinstance(value, FromEnvironment):
            found += [str(value), *str(value).split()[1:]]
    if isinstance(parameters.base_url, FromEnvironment):
        names = _VARIABLE.findall(parameters.base_url.reference)
        found += [value for name in names if "://" not in (value := os.environ.get(name, ""))]
    return tuple(dict.fromkeys(found))


def _shown(text: str) -> str:
    return text.reference if isinstance(text, FromEnvironment) else text
