"""Headers of a call: which of them say who asks, and which may choose what answers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from valor_core.parameters import FromEnvironment

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
