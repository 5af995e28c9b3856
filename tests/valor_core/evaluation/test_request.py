from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from valor_core import Evaluator, evaluate, metric
from valor_core.errors import StateError
from valor_core.schemas.text.batch import Text, TextBatch

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture(autouse=True)
def lab(install: Callable[..., Path]) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")


def evaluator() -> Evaluator:
    return Evaluator(["lab.LongShare"], slices=["city"], label_map=())


def test_evaluation_can_be_pickled() -> None:
    evaluation = evaluator().evaluation

    back = pickle.loads(pickle.dumps(evaluation))

    assert back.describe() == evaluation.describe()
    back.check_same(evaluation.describe(), "pickle")


def test_evaluation_is_described_by_built_in_types() -> None:
    assert evaluator().evaluation.describe() == {
        "task": "text",
        "metrics": [{"name": "lab.LongShare@2", "threshold": 3.0, "comment": ""}],
        "slices": [["city"]],
    }


def test_position_is_not_part_of_identity() -> None:
    placed = Evaluator(["lab.LongShare"], slices=["city"], place="config.yaml: ").evaluation

    assert placed.describe() == evaluator().evaluation.describe()
    assert placed.slices == evaluator().evaluation.slices
    assert pickle.loads(pickle.dumps(placed)).place == "config.yaml: "


def test_other_request_is_rejected_with_both_values() -> None:
    other = evaluator().evaluation.describe() | {"slices": [["town"]]}

    with pytest.raises(
        StateError,
        match=r"a\.npz: made by another request, slices is \[\['town'\]\] there and \[\['city'",
    ):
        evaluator().evaluation.check_same(other, "a.npz")


def test_batch_counted_in_pieces_gives_same_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @metric("mylab.Length", task="text")
    def length(item: Text) -> float:
        return len(item.response or "") / 3

    items = [Text(i, response="a" * i, metadata={"even": i % 2 == 0}) for i in range(50)]
    at_once = evaluate(items, [length], slices=["even"], items=True)
    monkeypatch.setattr(TextBatch, "most_at_once", 7)
    in_pieces = evaluate(items, [length], slices=["even"], items=True)
    assert in_pieces.to_dict() == at_once.to_dict()
