"""Wrong keys: answers that refuse the key, whatever their status."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

_CODES = frozenset(
    {
        "access_denied",
        "account_deactivated",
        "api_key_expired",
        "api_key_invalid",
        "api_key_missing",
        "api_key_service_blocked",
        "authentication_error",
        "authentication_failed",
        "authenticationerror",
        "expired_api_key",
        "incorrect_api_key",
        "invalid_access_token",
        "invalid_api_key",
        "invalid_api_token",
        "invalid_authentication",
        "invalid_credentials",
        "invalid_key",
        "invalid_token",
        "missing_api_key",
        "permission_denied",
        "permission_error",
        "unauthenticated",
        "unauthorized",
        "wrong_api_key",
    }
)
"""Codes of OpenAI, Anthropic, Google, Azure, Mistral, Cohere, Groq and gateways, in lower case."""

_NAMES = ("code", "type", "status", "reason", "error_code", "error_type")

_KEY = r"(?:api[ _-]?(?:key|token)|access token|subscription key|x-api-key)"
_WORDS = re.compile(
    rf"(?:error: *)?(?:(?:(?:the|your|an?) )?(?:provided )?{_KEY}(?: provided)?"
    r"(?: is| was| has)? (?:not valid|not found|invalid|incorrect|expired|missing|revoked|disabled"
    r"|been (?:revoked|disabled))"
    rf"|(?:invalid|incorrect|wrong|missing|no|expired|unknown) (?:or \w+ )?{_KEY}\b"
    r"|(?:invalid|missing|no) (?:authentication|authorization|auth credentials|credentials)\b"
    r"|you (?:didn't|did not) provide an api key"
    r"|access denied due to (?:invalid|missing) subscription key"
    r"|authentication (?:failed|required|error)\b"
    r"|unauthori[sz]ed\b)",
    re.IGNORECASE,
)
"""Beginnings of messages; further inside a message may be a text of the request."""


@frozen
class WrongKey:
    """Sign of a wrong key in an answer.

    Parameters
    ----------
    words : str
        Code or words of the answer.
    is_coded : bool
        Whether a code says so. Words may repeat a text of the request.
    """

    words: str
    is_coded: bool


def wrong_key(body: Any) -> WrongKey | None:
    """The sign of a wrong key in the JSON body of an answer, if it has one.

    Examples
    --------
    >>> wrong_key({"error": {"message": "API key not valid. Please pass a valid API key."}})
    WrongKey(words='API key not valid', is_coded=False)
    >>> wrong_key({"error": {"message": "cannot read: 'API key not valid.'", "type": "invalid"}})
    """
    if isinstance(body, list) and len(body) == 1:
        (body,) = body
    if not isinstance(body, Mapping):
        return None
    error = body.get("error")
    tables = [one for one in (body, error) if isinstance(one, Mapping)]
    for code in _codes(tables):
        if code in _CODES:
            return WrongKey(code, True)
    messages = [one.get(name) for one in tables for name in ("message", "detail", "error")]
    for message in messages:
        if isinstance(message, str) and (match := _WORDS.match(message.strip())):
            return WrongKey(match[0], False)
    return None


def _codes(tables: list[Mapping[str, Any]]) -> Iterator[str]:
    for table in tables:
        details = table.get("details")
        listed = details if isinstance(details, list) else []
        for one in [table, *(each for each in listed if isinstance(each, Mapping))]:
            for name in _NAMES:
                if isinstance(one.get(name), str):
                    yield one[name].strip().lower().replace("-", "_").replace(" ", "_")
