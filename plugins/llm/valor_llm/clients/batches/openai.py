"""OpenAI's batches: requests are uploaded as a file, and answers fetched as files."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from valor_llm.clients.batches.protocol import MOST_BYTES, PATIENCE, BatchGone, by_key
from valor_llm.clients.endpoint import Endpoint
from valor_llm.clients.fields import count, json_value, mapping
from valor_llm.clients.http.faults import fault, said
from valor_llm.clients.protocol import ClientError, FatalError, Reply, Request, TransientError

_ENDED = ("completed", "expired", "cancelled")
_FULL = "token_limit_exceeded"


class OpenAIBatches:
    """The batches of a chat endpoint.

    Parameters
    ----------
    client : Endpoint
        The endpoint.
    """

    most_requests: ClassVar[int] = 50_000
    most_bytes: ClassVar[int] = 190_000_000

    def __init__(self, client: Endpoint) -> None:
        self.client = client
        self._transport = client.transport
        self._url = "/v1" + client.dialect.path

    def line(self, key: str, request: Request) -> bytes:
        """Return the line of a request in a batch."""
        record = {"custom_id": key, "method": "POST", "url": self._url}
        return json.dumps(record | {"body": self.client.body(request)}).encode() + b"\n"

    def submit(self, lines: Sequence[bytes]) -> str:
        """Send a batch; its name."""
        file = self._uploaded(b"".join(lines))
        body = {"input_file_id": file, "endpoint": self._url, "completion_window": "24h"}
        answer = self._transport.post("/batches", body, PATIENCE)
        return _named(answer, "batch", self.client.endpoint)

    def results(self, batch: str) -> Mapping[str, Reply | ClientError] | None:
        """Return the replies of a batch by key, or None while it is in progress."""
        try:
            received = self._transport.exchange("GET", f"/batches/{batch}", deadline=PATIENCE)
        except FatalError as error:
            if error.status == 404:
                message = f"{self.client.endpoint}: knows no batch {batch} any more"
                raise BatchGone(message) from error
            raise
        # Not parsed as an answer to a call: a batch reports its errors in addition to its state.
        state = mapping(_json(received.data))
        if state.get("status") == "failed":
            raise self._failed(batch, state)
        if state.get("status") not in _ENDED:
            return None
        files = (state.get(name) for name in ("output_file_id", "error_file_id"))
        found = (one for file in files if isinstance(file, str) for one in self._read(file))
        return by_key(found, self.client.endpoint)

    def _uploaded(self, content: bytes) -> str:
        """Name of a file that has been sent."""
        between = f"valor-{secrets.token_hex(16)}"
        parts = (
            f'--{between}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f"--{between}\r\n"
            'Content-Disposition: form-data; name="file"; filename="questions.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        ).encode()
        received = self._transport.exchange(
            "POST",
            "/files",
            parts + content + f"\r\n--{between}--\r\n".encode(),
            headers={"content-type": f"multipart/form-data; boundary={between}"},
            deadline=PATIENCE,
        )
        return _named(self._transport.parsed(received.data), "file", self.client.endpoint)

    def _failed(self, batch: str, state: Mapping[str, Any]) -> ClientError:
        """Reason why a batch was not started."""
        data = mapping(state.get("errors")).get("data")
        first = mapping(data[0]) if isinstance(data, list) and data else {}
        why = first.get("message") or "no reason given"
        reason = f"{self.client.endpoint}: batch {batch} failed, {why}"
        if first.get("code") == _FULL:
            return BatchGone(reason)
        return FatalError(reason, "Fix the fault that the endpoint reports, and run again")

    def _read(self, file: str) -> list[tuple[str, Reply | ClientError]]:
        """Keys in a file, each with the outcome of its request."""
        received = self._transport.exchange(
            "GET", f"/files/{file}/content", deadline=PATIENCE, most_bytes=MOST_BYTES
        )
        lines = map(mapping, map(_json, received.data.splitlines()))
        return [(str(line.get("custom_id")), self._outcome(line)) for line in lines]

    def _outcome(self, line: Mapping[str, Any]) -> Reply | ClientError:
        """Return the reply to one request, or its error."""
        place, response = self.client.endpoint, mapping(line.get("response"))
        body, status = mapping(response.get("body")), count(response.get("status_code"))
        if not response or line.get("error"):
            error = mapping(line.get("error"))
            return TransientError(
                f"{place}: in a batch, {error.get('message') or 'no answer'}", after=0.0
            )
        if status >= 300 or body.get("error"):
            data = json.dumps(body).encode()
            return fault(status if status >= 300 else 500, {}, said(data), place, time.time())
        try:
            return self.client.reply(body)
        except ClientError as error:
            return error


def _json(line: bytes) -> Any:
    try:
        return json_value(line)
    except (ValueError, RecursionError):
        return None


def _named(answer: Mapping[str, Any], what: str, place: str) -> str:
    name = answer.get("id")
    if not isinstance(name, str):
        raise TransientError(f"{place}: expected the id of a {what}, found none")
    return name
