from __future__ import annotations

import re
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
    ("metrics", "message"),
    [
        (
            ["Accuracy", "F1", "LogLoss"],
            "made by another request, metrics: classification.LogLoss@2 only here",
        ),
        (["Accuracy"], "a.npz: made by another request, metrics: classification.F1@2 only there"),
        (["F1", "Accuracy"], "a.npz: made by another request, metrics: in another order"),
        (
            ["Accuracy", {"name": "F1", "score_thresholds": 0.5}],
            "a.npz: made by another request, metrics[1].score_thresholds of",
        ),
    ],
)
def test_other_request_is_reported_with_metric(metrics: Any, message: str) -> None:
    saved = Evaluator(["Accuracy", "F1"], task="classification").evaluation

    with pytest.raises(ForeignStateError, match=re.escape(message)):
        Evaluator(metrics, task="classification").evaluation.check_same(saved.describe(), "a.npz")


def test_state_with_additional_null_parameter_is_rejected() -> None:
    evaluation = Evaluator(["Accuracy"], task="classification").evaluation
    identity = evaluation.identity()
    identity["metrics"][0]["bins"] = None

    with pytest.raises(
        ForeignStateError, match=r"a\.npz: made by another request, metrics\[0\]\.bins of"
    ):
        evaluation.check_same(identity, "a.npz")
