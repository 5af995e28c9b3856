from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from valor_core import Evaluator, Report
from valor_core.errors import SchemaError
from valor_core.evaluation import Evaluation, EvaluationState
from valor_core.evaluation.build_report import make_report
from valor_core.schemas.text.batch import Text, TextBatch

PLUGINS = Path(__file__).parents[2] / "plugins"
ITEMS = [
    Text("q1", response="Paris", metadata={"city": "A"}),
    Text("q2", response="no", metadata={"city": "B"}),
]


@pytest.fixture
def evaluation(install: Callable[..., Path]) -> Evaluation:
    install("valor-lab", "lab", PLUGINS / "lab")
    return Evaluator(["lab.LongShare"], slices=["city"]).evaluation


def counted(evaluation: Evaluation, *items: Text) -> EvaluationState:
    state = EvaluationState()
    evaluation.update(state, TextBatch.of(items), {})
    return state


def report(evaluation: Evaluation, state: EvaluationState, *warnings: str) -> Report:
    return make_report(
        evaluation, state, items=False, config={}, versions={"a": "1"}, warnings=warnings
    )


def test_report_has_slices_and_keeps_state_unchanged(
    evaluation: Evaluation,
) -> None:
    state = counted(evaluation, *ITEMS)
    before = pickle.dumps(state)

    found = report(evaluation, state)

    assert found["LongShare"].value == 0.5
    assert [(part[0].slice["city"], part[0].value) for part in found.slices] == [
        ("A", 1.0),
        ("B", 0.0),
    ]
    assert found.versions == {"a": "1"}
    assert pickle.dumps(state) == before


def test_rare_counts_of_zero_are_not_reported(evaluation: Evaluation) -> None:
    state = counted(evaluation, *ITEMS)
    state.skipped = 1
    assert report(evaluation, state).counts == {"read": 2, "skipped": 1, "failed": 0}

    state.missing["b.csv"] = "it was lost"

    assert report(evaluation, state).counts["missing_partitions"] == 1


def test_warnings_of_caller_come_first(
    evaluation: Evaluation,
) -> None:
    state = counted(evaluation, *ITEMS)
    state.missing["b.csv"] = "it was lost"

    warnings = report(evaluation, state, "the disk is full").warnings

    assert warnings == ("the disk is full", "b.csv could not be counted, it was lost")


def test_repeated_items_raise_error(evaluation: Evaluation) -> None:
    twice = counted(evaluation, ITEMS[0])
    twice.absorb(counted(evaluation, ITEMS[0]))
    with pytest.raises(SchemaError, match="item 'q1': expected each uid once, found it 2 times"):
        report(evaluation, twice)
