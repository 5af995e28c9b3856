"""Budget of a judge in calls, tokens and money, and the token rates it is estimated with."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from contextvars import ContextVar

from attrs import define, field, frozen

from valor_llm.clients.protocol import Request, Usage
from valor_llm.parameters.judge import JudgeParameters, Prices

UNKNOWN = 4.0
"""Characters per token before the first count, as in English prose."""


def characters(request: Request) -> int:
    """Characters of a prompt."""
    return sum(len(message.content) for message in request.messages)


@define
class _Step:
    """Counts of one step."""

    calls: int = 0
    characters: int = 0
    prompt: int = 0
    completion: int = 0
    expected: int = 0
    most: float = 0.0
    longest: int = 0

    def add(self, count: int, usage: Usage, expected: int) -> None:
        self.calls += 1
        self.characters += count
        self.prompt += usage.prompt
        self.completion += usage.completion
        self.expected += expected
        self.most = max(self.most, usage.prompt / count)
        self.longest = max(self.longest, usage.completion)


@define(eq=False)
class TokenRates:
    """Ratios of characters to the tokens that an endpoint counted, by step.

    Examples
    --------
    >>> rates = TokenRates()
    >>> rates.prompt("claims", 400), rates.completion("claims", 80)
    (100.0, 20.0)
    >>> rates.note("claims", 300, Usage(prompt=100, completion=20), expected=40)
    >>> rates.note("claims", 200, Usage(prompt=100, completion=40), expected=80)
    >>> rates.prompt("claims", 400), rates.completion("claims", 80)
    (160.0, 40.0)
    >>> rates.most("claims", 400)
    200.0
    """

    _steps: dict[str, _Step] = field(factory=dict)
    _all: _Step = field(factory=_Step)

    def note(self, step: str, count: int, usage: Usage, expected: int = 0) -> None:
        """Add the counts of one call, if the endpoint counts tokens.

        Parameters
        ----------
        step : str
            Name of the step.
        count : int
            Characters of the prompt.
        usage : Usage
            The tokens.
        expected : int
            Characters of the expected reply, if there is one.
        """
        if count and usage.prompt:
            self._steps.setdefault(step, _Step()).add(count, usage, expected)
            self._all.add(count, usage, expected)

    @property
    def counted(self) -> int:
        """Number of counted calls."""
        return self._all.calls

    def prompt(self, step: str, count: int) -> float:
        """Estimate the tokens of a prompt, from the rates of its step or else of all steps."""
        counts = self._steps.get(step, self._all)
        return count * counts.prompt / counts.characters if counts.calls else count / UNKNOWN

    def completion(self, step: str, expected: int) -> float:
        """Estimate the tokens of a reply from its expected number of characters."""
        counts = self._steps.get(step, self._all)
        return (
            expected * counts.completion / counts.expected
            if counts.expected
            else expected / UNKNOWN
        )

    def most(self, step: str, count: int) -> float:
        """Estimate the maximum tokens of a prompt, from the highest rate so far."""
        counts = self._steps.get(step, self._all)
        return count * counts.most if counts.calls else 2 * count / UNKNOWN

    def longest(self, step: str) -> int | None:
        """Tokens of the longest reply so far."""
        counts = self._steps.get(step, self._all)
        return counts.longest if counts.calls else None


_LONGEST = 2048
"""Tokens of a reply whose length is not limited, until one was counted."""


_MARGIN = 2
"""Texts differ in length, so an item may cost more than any before it. With this margin, the last
items of a budget are scored one at a time, and at most one of them remains incomplete."""


class Spent(Exception):
    """The budget allows no further call. The second argument is the remedy."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.remedy = remedy


@frozen
class Spending:
    """Calls, tokens and money.

    Examples
    --------
    >>> Spending(1, 200, 0.5) + Spending(1, 100, 0.25)
    Spending(calls=2, tokens=300, cost=0.75)
    """

    calls: int = 0
    tokens: float = 0
    cost: float = 0.0

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.calls + other.calls, self.tokens + other.tokens, self.cost + other.cost
        )

    def __sub__(self, other: Spending) -> Spending:
        return Spending(
            self.calls - other.calls, self.tokens - other.tokens, self.cost - other.cost
        )

    def highest(self, other: Spending) -> Spending:
        """Return the higher of each quantity."""
        return Spending(
            max(self.calls, other.calls),
            max(self.tokens, other.tokens),
            max(self.cost, other.cost),
        )


