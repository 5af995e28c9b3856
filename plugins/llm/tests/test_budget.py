"""Budgets: nothing is begun that may exceed them, and what is left is used."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from mock_endpoint import MockEndpoint
from valor_llm.clients.protocol import Message, Reply, Request, TransientError, Usage
from valor_llm.judge.answer import Answer
from valor_llm.judge.budget import Budget, Spending, Spent, cost_of
from valor_llm.judge.calls import Calls
from valor_llm.judge.limits import Retries
from valor_llm.judge.panel import Panel
from valor_llm.metrics.faithfulness import CLAIMS
from valor_llm.parameters.judge import JudgeParameters, Prices

from valor_core import Registry, evaluate
from valor_core.errors import ParameterError, ResourceStopped
from valor_core.resources import Share, opened
from valor_core.resources.bound import bind_resources
from valor_core.results import NotRun
from valor_core.schemas.text import Text
from valor_core.scoring import submit


def request(length: int = 400, reply_tokens: int | None = 100) -> Request:
    prompt = (Message("user", "x" * length),)
    return Request(messages=prompt, schema={}, step="claims", max_tokens=reply_tokens)


def parameters(**given: Any) -> JudgeParameters:
    return JudgeParameters(cache="off", **given)


PRICES = Prices(prompt=2.0, completion=8.0)


def test_cost_is_calculated_from_prices_of_a_million_tokens() -> None:
    # 1,000 of prompt, 400 of which were cached: 600 * 2 + 400 * 1; 500 of reply at 8
    usage, prices = (
        Usage(prompt=1000, completion=500, cached=400),
        Prices(prompt=2.0, completion=8.0, cached=1.0),
    )
    assert cost_of(usage, prices) == pytest.approx((600 * 2 + 400 * 1 + 500 * 8) / 1e6)
    assert cost_of(usage, prices, in_batch=True) == pytest.approx(5600 / 2e6)
    # without a price of their own, cached tokens cost what others do
    assert cost_of(usage, PRICES) == pytest.approx((1000 * 2 + 500 * 8) / 1e6)
    assert cost_of(usage, None) == 0


def test_prompts_are_guessed_by_the_longest_tokens_counted_so_far() -> None:
    async def work() -> tuple[Spending, Spending]:
        budget = Budget(parameters())
        # nothing counted: two characters a token, and the most that a reply may have
        first = await budget.reserve(request())
        budget.settle(request(), first, Usage(prompt=100, completion=7))
        # 100 tokens of 400 characters
        return first, await budget.reserve(request(800))

    first, second = asyncio.run(work())
    assert first == Spending(1, 200 + 100, 0.0)
    assert second == Spending(1, 200 + 100, 0.0)


def test_call_waits_for_the_budget_that_another_call_may_return() -> None:
    async def work() -> list[str]:
        budget, events = Budget(parameters(max_tokens=450)), []
        first = await budget.reserve(request())  # up to 300

        async def second() -> None:
            reserved = await budget.reserve(request(200))  # up to 200 now, 150 once it is known
            events.append(f"second with {reserved.tokens}")

        waiting = asyncio.create_task(second())
        await asyncio.sleep(0)
        events.append("first ends")
        budget.settle(request(), first, Usage(prompt=100, completion=20))
        await waiting
        return events

    assert asyncio.run(work()) == ["first ends", "second with 150"]


@pytest.mark.parametrize(
    ("limits", "reason", "name"),
    [
        ({"max_calls": 1}, "max_calls of 1 is reached: 1 are made", "max_calls"),
        (
            {"max_tokens": 400},
            "max_tokens of 400 is reached: 120 are used and the next call may take 300",
            "max_tokens",
        ),
        (
            {"max_cost": 0.0012, "prices": PRICES},
            # 100 * 2 + 20 * 8 of a million; then 200 * 2 + 100 * 8
            "max_cost of 0.0012 is reached: 0.00036 is spent and the next call may take 0.0012",
            "max_cost",
        ),
    ],
)
def test_a_spent_budget_says_what_was_spent_and_what_to_change(
    limits: dict[str, Any], reason: str, name: str
) -> None:
    async def work() -> None:
        budget = Budget(parameters(**limits))
        reserved = await budget.reserve(request())
        budget.settle(request(), reserved, Usage(prompt=100, completion=20))
        await budget.reserve(request(800))

    with pytest.raises(Spent) as caught:
        asyncio.run(work())
    assert str(caught.value) == f"the judge's {reason}"
    assert caught.value.remedy == (
        f"Raise judge.{name} and run again: what is paid for is not asked again"
    )


def test_a_cost_limit_without_prices_is_an_error() -> None:
    with pytest.raises(ParameterError, match="max_cost needs prices, found none"):
        parameters(max_cost=1.0)


class Endpoint:
    """A remote endpoint: every call takes some turns of the loop, and a number of tokens."""

    is_remote: ClassVar[bool] = True
    endpoint, model = "https://judge.test/v1", "m"

    def __init__(self, usages: list[Usage], failing: int = 0) -> None:
        self.usages = usages
        self.failing = failing
        self.spent: list[Usage] = []
        self.calls = 0

    async def complete(self, request: Request) -> Reply:
        self.calls += 1
        for _ in range(self.calls % 4):
            await asyncio.sleep(0)
        if self.calls <= self.failing:
            raise TransientError("closed")
        usage = self.usages[len(self.spent) % len(self.usages)]
        self.spent.append(usage)
        return Reply(text="{}", model="m", usage=usage)


def carried_out(
    limits: JudgeParameters, client: Endpoint, calls: int
) -> tuple[int, str | None, dict[str, Any]]:
    """Return the number of answered concurrent calls, the reason for no more, and the facts."""

    async def work() -> tuple[int, str | None, dict[str, Any]]:
        made = Calls(limits, client, retries=Retries(0))
        answers = await asyncio.gather(
            *(made.complete(request()) for _ in range(calls)), return_exceptions=True
        )
        stop = made.stop
        made.close()
        left = [one for one in answers if not isinstance(one, Reply)]
        assert all(isinstance(one, (ResourceStopped, TransientError)) for one in left)
        return len(answers) - len(left), stop, made.facts()

    return asyncio.run(work())


usages = st.lists(
    # No prompt of 400 characters has more tokens than the first guess, 200, no reply more than 100.
    st.builds(Usage, prompt=st.integers(1, 200), completion=st.integers(1, 100)),
    min_size=1,
    max_size=20,
)


@given(usages, st.integers(300, 2000), st.integers(1, 16))
def test_calls_side_by_side_never_take_more_tokens_than_allowed(
    taken: list[Usage], most: int, width: int
) -> None:
    # The first call tells what a prompt takes; from then on none takes more than the most so far.
    steady = [Usage(prompt=taken[0].prompt, completion=one.completion) for one in taken]
    client = Endpoint(steady)
    answered, stop, _ = carried_out(parameters(max_tokens=most, concurrency=width), client, 15)
    spent = sum(one.prompt + one.completion for one in client.spent)
    assert spent <= most
    assert answered == len(client.spent)
    if stop is None:
        assert answered == 15
    else:
        # What is left is less than a call may take.
        assert most - spent < steady[0].prompt + 100 or not client.spent


@given(st.integers(1, 20), st.integers(1, 16))
def test_calls_side_by_side_are_no_more_than_allowed(most: int, width: int) -> None:
    client = Endpoint([Usage(prompt=10, completion=2)])
    answered, stop, _ = carried_out(parameters(max_calls=most, concurrency=width), client, 15)
    assert answered == client.calls == min(most, 15)
    assert (stop is None) == (most >= 15)


def test_calls_side_by_side_cost_no_more_than_allowed() -> None:
    client = Endpoint([Usage(prompt=100, completion=20)])
    # A call costs 0.00036, and may cost 100 * 2 + 100 * 8 of a million: 0.001
    limits = parameters(max_cost=0.01, prices=PRICES)
    answered, _, facts = carried_out(limits, client, 60)
    assert facts["cost"] == pytest.approx(answered * 0.00036)
    assert 0.01 - 0.001 < facts["cost"] <= 0.01


def test_a_call_without_a_reply_counts_as_a_call() -> None:
    client = Endpoint([Usage(prompt=10)], failing=2)
    answered, *_ = carried_out(parameters(max_calls=5, concurrency=1), client, 10)
    assert (client.calls, answered) == (5, 3)


ITEMS = [
    Text(f"q{number}", response=f"Item {number} is good.", contexts=[f"Item {number} is good."])
    for number in range(6)
]


def test_a_spent_budget_leaves_a_report_of_what_was_paid_for() -> None:
    # Two calls an item; the fifth call is the third item's first.
    report = evaluate(
        ITEMS,
        ["llm.Faithfulness"],
        task="text",
        resources={"judge": {"client": "lexical", "cache": "off", "max_calls": 4}},
        items=True,
    )
    assert report.stopped is not None
    assert report.stopped.startswith("the judge's max_calls of 4 is reached: 4 are made")
    assert report.facts["judge"]["calls"] == 4
    rows = report.items[0].rows
    scored = [row for row in rows if isinstance(row.value, float)]
    assert all(isinstance(row.value, NotRun) for row in rows if row not in scored)
    assert report.counts["not_run"] == len(ITEMS) - len(scored)
    assert not report.ok


def test_each_of_several_workers_has_its_part_of_the_budget() -> None:
    registry = Registry()
    asked = [(registry.metric("llm.Faithfulness"), {})]
    section = {"client": "lexical", "max_calls": 5, "max_cost": 3.0}
    section["prices"] = {"prompt": 1, "completion": 1}
    bound = bind_resources(asked, {"judge": section}, registry)
    parts = []
    for number in range(2):
        with opened(bound, Share(number, 2)) as resources:
            limits = resources["judge"].parameters
            parts.append((limits.max_calls, limits.max_cost))
    assert parts == [(3, 1.5), (2, 1.5)]


class Named(Endpoint):
    """An endpoint with a separate model, whose replies name claims."""

    def __init__(self, model: str) -> None:
        super().__init__([Usage(prompt=100, completion=20)])
        self.model = model

    async def complete(self, request: Request) -> Reply:
        reply = await super().complete(request)
        return evolve(reply, text='{"claims": ["It rains."]}')


def test_judges_of_a_panel_share_the_budget() -> None:
    clients = [Named("a"), Named("b")]
    panel = Panel(parameters(max_calls=5, prices=PRICES), clients)

    async def ask() -> list[Any]:
        asked = [
            judge.ask(CLAIMS, response=f"It rains {number} times.")
            for number in range(10)
            for judge in panel.members
        ]
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = submit(ask()).result(timeout=30)
    assert sum(isinstance(one, Answer) for one in answers) == 5
    assert sum(client.calls for client in clients) == 5
    # each call 100 * 2 + 20 * 8 of a million, once and not once for each judge
    assert panel.facts()["cost"] == pytest.approx(5 * 0.00036)
    assert panel.stop is not None
    panel.close()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_budget_divided_among_workers_names_the_number_of_the_config(number: int) -> None:
    section = {"judge": {"client": "lexical", "cache": "off", "max_calls": 3}}
    registry = Registry()
    bound = bind_resources([(registry.metric("llm.Faithfulness"), {})], section, registry)

    async def work(panel: Any) -> str:
        asked = (panel.members[0].ask(CLAIMS, response=f"It rains {one}.") for one in range(4))
        answers = await asyncio.gather(*asked, return_exceptions=True)
        (said,) = {str(one) for one in answers if isinstance(one, ResourceStopped)}
        return said

    with opened(bound, Share(number, 2)) as resources:
        said = submit(work(resources["judge"])).result(timeout=20)
    assert said.startswith("the judge's max_calls of 3 is reached by the part of one of 2 workers")


@pytest.mark.parametrize(("calls", "finished"), [(8, 4), (25, 12), (50, 20)])
def test_small_budget_finishes_items_instead_of_beginning_them_all(
    endpoint: MockEndpoint, calls: int, finished: int
) -> None:
    # Two calls for each item.
    items = [
        Text(f"q{one}", response=f"Item {one} is good.", contexts=[f"Item {one} is good."])
        for one in range(20)
    ]
    client = {"name": "openai", "base_url": endpoint.base_url, "model": "m"}
    judge = {"client": client, "cache": "off", "max_calls": calls}
    report = evaluate(
        items, ["llm.Faithfulness"], task="text", resources={"judge": judge}, items=True
    )
    scored = [row for row in report.items[0].rows if isinstance(row.value, float)]
    assert finished - 2 <= len(scored) <= finished
