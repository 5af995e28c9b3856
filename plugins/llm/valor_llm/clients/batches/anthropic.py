"""Anthropic's batches: requests are sent in one body, and results fetched as a file."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from valor_llm.clients.batches.protocol import PATIENCE, BatchCalls, by_key
from valor_llm.clients.fields import mapping
from valor_llm.clients.http.faults import fault, message_in
from valor_llm.clients.protocol import ClientError, Reply, Request

_PATH = "/v1/messages/batches"

_STATUS: Mapping[Any, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class AnthropicBatches(BatchCalls):
    """The batches of an endpoint for messages."""

    most_requests: ClassVar[int] = 100_000
    most_bytes: ClassVar[int] = 240_000_000

    def line(self, key: str, request: Request) -> bytes:
        """Return the line of a request in a batch."""
        asked = {"custom_id": key, "params": self.client.body(request)}
        return json.dumps(asked).encode()

    def submit(self, lines: Sequence[bytes]) -> str:
        """Send a batch; its name."""
        body = b'{"requests": [' + b", ".join(lines) + b"]}"
        received = self._transport.exchange("POST", _PATH, body, deadline=PATIENCE)
        return self._id(self._transport.parsed(received.data), "batch")

    def results(self, batch: str) -> Mapping[str, Reply | ClientError] | None:
        """Return the replies of a batch by key, or None while it is in progress."""
        place = f"{_PATH}/{batch}"
        with self._known(batch):
            received = self._transport.exchange("GET", place, deadline=PATIENCE)
            if self._transport.parsed(received.data).get("processing_status") != "ended":
                return None
            # The address that the batch names is not followed: it could lead the key elsewhere.
            found = self._replies(f"{place}/results", headers={"accept": "*/*"})
            return by_key(found, self.client.endpoint)

    def _outcome(self, line: Mapping[str, Any]) -> Reply | ClientError:
        """Return the reply to one request, or its error."""
        result = mapping(line.get("result"))
        kind = result.get("type")
        if kind == "succeeded":
            return self._reply(mapping(result.get("message")))
        if kind != "errored":
            return self._lost(f"the request was {kind or 'lost'}")
        outer = mapping(result.get("error"))
        inner = mapping(outer.get("error")) or outer
        status = _STATUS.get(inner.get("type"), 500)
        said = message_in({"error": inner})
        return fault(status, {}, said, self.client.endpoint, time.time())
