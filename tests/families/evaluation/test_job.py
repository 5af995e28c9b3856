from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from valor_core import Evaluator
from valor_core.errors import ForeignStateError

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture(autouse=True)
def lab(install: Callable[..., Path]) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")


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
