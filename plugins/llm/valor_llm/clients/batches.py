"""Batch endpoint: requests are sent together, and replies are fetched later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from valor_llm.clients.fields import json_value, mapping
from valor_llm.clients.protocol import ClientError, FatalError, Reply, Request, TransientError

if TYPE_CHECKING:
    from valor_llm.clients.endpoint import Endpoint

PATIENCE = 600.0
"""Timeout in seconds for sending or fetching a batch."""

MOST_BYTES = 2**30
"""Maximum size of the replies of a batch."""


class BatchGone(ClientError):
    """The batch is unknown to the endpoint, or will never be answered."""


def by_key(
    outcomes: Iterable[tuple[str, Reply | ClientError]], place: str
) -> dict[str, Reply | ClientError]:
    """Group outcomes by key; a key with two different outcomes is requested again.

    Examples
    --------
    >>> yes, no = Reply(text="yes", model="m"), Reply(text="no", model="m")
    >>> by_key([("a", yes), ("a", no)], "http://h")
    {'a': TransientError('http://h: in a batch, expected one answer to a request, found two')}
    """
    found: dict[str, Reply | ClientError] = {}
    for key, outcome in outcomes:
        first = found.setdefault(key, outcome)
        is_same = (
            first.text == outcome.text and first.finish == outcome.finish
            if isinstance(first, Reply) and isinstance(outcome, Reply)
            else type(first) is type(outcome)
        )
        if not is_same:
            message = f"{place}: in a batch, expected one answer to a request, found two"
            found[key] = TransientError(message, after=0.0)
    return found


class BatchEndpoint(Protocol):
    """Batch API of an endpoint; thread-safe.

    Attributes
    ----------
    most_requests, most_bytes : int
        Limits of one batch.
    """

    @property
    def most_requests(self) -> int:
        """Most requests of a batch."""

    @property
    def most_bytes(self) -> int:
        """Most bytes of a batch."""

    def line(self, key: str, request: Request) -> bytes:
        """Return the line of a request in a batch, under a key of letters and digits."""

    def submit(self, lines: Sequence[bytes]) -> str:
        """Send a batch; its name.

        Raises
        ------
        ClientError
            If the endpoint rejects it.
        """

    def results(self, batch: str) -> Mapping[str, Reply | ClientError] | None:
        """Return the replies of a batch by key, or None while it is in progress.

        Raises
        ------
        BatchGone
            If there will be no replies.
        ClientError
            If the endpoint is not available now.
        """


@runtime_checkable
class TakesBatches(Protocol):
    """A client whose endpoint has batches."""

    def batches(self) -> BatchEndpoint | None:
        """Return the batch API, or None if the endpoint has none."""


class BatchCalls:
    """Calls about batches and answers to them that all endpoints have in common.

    Parameters
    ----------
    client : Endpoint
        The endpoint.
    """

    def __init__(self, client: Endpoint) -> None:
        self.client = client
        self._transport = client.transport

    def _replies(self, paths: Iterable[str], **call: Any) -> dict[str, Reply | ClientError]:
        """Return the replies in files by key."""
        files = (
            self._transport.exchange(
                "GET", path, deadline=PATIENCE, most_bytes=MOST_BYTES, **call
            ).data
            for path in paths
        )
        lines = (mapping(json_or_none(line)) for data in files for line in data.splitlines())
        outcomes = ((str(line.get("custom_id")), self._outcome(line)) for line in lines)
        return by_key(outcomes, self.client.endpoint)

    def _outcome(self, line: Mapping[str, Any]) -> Reply | ClientError:
        """Return the reply in a line, or the error of its request."""
        raise NotImplementedError

    def _reply(self, answer: Mapping[str, Any]) -> Reply | ClientError:
        try:
            return self.client.reply(answer)
        except ClientError as error:
            return error

    def _lost(self, why: str) -> ClientError:
        return TransientError(f"{self.client.endpoint}: in a batch, {why}", after=0.0)

    def _id(self, answer: Mapping[str, Any], what: str) -> str:
        name = answer.get("id")
        if not isinstance(name, str):
            raise TransientError(f"{self.client.endpoint}: expected the id of a {what}, found none")
        return name

    @contextmanager
    def _known(self, batch: str) -> Iterator[None]:
        """Raise `BatchGone` if the endpoint does not find a batch."""
        try:
            yield
        except FatalError as error:
            if error.status == 404:
                message = f"{self.client.endpoint}: knows no batch {batch} any more"
                raise BatchGone(message) from error
            raise


def json_or_none(data: bytes) -> Any:
    """Return a value in JSON, or None if it is invalid."""
    try:
        return json_value(data)
    except (ValueError, RecursionError):
        return None
