"""OpenAI's batches: requests are uploaded as a file, and answers fetched as files."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from valor_llm.clients.batches.protocol import PATIENCE, BatchCalls, BatchGone, by_key, json_or_none
from valor_llm.clients.endpoint import Endpoint
from valor_llm.clients.fields import count, mapping
from valor_llm.clients.http.faults import fault, said
from valor_llm.clients.protocol import ClientError, FatalError, Reply, Request

_ENDED = ("completed", "expired", "cancelled")
_FULL = "token_limit_exceeded"


class OpenAIBatches(BatchCalls):
    """The batches of a chat endpoint."""

    most_requests: ClassVar[int] = 50_000
    most_bytes: ClassVar[int] = 190_000_000

    def __init__(self, client: Endpoint) -> None:
        super().__init__(client)
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
        return self._id(answer, "batch")

    def results(self, batch: str) -> Mapping[str, Reply | ClientError] | None:
        """Return the replies of a batch by key, or None while it is in progress."""
        with self._known(batch):
            received = self._transport.exchange("GET", f"/batches/{batch}", deadline=PATIENCE)
        # Not parsed as an answer to a call: a batch reports its errors in addition to its state.
        state = mapping(json_or_none(received.data))
        if state.get("status") == "failed":
            raise self._failed(batch, state)
        if state.get("status") not in _ENDED:
            return None
        files = (state.get(name) for name in ("output_file_id", "error_file_id"))
        paths = (f"/files/{file}/content" for file in files if isinstance(file, str))
        found = (one for path in paths for one in self._replies(path))
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
        return self._id(self._transport.parsed(received.data), "file")

    def _failed(self, batch: str, state: Mapping[str, Any]) -> ClientError:
        """Reason why a batch was not started."""
        data = mapping(state.get("errors")).get("data")
        first = mapping(data[0]) if isinstance(data, list) and data else {}
        why = first.get("message") or "no reason given"
        reason = f"{self.client.endpoint}: batch {batch} failed, {why}"
        if first.get("code") == _FULL:
            return BatchGone(reason)
        return FatalError(reason, "Fix the fault that the endpoint reports, and run again")

    def _outcome(self, line: Mapping[str, Any]) -> Reply | ClientError:
        """Return the reply to one request, or its error."""
        response = mapping(line.get("response"))
        body, status = mapping(response.get("body")), count(response.get("status_code"))
        if not response or line.get("error"):
            return self._lost(str(mapping(line.get("error")).get("message") or "no answer"))
        if status >= 300 or body.get("error"):
            words = said(json.dumps(body).encode())
            status = status if status >= 300 else 500
            return fault(status, {}, words, self.client.endpoint, time.time())
        return self._reply(body)