def cost_of(usage: Usage, prices: Prices | None, in_batch: bool = False) -> float:
    """Return the cost of a call.

    Examples
    --------
    >>> prices = Prices(prompt=2.0, completion=8.0, cached=1.0)
    >>> cost_of(Usage(prompt=1000, completion=500, cached=400), prices)  # 600 at 2, 400 at 1
    0.0056
    >>> cost_of(Usage(prompt=1000, completion=500, cached=400), prices, in_batch=True)
    0.0028
    """
    if prices is None:
        return 0.0
    cached = prices.prompt if prices.cached is None else prices.cached
    cached_tokens = min(usage.cached, usage.prompt)
    full = (usage.prompt - cached_tokens) * prices.prompt + cached_tokens * cached
    whole = (full + usage.completion * prices.completion) / 1_000_000
    return whole * prices.batch if in_batch else whole


@define(eq=False)
class ItemInProgress:
    """Item of a metric and what its calls have spent.

    Parameters
    ----------
    metric : str
        Name of the metric.
    """

    metric: str
    spent: Spending = field(factory=Spending, init=False)


CURRENT_ITEM: ContextVar[ItemInProgress | None] = ContextVar("CURRENT_ITEM", default=None)
"""Item of the current task, to which its calls are charged."""


@define(eq=False)
class Budget:
    """Remaining budget, less the reservations of calls in progress.

    A call starts only if its maximum cost is available. Calls in progress return the unused part
    of their reservation, and waiting calls then check again. If no call is in progress, the budget
    is spent.

    Parameters
    ----------
    parameters : JudgeParameters
        The limits and prices.
    in_batch : bool
        Whether calls are priced as batch calls.
    """

    parameters: JudgeParameters
    in_batch: bool = False
    rates: TokenRates = field(factory=TokenRates, init=False)
    spent: Spending = field(factory=Spending, init=False)
    _reserved: Spending = field(factory=Spending, init=False)
    _in_progress: int = field(default=0, init=False)
    _returned: asyncio.Event = field(factory=asyncio.Event, init=False)
    _wholes: dict[str, float | None] = field(factory=dict, init=False)
    _workers: int = field(default=1, init=False)
    _items: dict[int, ItemInProgress] = field(factory=dict, init=False)
    _greatest: dict[str, Spending] = field(factory=dict, init=False)
    _latest: dict[str, Spending] = field(factory=dict, init=False)
    _order: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _left: asyncio.Event = field(factory=asyncio.Event, init=False)

    @property
    def is_limited(self) -> bool:
        """True if the calls, tokens or cost have a limit."""
        limits = self.parameters
        return any(
            one is not None for one in (limits.max_calls, limits.max_tokens, limits.max_cost)
        )

    async def enter(self, metric: str, calls: int) -> ItemInProgress:
        """Wait until the budget suffices for an item and those in progress, in order of arrival.

        An item never waits if no other is in progress, so that the rest of a budget is used.

        Parameters
        ----------
        metric : str
            Name of the metric.
        calls : int
            Estimate of the calls of an item, used until the first item has been paid for.
        """
        item = ItemInProgress(metric)
        async with self._order:
            while self._items and not self._suffices(item, calls):
                self._left.clear()
                await self._left.wait()
            self._items[id(item)] = item
        return item

    async def leave(self, item: ItemInProgress) -> None:
        """End an item. The most that an item of a metric has spent is the estimate for others."""
        del self._items[id(item)]
        if item.spent.calls:
            before = self._greatest.get(item.metric, Spending())
            self._greatest[item.metric] = before.highest(item.spent)
        self._left.set()

    def _suffices(self, item: ItemInProgress, calls: int) -> bool:
        """Return whether the budget covers the items in progress and another one."""
        most, rest, limits = Spending(), Spending(), self.parameters
        for spent in self._greatest.values():
            most = most.highest(spent)
        if not self._greatest and limits.max_tokens is None and limits.max_cost is None:
            most = Spending(calls)
        elif not self._greatest:
            return False  # tokens and cost of an item are unknown
        after = self.spent
        for one in (*self._items.values(), item):
            greatest = self._greatest.get(one.metric, most)
            expected = Spending(greatest.calls, _MARGIN * greatest.tokens, _MARGIN * greatest.cost)
            after += (expected - one.spent).highest(Spending())
        # The last call needs the maximum of its step, most of which it returns.
        for reserved in self._latest.values():
            rest = rest.highest(Spending(0, reserved.tokens, reserved.cost))
        return self._limit_of(after + rest) is None

    async def reserve(self, request: Request) -> Spending:
        """Reserve the maximum cost of a call once it is available.

        Raises
        ------
        Spent
            If it will never be available.
        """
        while True:
            most = self._latest[request.step] = self._most(request)
            reason = self._exceeded(most)
            if reason is None:
                self._reserved += most
                self._in_progress += 1
                return most
            if not self._in_progress:
                raise Spent(*reason)
            self._returned.clear()
            await self._returned.wait()

    def divided(self, wholes: Mapping[str, float | None], workers: int) -> None:
        """Store the limits of the config, of which this budget is a part.

        Parameters
        ----------
        wholes : mapping of str to float
            Limits by name.
        workers : int
            Number of workers that share them.
        """
        self._wholes, self._workers = dict(wholes), workers

    def settle(
        self, request: Request, reserved: Spending, usage: Usage, is_estimated: bool = False
    ) -> None:
        """Replace the reservation of a call with its actual cost.

        A call without a reply counts as a call; its endpoint may charge for it all the same.

        Parameters
        ----------
        request : Request
            The request.
        reserved : Spending
            Return value of `reserve`.
        usage : Usage
            Its tokens.
        is_estimated : bool
            Whether the endpoint did not count them, so that later estimates do not use them.
        """
        self._reserved -= reserved
        self._in_progress -= 1
        if not self._in_progress:
            self._reserved = Spending()  # sums of parts leave a rest in the last digits
        if not is_estimated:
            self.rates.note(request.step, characters(request), usage)
        spent = Spending(
            1,
            usage.prompt + usage.completion,
            cost_of(usage, self.parameters.prices, self.in_batch),
        )
        self.spent += spent
        if (item := CURRENT_ITEM.get()) is not None:
            item.spent += spent
        self._returned.set()

    def most(self, request: Request) -> Usage:
        """Maximum tokens of a call."""
        prompt = self.rates.most(request.step, characters(request))
        completion = request.max_tokens or self.rates.longest(request.step) or _LONGEST
        return Usage(prompt=math.ceil(prompt), completion=completion)

    def _most(self, request: Request) -> Spending:
        """Return the maximum cost of a call."""
        usage = self.most(request)
        cost = cost_of(usage, self.parameters.prices, self.in_batch)
        return Spending(1, usage.prompt + usage.completion, cost)

    def _exceeded(self, most: Spending) -> tuple[str, str] | None:
        """Return the limit that a call would exceed and the remedy, or None."""
        limits = self.parameters
        name = self._limit_of(self.spent + self._reserved + most)
        if name == "max_calls":
            return self._reason(name, f"{limits.max_calls:,}", f"{self.spent.calls:,} are made", "")
        if name == "max_tokens":
            spent, more = f"{self.spent.tokens:,} are used", f"{most.tokens:,}"
            return self._reason(name, f"{limits.max_tokens:,}", spent, more)
        if name == "max_cost":
            spent, more = f"{self.spent.cost:.6g} is spent", f"{most.cost:.3g}"
            return self._reason(name, f"{limits.max_cost:g}", spent, more)
        return None

    def _limit_of(self, after: Spending) -> str | None:
        """Return the first limit that a spending exceeds, or None."""
        limits = self.parameters
        each = {"max_calls": after.calls, "max_tokens": after.tokens, "max_cost": after.cost}
        for name, spent in each.items():
            limit = getattr(limits, name)
            if limit is not None and spent > limit:
                return name
        return None

    def _reason(self, name: str, limit: str, spent: str, more: str) -> tuple[str, str]:
        whole = self._wholes.get(name)
        if whole is None:
            next_one = f" and the next call may take {more}" if more else ""
            reason = f"the judge's {name} of {limit} is reached: {spent}{next_one}"
        else:
            # The same text for all workers, whose parts differ in size.
            limit = f"{whole:,}" if isinstance(whole, int) else f"{whole:g}"
            reason = (
                f"the judge's {name} of {limit} is reached by the part of one of {self._workers} "
                "workers"
            )
        return reason, f"Raise judge.{name} and run again: what is paid for is not asked again"
