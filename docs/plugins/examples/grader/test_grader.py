import grader
import pytest
from valor_testing import check_plugin

from valor_core import Registry, Text, evaluate

ITEMS = [Text(f"q{i}", query="Why?", response=" ".join(["so"] * i)) for i in range(1, 6)]


@pytest.fixture
def registry():
    registry = Registry()
    registry.register("grader", grader)
    return registry


def test_plugin_keeps_the_laws():
    judge = grader.Judge(grader.JudgeParameters(), grader.Words(None))
    check_plugin(grader, resources={"judge": judge})


def run(registry, state, budget):
    judge = {"client": "words", "budget": budget}
    return evaluate(
        ITEMS, ["grader.Grade"], resources={"judge": judge}, state=state, registry=registry
    )


def test_larger_budget_grades_the_rest(registry, tmp_path):
    first = run(registry, tmp_path / "state.npz", 3)
    assert (first.counts["not_run"], first.stopped) == (2, "the judge's budget is spent")
    second = run(registry, tmp_path / "state.npz", 10)
    assert second["Grade"].value == pytest.approx((1 + 2 + 3 + 4 + 5) / 10 / 5)
    assert second.facts["judge"]["calls"] == 5  # each item once
