from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import valor_core
from valor_core import evaluate
from valor_core.parameters import parameters_from
from valor_core.resources.opening import OpenResource, OpenResources
from valor_core.results import Failed
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.scoring import submit
from valor_core.scoring.async_scoring import DEFAULT_WIDTH
from valor_core.scoring.scoring import ItemScorer, score


def test_concurrency_is_bounded_without_resource() -> None:
    under_way = peak = 0

    @valor_core.metric("mylab.Slow", task="text")
    async def slow(item: Text) -> float:
        nonlocal under_way, peak
        under_way += 1
        peak = max(peak, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return 1.0

    items = [Text(i) for i in range(3 * DEFAULT_WIDTH)]

    assert evaluate(items, [slow])["Slow"].value == 1.0
    assert peak <= DEFAULT_WIDTH


def test_interrupt_discards_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @valor_core.metric("mylab.Slow", task="text")
    async def slow(item: Text) -> float:
        await asyncio.sleep(30)
        return 1.0

    def interrupted(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("valor_core.scoring.async_scoring.wait", interrupted)
    with valor_core.Evaluator([slow]) as evaluator, pytest.raises(KeyboardInterrupt):
        evaluator.update([Text(1)])

    assert evaluator.compute().counts["read"] == 0


def test_self_cancelled_coroutine_fails_item() -> None:
    @valor_core.metric("mylab.Gone", task="text")
    async def gone(item: Text) -> float:
        raise asyncio.CancelledError

    report = evaluate([Text(1)], [gone], items=True)

    assert report.items[0].rows[0].value == Failed("its coroutine was cancelled")


class Narrow(OpenResources):
    """Opened resources of which one item may use each at a time."""

    def __init__(self) -> None:
        super().__init__({"judge": OpenResource("judge", object(), str)})
        self.own = [asyncio.Semaphore(1), asyncio.Semaphore(0)]

    async def give_back(self) -> None:
        self.own[1].release()

    def limits(self, names: Any) -> list[asyncio.Semaphore]:
        return self.own


def test_interrupt_releases_judge_width(monkeypatch: pytest.MonkeyPatch) -> None:
    @valor_core.metric("mylab.Slow", task="text", resources=("judge",))
    async def slow(item: Text, *, judge: Any) -> float:
        return 1.0

    def interrupted(*arguments: Any) -> Any:
        if resources.own[0].locked():  # one is taken, and the other one is waited for
            raise KeyboardInterrupt

    scorer = ItemScorer(slow, parameters_from(slow.parameter_class, {}, ""), (("judge", "judge"),))
    batch, resources = TextBatch.of([Text(i) for i in range(3)]), Narrow()
    with monkeypatch.context() as patched:
        patched.setattr("valor_core.scoring.async_scoring.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            score([scorer], batch, resources)
    submit(resources.give_back()).result()

    found: list[Any] = []
    thread = threading.Thread(
        target=lambda: found.extend(score([scorer], batch, resources)[0]), daemon=True
    )
    thread.start()
    thread.join(timeout=20)

    assert [row.value for row in found] == [1.0, 1.0, 1.0]
