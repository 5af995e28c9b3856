from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from valor_core import Evaluator, Report
from valor_core.errors import ConfigError, SchemaError
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
    return Evaluator(["lab.LongShare"], slices=["city"], filter="uid != 'q9'").evaluation


def counted(evaluation: Evaluation, *items: Text) -> EvaluationState:
    state = EvaluationState()
    evaluation.update(state, TextBatch.of(items), {})
    return state


def report(evaluation: Evaluation, state: EvaluationState, *warnings: str) -> Report:
    return make_report(
        evaluation, state, items=False, config={}, versions={"a": "1"}, warnings=warnings
    )


def test_a_report_has_the_whole_and_the_slices_and_leaves_the_tally_as_it_was(
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


def test_a_fate_that_no_item_had_is_told_only_where_it_always_is(evaluation: Evaluation) -> None:
    state = counted(evaluation, *ITEMS, Text("q9"))
    assert report(evaluation, state).counts == {"read": 2, "skipped": 1, "failed": 0}

    state.missing["b.csv"] = "it was lost"

    assert report(evaluation, state).counts["missing_partitions"] == 1


def test_what_the_caller_warns_of_stands_before_what_the_tally_does(
    evaluation: Evaluation,
) -> None:
    state = counted(evaluation, *ITEMS)
    state.missing["b.csv"] = "it was lost"

    warnings = report(evaluation, state, "the disk is full").warnings

    assert warnings == ("the disk is full", "b.csv could not be counted, it was lost")


def test_there_is_no_report_of_items_that_came_twice_or_lack_a_field_to_filter_by(
    evaluation: Evaluation,
) -> None:
    twice = counted(evaluation, ITEMS[0])
    twice.absorb(counted(evaluation, ITEMS[0]))
    with pytest.raises(SchemaError, match="item 'q1': expected each uid once, found it 2 times"):
        report(evaluation, twice)

    strange = Evaluator(["lab.LongShare"], filter="town == 'A'", place="c.yaml: ").evaluation
    with pytest.raises(
        ConfigError, match=r"c\.yaml: filter: no item has the metadata field 'town'"
    ):
        report(strange, counted(strange, *ITEMS))
