"""Anthropic's batches: requests are sent in one body, and results fetched as a file."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from valor_llm.clients.batches.protocol import MOST_BYTES, PATIENCE, BatchGone, by_key
from valor_llm.clients.endpoint import Endpoint
from valor_llm.clients.fields import json_value, mapping
from valor_llm.clients.http.faults import fault, message_in
from valor_llm.clients.protocol import ClientError, FatalError, Reply, Request, TransientError

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


class AnthropicBatches:
    """The batches of an endpoint for messages.

    Parameters
    ----------
    client : Endpoint
        The endpoint.
    """

    most_requests: ClassVar[int] = 100_000
    most_bytes: ClassVar[int] = 240_000_000

    def __init__(self, client: Endpoint) -> None:
        self.client = client
        self._transport = client.transport

    def line(self, key: str, request: Request) -> bytes:
        """Return the line of a request in a batch."""
        asked = {"custom_id": key, "params": self.client.body(request)}
        return json.dumps(asked).encode()

    def submit(self, lines: Sequence[bytes]) -> str:
        """Send a batch; its name."""
        body = b'{"requests": [' + b", ".join(lines) + b"]}"
        received = self._transport.exchange("POST", _PATH, body, deadline=PATIENCE)
        name = self._transport.parsed(received.data).get("id")
        if not isinstance(name, str):
            raise TransientError(f"{self.client.endpoint}: expected the id of a batch, found none")
        return name

    def results(self, batch: str) -> Mapping[str, Reply | ClientError] | None:
        """Return the replies of a batch by key, or None while it is in progress."""
        place = f"{_PATH}/{batch}"
        try:
            received = self._transport.exchange("GET", place, deadline=PATIENCE)
            if self._transport.parsed(received.data).get("processing_status") != "ended":
                return None
            # The address that the batch names is not followed: it could lead the key elsewhere.
            received = self._transport.exchange(
                "GET",
                f"{place}/results",
                headers={"accept": "*/*"},
                deadline=PATIENCE,
                most_bytes=MOST_BYTES,
            )
        except FatalError as error:
            if error.status == 404:
                gone = f"{self.client.endpoint}: knows no batch {batch} any more"
                raise BatchGone(gone) from error
            raise
        found = []
        for line in received.data.splitlines():
            try:
                one = mapping(json_value(line))
            except (ValueError, RecursionError):
                continue
            found.append((str(one.get("custom_id")), self._outcome(mapping(one.get("result")))))
        return by_key(found, self.client.endpoint)

    def _outcome(self, result: Mapping[str, Any]) -> Reply | ClientError:
        """Return the reply to one request, or its error."""
        place, kind = self.client.endpoint, result.get("type")
        if kind == "succeeded":
            try:
                return self.client.reply(mapping(result.get("message")))
            except ClientError as error:
                return error
        if kind != "errored":
            return TransientError(
                f"{place}: in a batch, the request was {kind or 'lost'}", after=0.0
            )
        outer = mapping(result.get("error"))
        inner = mapping(outer.get("error")) or outer
        status = _STATUS.get(inner.get("type"), 500)
        return fault(status, {}, message_in({"error": inner}), place, time.time())
