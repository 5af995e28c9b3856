"""Budgets that end early: they are spent on complete items, one after another."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from mock_endpoint import MockEndpoint
from test_resume import begun, facts, judge_of

import valor_core
from valor_core.results import NotRun, Report
from valor_core.schemas.text import Text

METRICS = ["llm.Faithfulness", "llm.AnswerRelevance", "llm.Coherence"]
"""Two calls for each item, two, and one."""
PRICES = {"prompt": 2.0, "completion": 8.0}


def report_of(judge: dict[str, Any], count: int = 10) -> Report:
    items = [Text(**row) for row in facts(count)]
    return valor_core.evaluate(items, METRICS, resources={"judge": judge}, items=True)


def scored(report: Report) -> list[set[Any]]:
    """Uids of the items with a score, for each metric."""
    return [
        {row.uid for row in table.rows if not isinstance(row.value, NotRun)}
        for table in report.items
    ]


@pytest.fixture
def calls_of_item(endpoint: MockEndpoint, tmp_path: Path) -> int:
    report_of(judge_of(endpoint, tmp_path, cache="off"))
    calls, rest = divmod(endpoint.counters["requests"], 10)
    assert rest == 0
    endpoint.reset(latency=0.01)
    return int(calls)


def test_half_of_the_budget_finishes_five_of_ten_items(
    endpoint: MockEndpoint, tmp_path: Path, calls_of_item: int
) -> None:
    report = report_of(judge_of(endpoint, tmp_path, max_calls=5 * calls_of_item))

    assert scored(report) == [{f"q{number}" for number in range(5)}] * 3
    assert report.counts["not_run"] == 5
    assert endpoint.counters["requests"] == 5 * calls_of_item
    assert report.stopped is not None
    assert f"max_calls of {5 * calls_of_item} is reached" in report.stopped


def test_eight_calls_finish_the_items_that_they_can(
    endpoint: MockEndpoint, tmp_path: Path, calls_of_item: int
) -> None:
    assert calls_of_item == 5

    report = report_of(judge_of(endpoint, tmp_path, max_calls=8))

    assert set.intersection(*scored(report)) == {"q0"}
    assert set.union(*scored(report)) <= {"q0", "q1"}
    assert report["Faithfulness"].value is not None


def test_large_budget_is_spent_concurrently_and_leaves_at_most_one_item_incomplete(
    endpoint: MockEndpoint, tmp_path: Path
) -> None:
    endpoint.reset(latency=0.01)

    report = report_of(judge_of(endpoint, tmp_path, max_calls=203), 60)

    complete, begun_items = set.intersection(*scored(report)), set.union(*scored(report))
    assert len(complete) == 40
    assert len(begun_items - complete) <= 1
    assert endpoint.counters["max_in_flight"] > 4


@pytest.mark.parametrize("limit", ["max_cost", "max_tokens"])
def test_budget_of_cost_or_tokens_finishes_whole_items(
    endpoint: MockEndpoint, tmp_path: Path, limit: str
) -> None:
    endpoint.reset(latency=0.01)
    spent = report_of(judge_of(endpoint, tmp_path, cache="off", prices=PRICES), 40).facts["judge"]
    most = {
        "max_cost": spent["cost"] / 2,
        "max_tokens": (spent["prompt_tokens"] + spent["completion_tokens"]) // 2,
    }

    report = report_of(judge_of(endpoint, tmp_path, prices=PRICES, **{limit: most[limit]}), 40)

    complete, begun_items = set.intersection(*scored(report)), set.union(*scored(report))
    assert report.stopped is not None
    assert limit in report.stopped
    assert 5 <= len(complete) <= 20
    assert len(begun_items - complete) <= 1


def test_resumed_run_completes_the_next_items(
    endpoint: MockEndpoint, tmp_path: Path, calls_of_item: int
) -> None:
    judge = judge_of(endpoint, tmp_path, max_calls=4 * calls_of_item)
    for expected in (4, 8, 10):
        report = report_of(judge)

        assert scored(report) == [{f"q{number}" for number in range(expected)}] * 3
    assert report.stopped is None
    assert endpoint.counters["requests"] == 10 * calls_of_item


def test_killed_run_is_resumed_within_its_budget(
    endpoint: MockEndpoint, tmp_path: Path, calls_of_item: int
) -> None:
    (tmp_path / "items.json").write_text(json.dumps(facts(10)))
    process = begun(tmp_path, endpoint)  # two metrics of two calls, without a budget
    until = time.monotonic() + 30
    while endpoint.counters["requests"] < 6 and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()
    process.communicate()
    made = endpoint.counters["requests"]

    report = report_of(judge_of(endpoint, tmp_path, max_calls=3 * calls_of_item))

    assert len(set.intersection(*scored(report))) >= 3
    assert endpoint.counters["requests"] <= made + 3 * calls_of_item
