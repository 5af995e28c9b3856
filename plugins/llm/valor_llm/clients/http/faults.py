"""Errors for HTTP answers without a reply."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from attrs import frozen

from valor_llm.clients.http.secrets import without_starred
from valor_llm.clients.protocol import (
    BadRequest,
    ClientError,
    FatalError,
    RateLimited,
    TransientError,
)

_CODES = frozenset(
    {
        *("access_denied", "account_deactivated", "api_key_expired", "api_key_invalid"),
        *("api_key_missing", "api_key_service_blocked", "authentication_error"),
        *("authentication_failed", "authenticationerror", "expired_api_key"),
        *("incorrect_api_key", "invalid_access_token", "invalid_api_key"),
        *("invalid_api_token", "invalid_authentication", "invalid_credentials"),
        *("invalid_key", "invalid_token", "missing_api_key", "permission_denied"),
        *("permission_error", "unauthenticated", "unauthorized", "wrong_api_key"),
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
"""Beginnings of messages; the rest of a message may repeat a text of the request."""


@frozen
class WrongKey:
    """Sign of a wrong key in an answer.

    Parameters
    ----------
    words : str
        Code or words of the answer.
    is_coded : bool
        Whether a code is the sign. Words may repeat a text of the request.
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


_LONGEST = 400  # characters of an endpoint's message
_SEARCHED = 4000  # characters of an answer that are searched for a message
_PASSING = frozenset({408, 409, 425})
_REJECTED = frozenset({400, 406, 411, 412, 413, 414, 415, 416, 422, 424, 431, 451})
_UNPAID = re.compile(r"insufficient_quota|credit balance|billing_hard_limit")
_FAILED_TO_GENERATE = "json_validate_failed"  # sent with 400 for a reply, not for a request


def fault(
    status: int,
    headers: Mapping[str, str],
    said: str,
    place: str,
    now: float,
    key: WrongKey | None = None,
) -> ClientError:
    """Convert an answer to an error.

    Parameters
    ----------
    status : int
        Status of the answer.
    headers : mapping of str to str
        Headers of the answer, with names in lower case.
    said : str
        Message in the body.
    place : str
        Address of the endpoint.
    now : float
        Seconds since 1970.
    key : WrongKey, optional
        Signs of a wrong key in the body.

    Examples
    --------
    >>> fault(429, {"retry-after": "7"}, "slow down", "http://localhost/v1", 0.0).after
    7.0
    >>> fault(404, {}, "no such model", "http://localhost/v1", 0.0)
    FatalError('http://localhost/v1: 404 Not Found, no such model')
    """
    reason = f"{place}: {_status(status)}{', ' if said else ''}{said}"
    unpaid = _UNPAID.search(said)
    if status == 402 or (status < 500 and unpaid):
        words = unpaid[0] if unpaid and status in _REJECTED else ""
        return FatalError(reason, "Add credit to the account, or use another key", words=words)
    if key is not None and (status in _REJECTED or (key.is_coded and status < 500)):
        return FatalError(reason, _REMEDIES[401], 401, "" if key.is_coded else key.words)
    if status in (429, 529) or (status == 503 and "retry-after" in headers):
        return RateLimited(reason, retry_after(headers, now))
    if status in _PASSING or _FAILED_TO_GENERATE in said:
        return TransientError(reason, retry_after(headers, now))
    if status in _REJECTED:
        return BadRequest(reason)
    if status >= 500 and status != 501:
        return TransientError(reason, retry_after(headers, now))
    remedy = _REMEDIES.get(status, "Check base_url; it has to lead to an endpoint")
    return FatalError(reason, remedy, status)


