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
    """Return whether a header only identifies the sender.

    A credential has a common name, a scheme such as ``Bearer`` in its value, or, if its value is
    from an environment variable, a typical ending of its name.

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
    """Return the headers that may select a deployment, such as those of gateways."""
    return sorted(
        (name.strip().casefold(), str(value))
        for name, value in headers.items()
        if not is_credential(name, value)
    )


def routing(headers: Mapping[str, str]) -> str:
    """Return a digest of the headers that may select a deployment; empty without any."""
    chosen = routing_headers(headers)
    return hashlib.blake2b(repr(chosen).encode(), digest_size=8).hexdigest() if chosen else ""


@parameters
class LexicalParameters:
    """Parameters of the lexical stand-in."""


@parameters
class RecordedParameters:
    """Parameters of the client that replays a file."""

    file: Path = parameter(help="File of the replies, in JSON Lines.")


@parameters
class EndpointParameters:
    """Parameters that all endpoints share."""

    base_url: str = parameter(
        help="Address of the endpoint: with `/v1` for `openai`, without it for `anthropic` and "
        "`ollama`, such as `http://127.0.0.1:11434`.",
        non_empty=True,
    )
    model: str = parameter(help="Name of the model.", non_empty=True)
    api_key_env: str | None = parameter(
        default=None,
        help="Environment variable that has the key; without it none is sent.",
        non_empty=True,
    )
    headers: Mapping[str, str] = parameter(default={}, help="Further headers of every call.")
    extra: Mapping[str, Any] = parameter(
        default={},
        help="Further fields of the body of every call, such as `reasoning_effort`, `thinking` or, "
        "of `ollama`, `options: {num_ctx: 16384}`, a context window of the same size for all "
        "prompts.",
    )

    @property
    def routing(self) -> str:
        """Digest of the headers that may select a deployment; part of the identity."""
        return routing(self.headers)


@parameters
class OpenAIParameters(EndpointParameters):
    """Parameters of a chat endpoint with OpenAI's API."""

    key_header: Literal["authorization", "api-key"] = parameter(
        default="authorization", help="Header that has the key; Azure takes `api-key`."
    )


@parameters
class AnthropicParameters(EndpointParameters):
    """Parameters of a messages endpoint with Anthropic's API."""

    version: str = parameter(
        default="2023-06-01", help="Version of the endpoint's interface.", non_empty=True
    )


@parameters
class OllamaParameters(EndpointParameters):
    """Parameters of Ollama's chat endpoint."""

    max_num_ctx: int = parameter(
        default=32_768,
        help="Largest context window (`num_ctx`) to ask for; a larger one takes more memory. A "
        "prompt that needs more fails before it is sent.",
        check=Within(512),
    )
