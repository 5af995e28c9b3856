"""Protocol of a batch endpoint: requests go there together, and replies are fetched later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from valor_llm.clients.protocol import ClientError, Reply, Request, TransientError

PATIENCE = 600.0
"""Seconds that sending or fetching a whole batch may take."""

MOST_BYTES = 2**30
"""Of the replies of a batch."""


class BatchGone(ClientError):
    """The endpoint knows the batch no more, or will never answer it."""


def by_key(
    outcomes: Iterable[tuple[str, Reply | ClientError]], place: str
) -> dict[str, Reply | ClientError]:
    """Outcomes of requests by key; one with two different outcomes is asked for again.

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
            told = f"{place}: in a batch, expected one answer to a request, found two"
            found[key] = TransientError(told, after=0.0)
    return found


class BatchEndpoint(Protocol):
    """Where batches are sent; safe to use from several threads.

    Attributes
    ----------
    most_requests, most_bytes : int
        What one batch may have.
    """

    @property
    def most_requests(self) -> int:
        """Most requests of a batch."""

    @property
    def most_bytes(self) -> int:
        """Most bytes of a batch."""

    def line(self, key: str, request: Request) -> bytes:
        """A request as it stands in a batch, under a key of letters and digits."""

    def submit(self, lines: Sequence[bytes]) -> str:
        """Send a batch; its name.

        Raises
        ------
        ClientError
            If it is not taken.
        """

    def results(self, batch: str) -> Mapping[str, Reply | ClientError] | None:
        """The replies of a batch by key, or None as long as it is under way.

        Raises
        ------
        BatchGone
            If there will be none.
        ClientError
            If the endpoint cannot be asked now.
        """


@runtime_checkable
class TakesBatches(Protocol):
    """A client whose endpoint has batches."""

    def batches(self) -> BatchEndpoint | None:
        """Return the batch API, or None if the endpoint has none."""
