from __future__ import annotations

from valor_testing.data_set import singles
from valor_testing.subject import Subject

from valor_core import metric
from valor_core.errors import SchemaError
from valor_core.evaluation import BoundMetric
from valor_core.parameters import NoParameters
from valor_core.schemas.text import Text, TextBatch

BATCH = TextBatch.of([Text("q1", response="a"), Text("q2", response="bcd"), Text("q3")])


@metric("mylab.Length", task="text", higher_is_better=None)
def length(item: Text) -> float:
    """Return the number of letters."""
    if item.response is None:
        raise SchemaError("no response")
    return len(item.response)


@metric("mylab.One", task="text")
def one(item: Text) -> float:
    """Constant metric."""
    return 1.0


def subject() -> Subject:
    return Subject((BoundMetric(length, NoParameters()), BoundMetric(one, NoParameters())))


def test_an_outcome_is_the_same_in_one_state_and_in_merged_ones() -> None:
    assert [result["value"] for result in subject().outcome([BATCH])] == [2.0, 1.0]
    assert subject().outcome_merged(singles([BATCH])) == subject().outcome([BATCH])
    assert subject().outcome_merged([]) == subject().outcome([])


def test_subjects_are_called_by_their_metrics() -> None:
    assert subject().name == "mylab.Length and mylab.One"


def test_answers_are_what_the_scorer_returns_or_raises() -> None:
    answers = dict(subject().answers(BATCH))

    assert (answers["q1"], answers["q2"]) == (1, 3)
    assert isinstance(answers["q3"], SchemaError)
