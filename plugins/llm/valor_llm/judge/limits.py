"""Limits of concurrent calls and of calls per minute, and pauses between attempts."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Callable

from attrs import define, field, frozen

from valor_llm.clients.protocol import TransientError

_MINUTE = 60.0
_TICK = 1e-3  # extra seconds of a pause, so that rounding leaves no rest


@define(eq=False)
class Ticket:
    """A call in progress.

    Parameters
    ----------
    began : float
        When it began.
    tokens : int
        Its share of the tokens per minute: an estimate until its usage is known.
    """

    began: float
    tokens: int


@define(eq=False)
class Limits:
    """Adaptive concurrency, and optional numbers of requests and tokens in any minute.

    A rate limit halves the allowed concurrency, once for all calls that were in progress, and
    pauses new calls for as long as the endpoint asks. After as many successful calls as are
    allowed, the concurrency rises by one. All methods run on one event loop.

    Parameters
    ----------
    concurrency : int
        Maximum number of concurrent calls.
    requests_per_minute, tokens_per_minute : int, optional
        Maximum in any 60 seconds. A call with more tokens than that starts alone.
    clock : callable
        The time in seconds.

    Examples
    --------
    >>> now = [0.0]
    >>> limits = Limits(4, clock=lambda: now[0])
    >>> tickets = [limits.begin() for _ in range(4)]
    >>> limits.delay(), limits.allowed
    (inf, 4)
    >>> for ticket in tickets:
    ...     limits.limited(ticket, after=10)
    >>> limits.delay(), limits.allowed
    (10.001, 2)
    """

    concurrency: int
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    clock: Callable[[], float] = time.monotonic
    allowed: int = field(init=False)
    under_way: int = field(default=0, init=False)
    _clean: int = field(default=0, init=False)
    _halved: float = field(default=-math.inf, init=False)
    _paused_until: float = field(default=-math.inf, init=False)
    _begun: deque[Ticket] = field(factory=deque, init=False)
    _lifted: bool = field(default=False, init=False)
    _turn: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _changed: asyncio.Event = field(factory=asyncio.Event, init=False)

    def __attrs_post_init__(self) -> None:
        self.allowed = self.concurrency

    async def enter(self, tokens: int = 0) -> Ticket:
        """Wait until a call may begin, each in its turn."""
        async with self._turn:
            while (delay := self.delay(tokens)) > 0:
                self._changed.clear()
                await self._change(delay)
            return self.begin(tokens)

    async def _change(self, delay: float) -> None:
        if delay == math.inf:
            await self._changed.wait()
            return
        try:
            await asyncio.wait_for(self._changed.wait(), delay)
        except TimeoutError:
            return

    def delay(self, tokens: int = 0) -> float:
        """Return the seconds until a call may start; infinite until another call has ended."""
        if self._lifted:
            return 0.0
        if self.under_way >= self.allowed:
            return math.inf
        now = self.clock()
        left = max(self._paused_until - now, self._until_in_a_minute(now, tokens))
        return left + _TICK if left > 0 else 0.0

    def begin(self, tokens: int = 0) -> Ticket:
        """Count a call as in progress."""
        self.under_way += 1
        ticket = Ticket(self.clock(), tokens)
        if self.requests_per_minute is not None or self.tokens_per_minute is not None:
            self._begun.append(ticket)
        return ticket

    def clean(self, ticket: Ticket, tokens: int | None = None) -> None:
        """Note the end of a call with a reply, and its tokens."""
        if tokens is not None:
            ticket.tokens = tokens
        self._clean += 1
        if self._clean >= self.allowed:
            self._clean = 0
            self.allowed = min(self.concurrency, self.allowed + 1)
        self.ended(ticket)

    def limited(self, ticket: Ticket, after: float | None = None) -> None:
        """Note the end of a call with a rate limit, and the pause that the endpoint asks for."""
        now = self.clock()
        self._clean = 0
        if ticket.began > self._halved:
            # Calls from before the last halving do not show if the reduced concurrency is allowed.
            self.allowed = max(1, self.allowed // 2)
            self._halved = now
        if after is not None:
            self._paused_until = max(self._paused_until, now + after)
        self.ended(ticket)

    def ended(self, ticket: Ticket) -> None:
        """Note the end of a call, with or without a reply."""
        self.under_way -= 1
        self._changed.set()

    def lift(self) -> None:
        """Let all waiting calls start, since no further call is made."""
        self._lifted = True
        self._changed.set()

    def _until_in_a_minute(self, now: float, tokens: int) -> float:
        """Seconds until the last minute has room for one call more."""
        while self._begun and self._begun[0].began <= now - _MINUTE:
            self._begun.popleft()
        requests, until = len(self._begun), 0.0
        spent = sum(one.tokens for one in self._begun) if self.tokens_per_minute else 0
        for one in self._begun:
            if self._has_room(requests, spent, tokens):
                break
            requests, spent = requests - 1, spent - one.tokens
            until = one.began + _MINUTE - now
        return until

    def _has_room(self, requests: int, spent: int, tokens: int) -> bool:
        if self.requests_per_minute is not None and requests >= self.requests_per_minute:
            return False
        return self.tokens_per_minute is None or spent + tokens <= self.tokens_per_minute


@frozen
class Retries:
    """Exponential back-off with full jitter; an endpoint may ask for longer pauses.

    Parameters
    ----------
    most : int
        Maximum number of retries.
    first : float
        Maximum of the first pause in seconds, which each further failure doubles. Half a second
        covers a dropped connection; later pauses cover the restart of a server.
    longest : float
        Maximum pause in seconds, unless the endpoint asks for more.
    patience : float
        Maximum pause in seconds that an endpoint may ask for. If it asks for more, the call
        fails: the user decides about a quota of hours.
    draw : callable
        A random number between two.

    Examples
    --------
    >>> retries = Retries(4, draw=lambda low, high: high)
    >>> [retries.pause(failed, TransientError("503")) for failed in (1, 2, 3, 4, 5)]
    [0.5, 1.0, 2.0, 4.0, None]
    >>> retries.pause(1, TransientError("429", after=20))
    20.5
    """

    most: int
    first: float = 0.5
    longest: float = 30.0
    patience: float = 600.0
    draw: Callable[[float, float], float] = field(default=random.uniform)

    def pause(self, failed: int, error: TransientError) -> float | None:
        """Return the seconds until the next attempt, or None after the last.

        Parameters
        ----------
        failed : int
            Number of failures so far.
        error : TransientError
            Last error.
        """
        if failed > self.most or not self.is_patient(error):
            return None
        after = error.after or 0.0
        # Drawn from 0, so that calls that failed together do not come back together.
        return after + self.draw(0.0, min(self.longest, self.first * 2.0 ** (failed - 1)))

    def is_patient(self, error: TransientError) -> bool:
        """Return whether the pause that an endpoint asks for is acceptable.

        Examples
        --------
        >>> errors = [TransientError("429", after=seconds) for seconds in (60, 86_400)]
        >>> [Retries(4).is_patient(error) for error in errors]
        [True, False]
        """
        return (error.after or 0.0) <= self.patience
