from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from messages import refused

from valor_core import Evaluator
from valor_core.errors import StateError

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

    with refused(StateError):
        evaluator().evaluation.check_same(other, "a.npz")