_REMEDIES = {
    401: "Check the key",
    403: "Use a key that may ask this model",
    404: "Check base_url and model",
}


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def said(data: bytes) -> str:
    """Return the message of an answer in one short line.

    Examples
    --------
    >>> said(b'{"error": {"message": "too warm", "param": "temperature", "code": null}}')
    'too warm (temperature)'
    >>> said(b"<html><h1>Bad gateway</h1></html>")
    'Bad gateway'
    """
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        text = data[:_SEARCHED].decode("utf-8", "replace")
        text = re.sub(r"<style.*?</style>|<[^<>]*>", " ", text)
    else:
        text = message_in(body)[:_SEARCHED]
    text = without_starred(" ".join(text.split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def refused_key(data: bytes) -> WrongKey | None:
    """Signs of a wrong key in the body of an answer.

    Examples
    --------
    >>> refused_key(b'{"error": {"message": "no", "details": [{"reason": "API_KEY_INVALID"}]}}')
    WrongKey(words='api_key_invalid', is_coded=True)
    """
    try:
        return wrong_key(json.loads(data))
    except (ValueError, RecursionError):
        return None


def message_in(body: Any) -> str:
    """Return the error message in the JSON body of an answer."""
    if isinstance(body, list) and len(body) == 1 and isinstance(body[0], Mapping):
        (body,) = body  # Gemini's, at its address for OpenAI's API
    if isinstance(body, Mapping):
        error = body.get("error") or body.get("detail") or body.get("message") or body
        if isinstance(error, str):
            return error
        if isinstance(error, Mapping) and isinstance(error.get("message"), str):
            marks = [error.get(name) for name in ("code", "type", "status", "param")]
            marks = [one for one in marks if isinstance(one, (str, int))]
            shown = ", ".join(dict.fromkeys(map(str, marks)))
            return f"{error['message']} ({shown})" if shown else str(error["message"])
        body = error
    return json.dumps(body, ensure_ascii=False)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that an endpoint asks a client to wait.

    Parameters
    ----------
    headers : mapping of str to str
        Headers of the answer, with names in lower case.
    now : float
        Seconds since 1970.

    Examples
    --------
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=20.0)
    40.0
    >>> retry_after({"x-ratelimit-reset-tokens": "1m6.5s", "x-ratelimit-remaining-tokens": "0"}, 0)
    66.5
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    if "retry-after" in headers:
        return _until(headers["retry-after"], now)
    resets = [
        _until(value, now)
        for name, value in headers.items()
        if _RESET.search(name) and _is_used_up(name, headers)
    ]
    return max((one for one in resets if one is not None), default=None)


_RESET = re.compile(r"ratelimit.*-reset")


def _is_used_up(name: str, headers: Mapping[str, str]) -> bool:
    """Return whether nothing remains of the limit that a header describes."""
    remaining = re.sub("-reset", "-remaining", name)
    remaining_headers = [key for key in headers if "ratelimit" in key and "-remaining" in key]
    return headers.get(remaining, "0" if not remaining_headers else None) == "0"


_YEAR = 3e7  # seconds
_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?")


def _until(value: str, now: float) -> float | None:
    """Return the seconds until a time: seconds, a duration such as ``6m0s``, or a date."""
    number = _number(value)
    if number is not None:
        # A number within a year of now is a moment, in seconds or milliseconds since 1970.
        for unit in (1.0, 1000.0):
            if number > _YEAR and abs(number / unit - now) < _YEAR:
                return max(0.0, number / unit - now)
        return max(0.0, number)
    match = _DURATION.fullmatch(value.strip())
    if match and any(match.groups()):
        days, hours, minutes, seconds, thousandths = (_number(one) or 0.0 for one in match.groups())
        return days * 86400 + hours * 3600 + minutes * 60 + seconds + thousandths / 1000
    moment_told = _date(value)
    return None if moment_told is None else max(0.0, moment_told.timestamp() - now)


def _date(value: str) -> datetime | None:
    for read in (email.utils.parsedate_to_datetime, datetime.fromisoformat):
        try:
            found = read(value.strip())
        except (ValueError, TypeError):
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if number == number and abs(number) != float("inf") else None
