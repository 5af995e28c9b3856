from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from valor_core import Evaluator
from valor_core.errors import ForeignStateError
from valor_core.plugin import StateError

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture(autouse=True)
def lab(install: Callable[..., Path]) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")


def evaluator() -> Evaluator:
    return Evaluator(["lab.LongShare"], slices=["city"], filter="uid != 'q9'", label_map=())


def test_an_evaluation_comes_through_pickling() -> None:
    evaluation = evaluator().evaluation

    back = pickle.loads(pickle.dumps(evaluation))

    assert back.describe() == evaluation.describe()
    back.check_same(evaluation.describe(), "pickle")


def test_an_evaluation_is_described_by_plain_values() -> None:
    assert evaluator().evaluation.describe() == {
        "task": "text",
        "metrics": [{"name": "lab.LongShare@2", "threshold": 3.0, "comment": ""}],
        "slices": [["city"]],
        "filter": "uid != 'q9'",
    }


def test_the_place_of_a_request_is_no_part_of_it() -> None:
    placed = Evaluator(
        ["lab.LongShare"], slices=["city"], filter="uid != 'q9'", place="config.yaml: "
    ).evaluation

    assert placed.describe() == evaluator().evaluation.describe()
    assert placed.slices == evaluator().evaluation.slices
    assert pickle.loads(pickle.dumps(placed)).place == "config.yaml: "


def test_another_request_is_refused_with_both_values() -> None:
    other = evaluator().evaluation.describe() | {"filter": "uid == 'q1'"}

    with pytest.raises(StateError) as caught:
        evaluator().evaluation.check_same(other, "a.npz")

    assert str(caught.value).startswith(
        "a.npz: made by another request, filter is \"uid == 'q1'\" there and \"uid != 'q9'\" here"
    )


@pytest.mark.parametrize(
    ("metrics", "told"),
    [
        (["Accuracy", "F1", "LogLoss"], "metrics: classification.LogLoss@2 only here"),
        (["Accuracy"], "metrics: classification.F1@2 only there"),
        (["F1", "Accuracy"], "metrics: in another order"),
        (
            ["Accuracy", {"name": "F1", "score_thresholds": 0.5}],
            "metrics[1].score_thresholds of classification.F1@2 is [None] there and [0.5] here",
        ),
    ],
)
def test_another_request_is_told_by_the_metric_that_differs(metrics: Any, told: str) -> None:
    saved = Evaluator(["Accuracy", "F1"], task="classification").evaluation

    with pytest.raises(ForeignStateError) as caught:
        Evaluator(metrics, task="classification").evaluation.check_same(saved.describe(), "a.npz")

    assert caught.value.message == f"a.npz: made by another request, {told}"


def test_a_state_with_one_setting_more_that_is_null_is_refused() -> None:
    evaluation = Evaluator(["Accuracy"], task="classification").evaluation
    identity = evaluation.identity()
    identity["metrics"][0]["bins"] = None

    with pytest.raises(ForeignStateError) as caught:
        evaluation.check_same(identity, "a.npz")

    assert caught.value.message == (
        "a.npz: made by another request, metrics[0].bins of classification.Accuracy@2 "
        "is None there and missing here"
    )
