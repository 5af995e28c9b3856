"""Faults on the wire: what becomes of an answer before it arrives."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import formatdate
from time import time
from typing import Any

from endpoint.dialects import refused

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}


@dataclass
class Exchange:
    """One request on its connection.

    Parameters
    ----------
    writer : StreamWriter
        The connection.
    dialect : str
        What is spoken.
    body : bytes
        The body of the right answer.
    settings : mapping
        ``retry_after`` and ``slow_seconds``.
    """

    writer: asyncio.StreamWriter
    dialect: str
    body: bytes
    settings: Mapping[str, Any]

    async def send(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send an answer; the connection stays."""
        self.writer.write(message(status, body, headers))
        await self.writer.drain()

    async def refuse(
        self, status: int, words: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send an error in the form of the dialect."""
        body = json.dumps(refused(self.dialect, status, words)).encode()
        await self.send(status, body, headers)

    def close(self) -> None:
        """Close the connection."""
        self.writer.close()


def message(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """An HTTP message."""
    own = {"Content-Type": "application/json", "Content-Length": str(len(body))} | (headers or {})
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Error')}"]
    lines += [f"{name}: {value}" for name, value in own.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


Fault = Callable[[Exchange], Awaitable[None]]
WIRE_FAULTS: dict[str, Fault] = {}


def wire_fault(name: str) -> Callable[[Fault], Fault]:
    """Declare a fault under a name."""

    def declare(fault: Fault) -> Fault:
        WIRE_FAULTS[name] = fault
        return fault

    return declare


# ---- statuses


def _status(status: int, words: str) -> Fault:
    return lambda exchange: exchange.refuse(status, words)


for _code, _told in {
    400: "The request is malformed.",
    401: "Incorrect API key provided.",
    403: "The project has no access to the model.",
    404: "The model does not exist.",
    408: "The request took too long.",
    409: "The resource is locked.",
    413: "The prompt is too long for the model.",
    422: "The request cannot be processed.",
    429: "Rate limit reached.",
    500: "The server had an error.",
    502: "Bad gateway.",
    503: "The service is unavailable.",
    504: "The gateway timed out.",
    529: "Overloaded.",
}.items():
    WIRE_FAULTS[f"http_{_code}"] = _status(_code, _told)


@wire_fault("http_429_seconds")
async def _seconds(exchange: Exchange) -> None:
    after = {"Retry-After": str(exchange.settings["retry_after"])}
    await exchange.refuse(429, "Rate limit reached.", after)


@wire_fault("http_429_milliseconds")
async def _milliseconds(exchange: Exchange) -> None:
    after = {"Retry-After-Ms": str(1000 * exchange.settings["retry_after"])}
    await exchange.refuse(429, "Rate limit reached.", after)


@wire_fault("http_429_date")
async def _date(exchange: Exchange) -> None:
    after = {"Retry-After": formatdate(time() + exchange.settings["retry_after"], usegmt=True)}
    await exchange.refuse(429, "Rate limit reached.", after)


@wire_fault("http_429_reset")
async def _reset_header(exchange: Exchange) -> None:
    after = {"x-ratelimit-reset-requests": f"{1000 * exchange.settings['retry_after']:.0f}ms"}
    await exchange.refuse(429, "Rate limit reached.", after)


@wire_fault("http_503_seconds")
async def _busy(exchange: Exchange) -> None:
    after = {"Retry-After": str(exchange.settings["retry_after"])}
    await exchange.refuse(503, "The service is busy.", after)


@wire_fault("http_500_html")
async def _html_error(exchange: Exchange) -> None:
    page = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
    await exchange.send(502, page, {"Content-Type": "text/html"})


# ---- connections


@wire_fault("closed_before_answer")
async def _closed(exchange: Exchange) -> None:
    exchange.close()


@wire_fault("closed_in_headers")
async def _closed_in_headers(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: appl")
    exchange.close()


@wire_fault("closed_in_body")
async def _closed_in_body(exchange: Exchange) -> None:
    whole = message(200, exchange.body)
    exchange.writer.write(whole[: len(whole) - len(exchange.body) // 2])
    exchange.close()


@wire_fault("closed_in_chunks")
async def _closed_in_chunks(exchange: Exchange) -> None:
    half = exchange.body[: len(exchange.body) // 2]
    exchange.writer.write(_chunked_head() + _chunk(half))
    exchange.close()


@wire_fault("reset")
async def _reset(exchange: Exchange) -> None:
    own = exchange.writer.get_extra_info("socket")
    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.writer.transport.abort()


@wire_fault("hang")
async def _hang(exchange: Exchange) -> None:
    del exchange  # no answer ever, and the connection stays open


@wire_fault("slow_bytes")
async def _slow(exchange: Exchange) -> None:
    """Bytes that keep coming, a few at a time, for as long as is set."""
    whole, parts = message(200, exchange.body), 20
    size = -(-len(whole) // parts)
    for start in range(0, len(whole), size):
        exchange.writer.write(whole[start : start + size])
        await exchange.writer.drain()
        await asyncio.sleep(exchange.settings["slow_seconds"] / parts)


# ---- bodies


@wire_fault("half_body")
async def _half(exchange: Exchange) -> None:
    await exchange.send(200, exchange.body[: len(exchange.body) // 2])


@wire_fault("no_body")
async def _nothing(exchange: Exchange) -> None:
    await exchange.send(200, b"")


@wire_fault("html_body")
async def _html(exchange: Exchange) -> None:
    page = b"<html><body>Please sign in to the network.</body></html>"
    await exchange.send(200, page, {"Content-Type": "text/html"})


@wire_fault("error_in_body")
async def _error(exchange: Exchange) -> None:
    await exchange.send(200, json.dumps(refused(exchange.dialect, 500, "Overloaded.")).encode())


@wire_fault("array_body")
async def _array(exchange: Exchange) -> None:
    await exchange.send(200, b"[]")


@wire_fault("no_choices")
async def _no_choices(exchange: Exchange) -> None:
    body = json.loads(exchange.body)
    body |= {key: [] for key in ("choices", "content") if key in body}
    body.pop("message", None)
    await exchange.send(200, json.dumps(body).encode())


@wire_fault("null_choices")
async def _null_choices(exchange: Exchange) -> None:
    body = json.loads(exchange.body)
    body |= {key: None for key in ("choices", "content", "message") if key in body}
    await exchange.send(200, json.dumps(body).encode())


@wire_fault("odd_usage")
async def _odd_usage(exchange: Exchange) -> None:
    body = json.loads(exchange.body)
    body |= {"usage": {"prompt_tokens": None, "completion_tokens": "many"}}
    await exchange.send(200, json.dumps(body).encode())


@wire_fault("gzip")
async def _gzip(exchange: Exchange) -> None:
    await exchange.send(200, gzip.compress(exchange.body), {"Content-Encoding": "gzip"})


@wire_fault("broken_gzip")
async def _broken_gzip(exchange: Exchange) -> None:
    body = gzip.compress(exchange.body)
    await exchange.send(200, body[: len(body) // 2], {"Content-Encoding": "gzip"})


@wire_fault("chunked")
async def _chunked(exchange: Exchange) -> None:
    half = len(exchange.body) // 2
    parts = _chunk(exchange.body[:half]) + _chunk(exchange.body[half:]) + b"0\r\n\r\n"
    exchange.writer.write(_chunked_head() + parts)


def _chunked_head() -> bytes:
    return message(200, b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


@wire_fault("not_utf8")
async def _not_utf8(exchange: Exchange) -> None:
    await exchange.send(200, exchange.body.replace(b"The last", b"The l\xe4st"))


@wire_fault("redirect")
async def _redirect(exchange: Exchange) -> None:
    await exchange.send(302, b"", {"Location": "http://127.0.0.1:9/elsewhere"})


# ---- interim and second answers


def _written(before: bytes, after: bytes = b"") -> Fault:
    async def fault(exchange: Exchange) -> None:
        exchange.writer.write(before + message(200, exchange.body) + after)
        await exchange.writer.drain()

    return fault


_INTERIM = {
    "100": b"HTTP/1.1 100 Continue\r\n\r\n",
    "102": b"HTTP/1.1 102 Processing\r\n\r\n",
    "103": b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n",
}
for _name, _bytes in _INTERIM.items():
    WIRE_FAULTS[f"interim_{_name}"] = _written(_bytes)
WIRE_FAULTS["interim_several"] = _written(b"".join(_INTERIM.values()))


@wire_fault("interim_late")
async def _late(exchange: Exchange) -> None:
    exchange.writer.write(_INTERIM["102"])
    await exchange.writer.drain()
    await asyncio.sleep(0.01)
    await exchange.send(200, exchange.body)


def _contrary(body: bytes) -> bytes:
    """A body with the contrary verdicts."""
    yes, no = b'\\"verdict\\": \\"yes\\"', b'\\"verdict\\": \\"no\\"'
    return body.replace(yes, b"@").replace(no, yes).replace(b"@", no)


@wire_fault("second_answer")
async def _second(exchange: Exchange) -> None:
    both = message(200, exchange.body) + message(200, _contrary(exchange.body))
    exchange.writer.write(both)


@wire_fault("second_answer_late")
async def _second_late(exchange: Exchange) -> None:
    await exchange.send(200, exchange.body)
    await asyncio.sleep(0.003)
    await exchange.send(200, _contrary(exchange.body))


@wire_fault("bytes_behind")
async def _behind(exchange: Exchange) -> None:
    exchange.writer.write(message(200, exchange.body) + b"garbage")


# ---- compressed bodies


def _packed(name: str, encoding: str, change: Callable[[bytes], bytes]) -> None:
    async def fault(exchange: Exchange) -> None:
        await exchange.send(200, change(exchange.body), {"Content-Encoding": encoding})

    WIRE_FAULTS[name] = fault


_packed("deflate", "deflate", zlib.compress)
_packed("gzip_twice", "gzip, gzip", lambda body: gzip.compress(gzip.compress(body)))
_packed("gzip_no_ending", "gzip", lambda body: gzip.compress(body)[:-8])
_packed("gzip_wrong_checksum", "gzip", lambda body: gzip.compress(body)[:-8] + bytes(8))
_packed("gzip_plain", "gzip", lambda body: body)
_packed("gzip_too_large", "gzip", lambda body: gzip.compress(body + b" " * 2**24, 1))
_packed("encoding_unknown", "x-own", lambda body: body[::-1])


# ---- the endpoint's own JSON


def _changed(name: str, change: Callable[[dict[str, Any]], Any]) -> None:
    async def fault(exchange: Exchange) -> None:
        body = json.loads(exchange.body)
        await exchange.send(200, json.dumps(change(body)).encode())

    WIRE_FAULTS[name] = fault


def _usage(**counts: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda body: body | {"usage": counts}


_changed("usage_null", lambda body: body | {"usage": None})
_changed("usage_list", lambda body: body | {"usage": [1]})
_changed("usage_negative", _usage(prompt_tokens=-5, completion_tokens=-1))
_changed("usage_text", _usage(prompt_tokens="250", completion_tokens="20"))
_changed("usage_fraction", _usage(prompt_tokens=2.5, completion_tokens=0.5))
_changed("usage_total_alone", _usage(total_tokens=250))
_changed("usage_huge", _usage(prompt_tokens=10**30, completion_tokens=1))
_changed(
    "usage_cached",
    _usage(
        prompt_tokens=9, completion_tokens=1, prompt_tokens_details={"cached_tokens": 1000000000}
    ),
)
_changed("usage_zero", _usage(prompt_tokens=0, completion_tokens=0))
_changed("choices_object", lambda body: body | {"choices": {"0": body.get("choices")}})
_changed("choice_null", lambda body: body | {"choices": [None]})
_changed("choice_text", lambda body: body | {"choices": ["yes"]})


def _of_message(name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Declare a fault of the message of the first choice, as OpenAI's endpoints have it."""

    def on(body: dict[str, Any]) -> dict[str, Any]:
        choices = [one | {"message": change(one["message"])} for one in body.get("choices", ())]
        return body | {"choices": choices}

    _changed(name, on)


_of_message("reasoning_alone", lambda one: {"content": None, "reasoning_content": one["content"]})
_of_message("content_number", lambda one: one | {"content": 5})
_of_message("content_object", lambda one: one | {"content": {"a": one["content"]}})
_of_message("content_missing", lambda one: {"role": "assistant"})
_of_message("message_null_text", lambda one: one | {"content": "null"})


def _of_bytes(name: str, change: Callable[[bytes], bytes]) -> None:
    async def fault(exchange: Exchange) -> None:
        await exchange.send(200, change(exchange.body))

    WIRE_FAULTS[name] = fault


def _content_twice(body: bytes) -> bytes:
    """A body whose message has the right content and after it the contrary one."""
    content = json.dumps(json.loads(body)["choices"][0]["message"]["content"]).encode()
    words = b'"content": ' + content
    return body.replace(words, words + b', "content": ' + _contrary(content))


_of_bytes("content_twice", _content_twice)
_of_bytes("bodies_twice", lambda body: body + _contrary(body))
_of_bytes("body_mark", lambda body: b"\xef\xbb\xbf" + body)
_of_bytes("body_blanks", lambda body: b"\n\n" + body + b"\n")
_of_bytes("body_text", lambda body: json.dumps(body.decode()).encode())
_of_bytes("body_stream", lambda body: b"data: " + body + b"\n\ndata: [DONE]\n\n")


@wire_fault("two_choices")
async def _two_choices(exchange: Exchange) -> None:
    body, other = json.loads(exchange.body), json.loads(_contrary(exchange.body))
    body["choices"] += [one | {"index": 1} for one in other["choices"]]
    await exchange.send(200, json.dumps(body).encode())


def _with_status(status: int) -> Fault:
    return lambda exchange: exchange.send(status, exchange.body)


for _code in (201, 202, 203, 206, 300, 418, 451, 507, 599):
    WIRE_FAULTS[f"answer_with_{_code}"] = _with_status(_code)
