"""First calls: one call of each kind goes alone until its endpoint has answered it.

An endpoint that rejects a parameter rejects it at once. So the calls that would be rejected for the
same reason wait for the first one, and are sent as it was accepted.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable

from attrs import define, field

from valor_llm.clients.protocol import Request

Kind = tuple[object, ...]
"""Parameters of a request that an endpoint may reject."""

_PATIENCE = 2.0
"""Seconds to wait for a first answer. A call that takes longer is at work: a rejection does not."""

_LEADERS = 3
"""Calls of a kind that fail one after another before all of them go."""


def kind_of(request: Request) -> Kind | None:
    """The kind of a request, or None if it has nothing that an endpoint may reject.

    Examples
    --------
    >>> kind_of(Request(messages=(), schema={}, step="claims", format="text")) is None
    True
    """
    has_lengths = request.format != "text" and "Items'" in repr(request.schema)
    kind = (
        request.format if request.format != "text" else None,
        request.temperature is not None,
        request.seed is not None,
        request.max_tokens_key if request.max_tokens is not None else None,
        request.alternatives if request.probabilities else None,
        has_lengths,
    )
    return kind if any(kind) else None


@define(eq=False)
class _Lead:
    """A first call under way."""

    until: float
    ended: asyncio.Event = field(factory=asyncio.Event)


@define(eq=False)
class FirstCalls:
    """Kinds of requests that an endpoint has answered, and those whose first call is under way.

    Everything is called on one event loop.

    Parameters
    ----------
    is_open : bool
        Whether no call has to wait.
    patience : float
        Seconds to wait for a first answer.
    clock : callable
        The time in seconds.
    """

    is_open: bool = False
    patience: float = _PATIENCE
    clock: Callable[[], float] = time.monotonic
    _answered: set[Kind] = field(factory=set, init=False)
    _leads: dict[Kind, _Lead] = field(factory=dict, init=False)
    _failed: Counter[Kind] = field(factory=Counter, init=False)

    def may_go(self, kind: Kind | None) -> bool:
        """Whether a call of a kind does not have to wait for another."""
        return self.is_open or kind is None or kind in self._answered

    def leads(self, kind: Kind) -> bool:
        """Whether a call becomes the first of its kind, since no other one is."""
        if kind in self._leads:
            return False
        self._leads[kind] = _Lead(self.clock() + self.patience)
        return True

    async def wait(self, kind: Kind) -> None:
        """Wait until the first call of a kind has ended, or has taken too long."""
        lead = self._leads[kind]
        try:
            await asyncio.wait_for(lead.ended.wait(), max(0.0, lead.until - self.clock()))
        except TimeoutError:
            self._answered.add(kind)

    def end(self, kinds: set[Kind], answered: Kind | None) -> None:
        """Let calls go that waited for a first call.

        Parameters
        ----------
        kinds : set of Kind
            The kinds that the call was the first of.
        answered : Kind, optional
            The kind that got a reply.
        """
        if answered is not None:
            self._answered.add(answered)
        for kind in kinds:
            self._leads.pop(kind).ended.set()
            if answered is None:
                self._failed[kind] += 1
                if self._failed[kind] == _LEADERS:
                    self._answered.add(kind)

    def lift(self) -> None:
        """Let every call go, because no further one is made."""
        self.is_open = True
        for lead in self._leads.values():
            lead.ended.set()
