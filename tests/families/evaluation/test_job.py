from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import refused

from valor_core import Evaluator
from valor_core.errors import ForeignStateError

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture(autouse=True)
def lab(install: Callable[..., Path]) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")


@pytest.mark.parametrize(
    "metrics",
    [
        ["Accuracy", "F1", "LogLoss"],
        ["Accuracy"],
        ["F1", "Accuracy"],
        ["Accuracy", {"name": "F1", "score_thresholds": 0.5}],
    ],
)
def test_another_request_is_told_by_the_metric_that_differs(metrics: Any) -> None:
    saved = Evaluator(["Accuracy", "F1"], task="classification").evaluation

    with refused(ForeignStateError):
        Evaluator(metrics, task="classification").evaluation.check_same(saved.describe(), "a.npz")


def test_a_state_with_one_setting_more_that_is_null_is_refused() -> None:
    evaluation = Evaluator(["Accuracy"], task="classification").evaluation
    identity = evaluation.identity()
    identity["metrics"][0]["bins"] = None

    with refused(ForeignStateError):
        evaluation.check_same(identity, "a.npz")
