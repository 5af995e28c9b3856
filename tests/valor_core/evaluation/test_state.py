from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from valor_core import Evaluator
from valor_core.errors import SchemaError
from valor_core.evaluation import Evaluation, EvaluationState
from valor_core.schemas.text.batch import Text, TextBatch

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture
def evaluation(install: Callable[..., Path]) -> Evaluation:
    install("valor-lab", "lab", PLUGINS / "lab")
    return Evaluator(["lab.LongShare"], slices=["city"]).evaluation


def test_state_can_be_pickled(evaluation: Evaluation) -> None:
    state = EvaluationState()
    evaluation.update(state, TextBatch.of([Text("q1", response="Rom")]), {})

    back = pickle.loads(pickle.dumps(state))

    assert back.read == 1
    assert back.fields == set()
    assert list(back.states) == [(None,)]


def test_merge_adds_counts(evaluation: Evaluation) -> None:
    one, other = EvaluationState(skipped=1, done=["a"]), EvaluationState(done=["b"])
    evaluation.update(one, TextBatch.of([Text("q1")]), {})
    evaluation.update(other, TextBatch.of([Text("q2", metadata={"city": "A"})]), {})

    one.merge(other, evaluation.plan)

    assert (one.read, one.skipped, one.done, one.fields) == (2, 1, ["a", "b"], {"city"})
    assert list(one.states) == [(None,), ("A",)]
    assert other.read == 1


def test_absorb_equals_merge(evaluation: Evaluation) -> None:
    def counted(uid: str, city: str | None) -> EvaluationState:
        state = EvaluationState()
        item = Text(uid, response="Paris", metadata={"city": city})
        evaluation.update(state, TextBatch.of([item]), {})
        return state

    merged, taken = EvaluationState(), EvaluationState()
    for uid, city in (("q1", "A"), ("q2", None), ("q3", "A")):
        merged.merge(counted(uid, city), evaluation.plan)
        taken.absorb(counted(uid, city))

    assert list(taken.states) == list(merged.states) == [("A",), (None,)]
    assert (taken.read, taken.fields) == (merged.read, merged.fields) == (3, {"city"})
    for key, states in merged.states.items():
        assert evaluation.plan.compute(taken.states[key]) == evaluation.plan.compute(states)


def test_merge_keeps_other_state_unchanged(evaluation: Evaluation) -> None:
    one, other, whole = EvaluationState(), EvaluationState(), EvaluationState()
    evaluation.update(one, TextBatch.of([Text("q1", response="Paris")]), {})
    evaluation.update(other, TextBatch.of([Text("q2", response="no")]), {})
    before = evaluation.plan.compute(one.states[(None,)])

    whole.merge(one, evaluation.plan)
    whole.merge(other, evaluation.plan)

    assert evaluation.plan.compute(one.states[(None,)]) == before
    assert evaluation.plan.compute(whole.states[(None,)]) != before


def test_unique_uids_of_one_type_are_accepted() -> None:
    EvaluationState(uids=[np.array([1, 2]), np.array([], np.int64), np.array([3])]).check_uids()


def test_mixed_or_repeated_uids_are_rejected() -> None:
    with pytest.raises(
        SchemaError, match="uids: expected all strings or all whole numbers, found both"
    ):
        EvaluationState(uids=[np.array([1]), np.array(["a"])]).check_uids()
    with pytest.raises(
        SchemaError, match=r"item 1: expected each uid once, found it 2 times \(and 1 more\)"
    ):
        EvaluationState(uids=[np.array([1, 2]), np.array([2, 1])]).check_uids()
