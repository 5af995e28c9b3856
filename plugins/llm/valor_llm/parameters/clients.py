"""Parameters of the clients."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from valor_core.parameters import FromEnvironment, Within, parameter, parameters

_CREDENTIALS = frozenset(
    {
        *("authorization", "proxy-authorization", "authentication", "cookie", "api-key", "apikey"),
        *("x-api-key", "x-auth-token", "x-access-token", "x-goog-api-key", "x-amz-security-token"),
        *("ocp-apim-subscription-key", "x-portkey-api-key", "helicone-auth"),
        "cf-aig-authorization",
    }
)
_ENDS = ("auth", "authorization", "cookie", "key", "secret", "token", "password")
_CHOOSES = "x-portkey-virtual-key"  # names a provider


def is_credential(name: str, value: str) -> bool:
    """Whether a header says who asks and nothing else.

    By its name; by a scheme such as ``Bearer`` in its value; or by the end of its name where an
    environment variable has the value.

    Examples
    --------
    >>> is_credential("X-API-Key", "a"), is_credential("x-token-limit", "9")
    (True, False)
    >>> is_credential("x-gateway-token", FromEnvironment("s3cret", "${env:TOKEN}"))
    True
    """
    folded = name.strip().casefold()
    if folded in _CREDENTIALS or value.casefold().startswith(("bearer ", "basic ")):
        return True
    return isinstance(value, FromEnvironment) and folded != _CHOOSES and folded.endswith(_ENDS)


def routing_headers(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Headers that may choose what answers, such as those by which gateways find a model."""
    return sorted(
        (name.strip().casefold(), str(value))
        for name, value in headers.items()
        if not is_credential(name, value)
    )


def routing(headers: Mapping[str, str]) -> str:
    """Digest of the headers that may choose what answers; empty where there are none."""
    chosen = routing_headers(headers)
    return hashlib.blake2b(repr(chosen).encode(), digest_size=8).hexdigest() if chosen else ""


_MODEL = "Name of the model."
_KEY = "Environment variable that has the key; without it none is sent."
_HEADERS = "Further headers of every call."
_EXTRA = "Further fields of the body of every call, such as `reasoning_effort`."


@parameters
class LexicalParameters:
    """Parameters of the lexical stand-in."""


@parameters
class RecordedParameters:
    """Parameters of the client that says what a file has."""

    file: Path = parameter(help="File of the replies, in JSON Lines.")


@parameters
class OpenAIParameters:
    """Parameters of a chat endpoint that speaks as OpenAI's does."""

    base_url: str = parameter(
        help="Address of the endpoint, with `/v1` where it has that.", non_empty=True
    )
    model: str = parameter(help=_MODEL, non_empty=True)
    api_key_env: str | None = parameter(default=None, help=_KEY, non_empty=True)
    key_header: Literal["authorization", "api-key"] = parameter(
        default="authorization", help="Header that has the key; Azure takes `api-key`."
    )
    headers: Mapping[str, str] = parameter(default={}, help=_HEADERS)
    extra: Mapping[str, Any] = parameter(default={}, help=_EXTRA)

    @property
    def routing(self) -> str:
        """Digest of the headers that may choose what answers; part of the identity."""
        return routing(self.headers)


@parameters
class AnthropicParameters:
    """Parameters of an endpoint for messages as Anthropic has it."""

    base_url: str = parameter(help="Address of the endpoint, without `/v1`.", non_empty=True)
    model: str = parameter(help=_MODEL, non_empty=True)
    api_key_env: str | None = parameter(default=None, help=_KEY, non_empty=True)
    version: str = parameter(
        default="2023-06-01", help="Version of the endpoint's interface.", non_empty=True
    )
    headers: Mapping[str, str] = parameter(default={}, help=_HEADERS)
    extra: Mapping[str, Any] = parameter(
        default={}, help="Further fields of the body of every call, such as `thinking`."
    )

    @property
    def routing(self) -> str:
        """Digest of the headers that may choose what answers; part of the identity."""
        return routing(self.headers)


@parameters
class OllamaParameters:
    """Parameters of Ollama's own chat endpoint."""

    base_url: str = parameter(
        help="Address of the server, as `http://127.0.0.1:11434`.", non_empty=True
    )
    model: str = parameter(help=_MODEL, non_empty=True)
    api_key_env: str | None = parameter(default=None, help=_KEY, non_empty=True)
    max_num_ctx: int = parameter(
        default=32_768,
        help="Largest context window (`num_ctx`) to ask for; a larger one takes more memory. A "
        "prompt that needs more fails before it is sent.",
        check=Within(512),
    )
    headers: Mapping[str, str] = parameter(default={}, help=_HEADERS)
    extra: Mapping[str, Any] = parameter(
        default={},
        help="Further fields of the body of every call, such as `options: {num_ctx: 16384}`, a "
        "context window of the same size for all prompts.",
    )

    @property
    def routing(self) -> str:
        """Digest of the headers that may choose what answers; part of the identity."""
        return routing(self.headers)
