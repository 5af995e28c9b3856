"""Calls of one client: retries, limits, budget, and adaptation to the endpoint."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from attrs import evolve

from valor_core.errors import ResourceStopped
from valor_llm.clients.protocol import (
    BadRequest,
    Client,
    ClientError,
    CutPrompt,
    FatalError,
    RateLimited,
    Reply,
    Request,
    TransientError,
    Unreachable,
    Usage,
)
from valor_llm.judge.budget import Budget, Spent, cost_of
from valor_llm.judge.capabilities import Capabilities, FirstCalls, Kind, kind_of
from valor_llm.judge.limits import Limits, Retries, Ticket
from valor_llm.judge.token_counts import SentPrompts, TokenCounts, plausible, text_of
from valor_llm.parameters.judge import JudgeParameters

OnReply = Callable[[Reply], object]
"""Callback for a reply, on the thread that received it."""

Send = Callable[[Request, Callable[[Reply], Reply]], Awaitable[Reply]]
"""Returns the reply to a request, after passing it to a function that stores it."""

_GRACE = 1.0  # seconds
_UNFIT = 2  # replies that do not fit, and none that does, before another format is tried


def _nothing(reply: Reply) -> None:
    """Default callback: does nothing with a reply."""


_LONGER = "Raise the context window of the server, or shorten the texts"

_PRICED = ("prompt", "completion", "cached")


class Calls:
    """Calls of one client.

    Everything runs on Valor's event loop; blocking calls run on threads.

    Parameters
    ----------
    parameters : JudgeParameters
        Concurrency, timeouts and retries.
    client : Client
        The client.
    features : Capabilities, optional
        Stored capabilities of the endpoint.
    learned : callable, optional
        Callback for new capabilities.
    retries : Retries, optional
        Retries. Defaults to those of the parameters.
    budget : Budget, optional
        Budget, which several clients may share. Defaults to that of the parameters.
    send : callable, optional
        Sends requests in batches instead of one call each.
    clock : callable
        The time in seconds.

    """

    def __init__(
        self,
        parameters: JudgeParameters,
        client: Client,
        *,
        features: Capabilities | None = None,
        learned: Callable[[Capabilities], object] = lambda features: None,
        retries: Retries | None = None,
        budget: Budget | None = None,
        send: Send | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.parameters = parameters
        self.client = client
        self.features = features or Capabilities.lacking(getattr(client, "lacks", ()))
        self._learned = learned
        self._retries = retries or Retries(parameters.http_retries)
        self._budget = budget or Budget(parameters, in_batch=send is not None)
        self._send = send
        self._clock = clock
        self._limits = Limits(
            parameters.concurrency,
            parameters.requests_per_minute,
            parameters.tokens_per_minute,
            clock,
        )
        self._threads = ThreadPoolExecutor(parameters.concurrency, "valor-judge")
        self._why: str | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = asyncio.Event()
        self._until: float | None = None
        self._fitting: Counter[bool] = Counter()
        self._counted: Counter[str] = Counter()
        self._replies = 0
        self._estimated = 0
        is_known = features is not None or send is not None or not client.is_remote
        self._first = FirstCalls(is_open=is_known)
        self._sent_prompts = SentPrompts()

    @property
    def stop(self) -> str | None:
        """Reason why no further call is made, or None; set once, from any thread."""
        return self._why

    @stop.setter
    def stop(self, reason: str) -> None:
        self._why = self._why or reason
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_waits)

    def _end_waits(self) -> None:
        """Wake the calls that wait for their turn or for another attempt."""
        self._stopped.set()
        self._limits.lift()
        self._first.lift()

    async def complete(self, request: Request, on_reply: OnReply = _nothing) -> Reply:
        """Return a reply to one request.

        Parameters
        ----------
        request : Request
            The request.
        on_reply : callable
            Callback for the reply on the thread that received it, before anything else happens. It
            is called even if the task that asked was cancelled.

        Raises
        ------
        ClientError
            If all attempts fail.
        ResourceStopped
            If no further call is made.
        """
        self._loop = asyncio.get_running_loop()
        led: set[Kind] = set()
        answered: Kind | None = None
        try:
            reply = await self._completed(request, on_reply, led)
            answered = kind_of(self.features.fitted(request))
            return reply
        finally:
            self._first.end(led, answered)

    async def _completed(self, request: Request, on_reply: OnReply, led: set[Kind]) -> Reply:
        """Return a reply; as the first call of its kind, it lets other calls of the kind wait."""
        self._check(request)
        features, failed, heard = self.features, 0, self._replies
        while True:
            asked = features.fitted(request)
            kind = kind_of(asked)
            if kind is not None and kind not in led and not self._first.may_go(kind):
                if not self._first.leads(kind):
                    await self._first.wait(kind)
                    features = features.joined(self.features)
                    continue
                led.add(kind)
            try:
                reply = await self._paid(asked, on_reply)
            except BadRequest as error:
                found = features.after(asked, str(error))
                if found is None:
                    raise
                # Only a reply proves a capability: a rejected request does not change others.
                features = found
            except TransientError as error:
                failed += 1
                # Another call leads meanwhile.
                self._first.end(led, None)
                led.clear()
                await self._pause(failed, error, is_alone=self._replies == heard)
                features = features.joined(self.features)
            except FatalError as error:
                if error.words and error.words.lower() in text_of(request).lower():
                    raise BadRequest(str(error)) from error
                raise self._stop(str(error), error.remedy) from error
            else:
                self._know(features)
                return reply

    def learn(self, reply: Reply, fits: bool) -> None:
        """Count whether a reply has the requested form.

        Endpoints that accept a schema and ignore it, or send it back, answer with status 200. If
        the first replies do not fit and none does, the next format is tried.
        """
        if reply.format != self.features.format or reply.finish not in ("stop", "other"):
            return
        self._fitting[fits] += 1
        if self._fitting[False] >= _UNFIT and not self._fitting[True]:
            lowered = self.features.lowered()
            if lowered is not None:
                self._know(lowered)

    def facts(self) -> dict[str, Any]:
        """Return the facts for the report."""
        facts: dict[str, Any] = dict(self._counted)
        if self.parameters.prices is not None:
            counts = {name: self._counted[f"{name}_tokens"] for name in _PRICED}
            facts["cost"] = cost_of(Usage(**counts), self.parameters.prices, self._budget.in_batch)
        if self.client.is_remote:
            facts["format"] = self.features.format
        if self.features.left_out:
            facts["not_taken"] = sorted(self.features.left_out)
        return facts

    def warnings(self) -> list[str]:
        """Calls whose tokens the endpoint did not count, if a budget or a price needs them."""
        if not self._estimated:
            return []
        return [
            f"{self.client.endpoint}: no usable token counts of {self._estimated:,} of "
            f"{self._counted['calls']:,} calls; tokens and cost of these are the most that was "
            "reserved for them. Use judge.max_calls, which needs no counts"
        ]

    def close(self) -> None:
        """Start no further call; the owner of the client ends the calls in progress."""
        self.stop = "the judge is closed"
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _paid(self, request: Request, on_reply: OnReply) -> Reply:
        """Make one attempt, within the budget."""
        try:
            reserved = await self._budget.reserve(request)
        except Spent as error:
            raise self._stop(str(error), error.remedy) from error
        most = self._budget.most(request)
        counts = TokenCounts(Usage(), False)
        try:
            reply = await self._once(request, on_reply)
            counts = self._counts(reply.usage, len(reply.text), most)
            self._replies += 1
            self._count(counts)
            return reply
        except ClientError as error:
            if error.usage is not None:
                counts = self._counts(plausible(error.usage, request, ""), 0, most)
                self._count(counts)
            raise
        finally:
            self._budget.settle(request, reserved, counts.usage, counts.is_estimated)

    def _counts(self, usage: Usage, reply_length: int, most: Usage) -> TokenCounts:
        """Return the tokens of an answered call, estimated only if a limit needs them."""
        limits = self.parameters
        if not self.client.is_remote or (limits.max_tokens is None and limits.prices is None):
            return TokenCounts(usage, False)
        return TokenCounts.of(usage, reply_length, most)

    async def _once(self, request: Request, on_reply: OnReply) -> Reply:
        """Make one attempt as soon as the limits allow it."""
        if not self.client.is_remote:
            self._admit(request)
            return await self._answer(request, on_reply)
        if self._send is not None:
            return await self._sent(self._send, request, on_reply)
        tokens = _tokens(request)
        ticket = await self._entered(tokens)
        try:
            left = self._admit(request)
            within = evolve(request, deadline=min(request.deadline, left))
            reply = await self._answer(within, on_reply)
        except RateLimited as error:
            self._counted["rate_limited"] += 1
            self._limits.limited(ticket, error.after)
            raise
        except BaseException:
            self._limits.ended(ticket)
            raise
        self._limits.clean(ticket, reply.usage.prompt + reply.usage.completion or None)
        return reply

    async def _entered(self, tokens: int) -> Ticket:
        """Wait until the limits allow a call, at most until the end of the run."""
        left = self._left()
        try:
            async with asyncio.timeout(None if math.isinf(left) else left):
                return await self._limits.enter(tokens)
        except TimeoutError as error:
            raise self._over() from error

    def _admit(self, request: Request) -> float:
        """Check whether a call is allowed and return the seconds it may take."""
        left = self._left()
        if self.stop is not None:
            raise ResourceStopped(self.stop)
        self._counted["calls"] += 1
        return left

    def _left(self) -> float:
        """Seconds until the end of the run."""
        now = self._clock()
        if self._until is None and self.parameters.run_timeout is not None:
            self._until = now + self.parameters.run_timeout
        left = float("inf") if self._until is None else self._until - now
        if left <= 0:
            raise self._over()
        return left

    def _over(self) -> ResourceStopped:
        return self._stop(
            f"the judge's run_timeout of {self.parameters.run_timeout:g} s is over",
            "Raise judge.run_timeout, or run again to go on",
        )

    async def _sent(self, send: Send, request: Request, on_reply: OnReply) -> Reply:
        """Make one attempt in a batch, at most until the end of the run."""
        left = self._admit(request)
        self._sent_prompts.add(text_of(request))
        try:
            return await asyncio.wait_for(
                send(request, partial(self._handed, request=request, on_reply=on_reply)),
                None if math.isinf(left) else left,
            )
        except TimeoutError as error:
            raise self._over() from error

    def _count(self, counts: TokenCounts) -> None:
        """Add the tokens of a call."""
        usage = counts.usage
        self._estimated += counts.is_estimated
        self._counted["prompt_tokens"] += usage.prompt
        self._counted["completion_tokens"] += usage.completion
        for name in ("cached", "reasoning"):
            if tokens := getattr(usage, name):
                self._counted[f"{name}_tokens"] += tokens

    async def _answer(self, request: Request, on_reply: OnReply) -> Reply:
        complete: Callable[[Request], Any] = self.client.complete
        if self.client.is_remote:
            self._sent_prompts.add(text_of(request))

        def carry_out() -> Reply:
            return self._handed(complete(request), request, on_reply)

        try:
            if inspect.iscoroutinefunction(complete):
                async with asyncio.timeout(request.deadline):
                    reply: Reply = await complete(request)
                return self._handed(reply, request, on_reply)
            if not self.client.is_remote:
                return carry_out()
            # A blocking client reports a timeout in more detail, so it gets a grace period.
            async with asyncio.timeout(request.deadline + _GRACE):
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._threads, carry_out)
        except TimeoutError as error:
            message = f"{self.client.endpoint}: no reply within {request.deadline:.4g} s"
            raise TransientError(message) from error

    def _handed(self, reply: Reply, request: Request, on_reply: OnReply) -> Reply:
        """Return the reply with plausible counts, after calling `on_reply` with it.

        Raises
        ------
        CutPrompt
            If the endpoint has read only a part of the prompt; `on_reply` is not called then.
        """
        usage = reply.usage
        reply = evolve(reply, format=request.format, usage=plausible(usage, request, reply.text))
        if self.client.is_remote and reply.usage.prompt:
            text = text_of(request)
            # Some gateways do not include cached tokens in the count of the prompt.
            counted = reply.usage.prompt + max(usage.cached, 0)
            if self._sent_prompts.is_cut(text, counted):
                raise CutPrompt(
                    f"{self.client.endpoint}: expected a count of the whole prompt of "
                    f"{len(text):,} characters, got {reply.usage.prompt:,} tokens: the endpoint "
                    f"cut the prompt off. {getattr(self.client, 'longer', _LONGER)}",
                    reply.usage,
                )
        on_reply(reply)
        return reply

    def _check(self, request: Request) -> None:
        """Raise a `ClientError` for a request that its client cannot send."""
        check = getattr(self.client, "check", None)
        if check is not None:
            check(request)

    async def _pause(self, failed: int, error: TransientError, is_alone: bool) -> None:
        """Wait before another attempt, or raise the error after the last one.

        If no other call got a reply in the meantime either, an unreachable endpoint will
        not be reached by the next call.
        """
        left = self._left()  # a call that the end of the run interrupts has not failed
        if isinstance(error, RateLimited) and not self._retries.is_patient(error):
            raise self._stop(
                f"{error}, and asks for no call within {error.after:,.0f} s",
                "Run again after that: what is paid for is not asked again",
            )
        pause = self._retries.pause(failed, error)
        if pause is None:
            if failed > 1:
                error.args = (f"{error}, in {failed} attempts",)
            if is_alone and isinstance(error, Unreachable):
                raise self._stop(str(error), "Start the server, or correct its base_url") from error
            raise error
        self._counted["http_retries"] += 1
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopped.wait(), min(pause, left))

    def _stop(self, reason: str, remedy: str | None) -> ResourceStopped:
        """Stop further calls."""
        stopped = ResourceStopped(reason, remedy)
        self.stop = stopped.one_line
        return stopped

    def _know(self, found: Capabilities) -> None:
        """Remember the capabilities that a reply has proved."""
        joined = self.features.joined(found)
        if joined != self.features:
            if joined.format != self.features.format:
                self._fitting.clear()
            self.features = joined
            self._learned(joined)


def _tokens(request: Request) -> int:
    """Estimate the tokens of a prompt, until the endpoint has counted them."""
    return sum(len(one.content) for one in request.messages) // 4
