"""Limits of concurrent calls and of calls per minute, with a fake clock."""

from __future__ import annotations

import asyncio
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_llm.clients.protocol import TransientError
from valor_llm.judge.limits import Limits, Retries, Ticket


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_rate_limit_halves_concurrency_once_for_all_calls_in_progress() -> None:
    clock = Clock()
    limits = Limits(16, clock=clock)
    tickets = [limits.begin() for _ in range(16)]
    clock.now += 1
    for ticket in tickets:
        limits.limited(ticket)
    assert limits.allowed == 8
    later = [limits.begin() for _ in range(8)]
    clock.now += 1
    for ticket in later[:2]:
        limits.limited(ticket)
    assert limits.allowed == 8  # begun at the moment of the halving
    clock.now += 1
    ticket = limits.begin()
    clock.now += 1
    limits.limited(ticket)
    assert limits.allowed == 4


def test_a_clean_round_raises_by_one_and_never_above_the_concurrency() -> None:
    clock = Clock()
    limits = Limits(8, clock=clock)
    ticket = limits.begin()
    clock.now += 1
    limits.limited(ticket)
    assert limits.allowed == 4
    rounds = []
    while limits.allowed < 8:
        before, replies = limits.allowed, 0
        while limits.allowed == before:
            limits.clean(limits.begin())
            replies += 1
        rounds.append(replies)
    assert rounds == [4, 5, 6, 7]  # a round is as many replies as may be under way
    for _ in range(100):
        limits.clean(limits.begin())
    assert limits.allowed == 8


def test_one_call_is_always_allowed() -> None:
    clock = Clock()
    limits = Limits(2, clock=clock)
    for _ in range(10):
        ticket = limits.begin()
        clock.now += 1
        limits.limited(ticket)
    assert limits.allowed == 1


def test_no_call_begins_while_the_endpoint_wants_to_be_left_alone() -> None:
    clock = Clock()
    limits = Limits(4, clock=clock)
    limits.limited(limits.begin(), after=30)
    limits.limited(limits.begin(), after=5)  # asks for less, which changes nothing
    assert limits.delay() == pytest.approx(30.0, abs=0.01)
    clock.now += 29
    assert limits.delay() == pytest.approx(1.0, abs=0.01)
    clock.now += 1.01
    assert limits.delay() == 0.0


def test_calls_in_a_minute_are_counted_from_when_they_began() -> None:
    clock = Clock()
    limits = Limits(100, requests_per_minute=3, clock=clock)
    for _ in range(3):
        assert limits.delay() == 0.0
        limits.clean(limits.begin())
        clock.now += 10
    # Begun at 0, 10 and 20; now it is 30, and the first is out of the minute at 60.
    assert limits.delay() == pytest.approx(30.0, abs=0.01)
    clock.now += 30
    assert limits.delay() == 0.0


def test_tokens_in_a_minute_are_those_that_the_endpoint_counted() -> None:
    clock = Clock()
    limits = Limits(100, tokens_per_minute=1000, clock=clock)
    ticket = limits.begin(tokens=100)
    assert limits.delay(tokens=900) == 0.0
    limits.clean(ticket, tokens=400)  # the guess was 100
    assert limits.delay(tokens=600) == 0.0
    assert limits.delay(tokens=601) == pytest.approx(60.0, abs=0.01)


def test_a_call_with_more_tokens_than_a_minute_has_begins_alone() -> None:
    clock = Clock()
    limits = Limits(100, tokens_per_minute=1000, clock=clock)
    assert limits.delay(tokens=5000) == 0.0
    limits.begin(tokens=5000)
    clock.now += 59
    assert limits.delay(tokens=1) == pytest.approx(1.0, abs=0.01)


@given(seed=st.integers(0, 2**32), requests=st.integers(1, 5), tokens=st.integers(10, 100))
def test_no_minute_has_more_than_is_allowed(seed: int, requests: int, tokens: int) -> None:
    draw, clock = random.Random(seed), Clock()
    limits = Limits(3, requests_per_minute=requests, tokens_per_minute=tokens, clock=clock)
    begun: list[tuple[float, int]] = []
    under_way: list[Ticket] = []
    for _ in range(40):
        size = draw.randint(1, tokens)
        while (delay := limits.delay(size)) > 0:
            if delay == math.inf:
                limits.clean(under_way.pop(0))
            else:
                clock.now += delay
        under_way.append(limits.begin(size))
        begun.append((clock.now, size))
        assert limits.under_way <= 3
        if draw.random() < 0.3:
            clock.now += draw.uniform(0, 40)
    for now, _ in begun:
        # Half open: what began at the very beginning of a minute is out of it at its end.
        minute = [(when, size) for when, size in begun if now - 60 + 1e-6 < when <= now]
        assert len(minute) <= requests
        assert sum(size for _, size in minute) <= tokens


def test_calls_enter_in_their_order_and_are_woken_by_those_that_end() -> None:
    async def run() -> list[int]:
        limits, order = Limits(2), []

        async def call(number: int) -> None:
            ticket = await limits.enter()
            order.append(number)
            assert limits.under_way <= 2
            await asyncio.sleep(0)
            limits.clean(ticket)

        await asyncio.gather(*(call(number) for number in range(20)))
        return order

    assert asyncio.run(run()) == list(range(20))


def test_canceled_call_releases_its_turn() -> None:
    async def run() -> None:
        limits = Limits(1)
        ticket = await limits.enter()
        waiting = [asyncio.create_task(limits.enter()) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        limits.clean(ticket)
        await asyncio.wait_for(waiting[1], 1)
        assert limits.under_way == 1

    asyncio.run(run())


def test_all_waits_end_if_no_further_call_is_made() -> None:
    async def run() -> None:
        limits = Limits(1)
        limits.limited(await limits.enter(), after=1000)
        waiting = asyncio.create_task(limits.enter())
        await asyncio.sleep(0)
        limits.lift()
        await asyncio.wait_for(waiting, 1)

    asyncio.run(run())


def test_pauses_are_drawn_from_nothing_to_twice_the_last_bound() -> None:
    bounds: list[tuple[float, float]] = []

    def draw(low: float, high: float) -> float:
        bounds.append((low, high))
        return high

    retries = Retries(9, draw=draw)
    for failed in range(1, 10):
        retries.pause(failed, TransientError("503"))
    assert bounds == [(0.0, most) for most in (0.5, 1, 2, 4, 8, 16, 30, 30, 30)]


def test_an_endpoint_is_left_alone_for_at_least_as_long_as_it_asks() -> None:
    for seed in range(20):
        retries = Retries(3, draw=random.Random(seed).uniform)
        assert retries.pause(1, TransientError("429", after=7)) == pytest.approx(7.25, abs=0.25)


def test_day_long_pause_is_not_waited_for() -> None:
    assert Retries(6).pause(1, TransientError("429", after=86_400)) is None
