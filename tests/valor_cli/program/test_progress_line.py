"""Progress of a run: what is finished, what is left, and what is spent."""

from __future__ import annotations

import sys

import pytest
from valor_cli.program.progress_line import LogLines, ProgressLine, progress_line

from valor_core.resources.bound import bind_resources
from valor_core.specs import Registry


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shown() -> list[str]:
    return []


@pytest.fixture
def line(clock, shown) -> ProgressLine:
    return ProgressLine(lambda text, share: shown.append(text), clock)


def judge(**limits: float):
    registry = Registry()
    spec = registry.metric("llm.Faithfulness", "text")
    prices = {"prices": {"prompt": 1.0, "completion": 1.0}} if "max_cost" in limits else {}
    section = {"client": "lexical", **prices, **limits}
    return bind_resources([(spec, {})], {"judge": section}, registry)


def test_resumed_run_says_how_many_items_are_left(line, shown):
    line.on_scored(16, 52, {})
    line(0, 1, 16)

    assert shown == ["16 of 52 items, 36 to go"]


def test_calls_and_cost_are_shown_with_their_budgets(line, clock, shown):
    line.limit(judge(max_calls=260, max_cost=2.5))
    line.on_scored(0, 52, {"judge": {"calls": 0, "cost": 0.0}})
    line(0, 1, 0)
    clock.now = 30
    line.on_scored(16, 52, {"judge": {"calls": 80, "cost": 0.125, "model": "m"}})
    line(0, 1, 16)

    assert shown[1] == (
        "16 of 52 items, 36 to go, about 2 min left, 80 of 260 calls, 0.125 of 2.5 cost"
    )


def test_tokens_are_shown_if_they_have_a_budget(line, shown):
    usage = {"judge": {"calls": 2, "prompt_tokens": 1500, "completion_tokens": 500}}
    line.on_scored(1, 2, usage)
    line(0, 1, 1)
    line.limit(judge(max_tokens=9000))
    line(0, 1, 1)

    assert [text.split(", ", 2)[2] for text in shown] == [
        "2 calls",
        "2 calls, 2,000 of 9,000 tokens",
    ]


def test_time_left_follows_the_speed_of_the_last_minute(line, clock, shown):
    for second in range(121):
        clock.now = float(second)
        done = second if second <= 60 else 60 + (second - 60) * 10
        line.on_scored(done, 1000, {})
        line(0, 1, done)

    assert "about 34 s left" in shown[-1]  # 340 items at 10 per second


def test_time_left_ignores_items_of_the_earlier_run(line, clock, shown):
    for second, done, calls in ((0, 0, 0), (1, 40, 0), (2, 40, 1), (12, 45, 50)):
        clock.now = float(second)
        line.on_scored(done, 50, {"judge": {"calls": calls}})
        line(0, 1, done)

    assert shown[-1] == "45 of 50 items, 5 to go, about 11 s left, 50 calls"


def test_finished_run_has_nothing_to_go(line, shown):
    line.on_scored(52, 52, {})
    line(1, 1, 52)

    assert shown == ["52 of 52 items"]


def test_partitions_are_counted_if_no_metric_waits(line, clock, shown):
    for second, finished in ((0, 0), (6, 1), (12, 2)):
        clock.now = second
        line(finished, 4, finished * 1000)

    assert shown == [
        "0 items, 0 of 4 parts",
        "1,000 items, 1 of 4 parts, about 18 s left",
        "2,000 items, 2 of 4 parts, about 12 s left",
    ]


def test_items_of_other_processes_have_no_total(line, shown):
    line.on_scored(16, 0, {})
    line(0, 1, 16)

    assert shown == ["16 items"]


def test_logs_have_sparse_lines(clock, capsys):
    log = LogLines(clock)
    for second in range(100):
        clock.now = float(second)
        log(f"{second} of 100 items", None)

    assert capsys.readouterr().err.splitlines() == [
        "15 of 100 items",
        "45 of 100 items",
        "75 of 100 items",
    ]


def test_terminal_has_one_line_and_a_log_has_lines(monkeypatch):
    with progress_line() as line:
        assert isinstance(line.show, LogLines)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_line() as line:
        assert not isinstance(line.show, LogLines)
        line(0, 1, 0)
