"""Endpoint: a model behind an address, asked over HTTP."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from attrs import evolve

from valor_llm.clients.fields import merged
from valor_llm.clients.http.keys import Key
from valor_llm.clients.http.transport import Transport
from valor_llm.clients.protocol import Reply, Request

_SECRET = re.compile("auth|cookie|key|secret|token", re.IGNORECASE)


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
        )

    @property
    def endpoint(self) -> str:
        """Its address."""
        return self.transport.endpoint

    @property
    def model(self) -> str:
        """The model that is asked for."""
        return self.parameters.model

    def identity(self) -> dict[str, Any]:
        """What of it can change a reply: its address and dialect, the model, further fields."""
        told = {"endpoint": self.endpoint, "path": self.path, "model": self.model}
        if self.parameters.extra:
            told["extra"] = json.dumps(dict(self.parameters.extra), sort_keys=True)
        route = [self.transport.query, *_routing(self.parameters.headers)]
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
        """A reply without the key, which an endpoint might send back."""
        return reply if self._key is None else evolve(reply, text=self._key.hidden_text(reply.text))

    def whole_body(self, request: Request) -> dict[str, Any]:
        """A request as it is sent, with the further fields of the config."""
        return merged(self.body(request), self.parameters.extra)

    def close(self) -> None:
        """End the calls that are under way."""
        self.transport.close()


def _routing(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Headers that may choose what answers; those with a key only say who asks."""
    return sorted((name, value) for name, value in headers.items() if not _SECRET.search(name))
