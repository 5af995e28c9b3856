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


def test_merged_outcome_equals_sequential_outcome() -> None:
    assert [result["value"] for result in subject().outcome([BATCH])] == [2.0, 1.0]
    assert subject().outcome_merged(singles([BATCH])) == subject().outcome([BATCH])
    assert subject().outcome_merged([]) == subject().outcome([])


def test_subject_is_named_after_its_metrics() -> None:
    assert subject().name == "mylab.Length and mylab.One"


def test_answers_are_returned_values_or_exceptions() -> None:
    answers = dict(subject().answers(BATCH))

    assert (answers["q1"], answers["q2"]) == (1, 3)
    assert isinstance(answers["q3"], SchemaError)
