from __future__ import annotations

import sys

import pytest
from valor_classification.parameters.predicted import LabelParameters
from valor_classification.states import LabelQuotient, label_counts, ranking
from valor_testing import check_metric

from valor_core.evaluation import Evaluator
from valor_core.results import NumberOrReason, ratio
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.specs import MetricSpec, Range


class Informedness(LabelQuotient):
    """Recall and specificity, less 1: tp / (tp + fn) + tn / (tn + fp) - 1."""

    def value(self, tp: int, fp: int, fn: int, tn: int) -> NumberOrReason:
        """The quotient."""
        reason = "every item, or none, has the label"
        return ratio(tp * tn - fp * fn, (tp + fn) * (tn + fp), None, reason)


INFORMEDNESS = MetricSpec(
    name="mylab.Informedness",
    task="classification",
    summary="How much more often a label is predicted where it is true than where it is not",
    parameters=LabelParameters,
    implementation=f"{__name__}:Informedness",
    higher_is_better=True,
    range=Range(-1, 1),
)

# dog: tp 1, fn 1, fp 1, tn 2; 1/2 + 2/3 - 1 = 1/6
ITEMS = [
    Classification("a", "dog", {"dog": 0.75}),
    Classification("b", "dog", {"cat": 0.75}),
    Classification("c", "cat", {"dog": 0.75}),
    Classification("d", "cat", {"cat": 0.75}),
    Classification("e", "cat", {"cat": 0.75}),
]


def test_a_metric_of_another_plugin_on_label_counts_keeps_all_laws() -> None:
    for parameters in ({}, {"score_thresholds": [0.5, 0.0], "hardmax": False}):
        check_metric(INFORMEDNESS, parameters=parameters)


def test_a_metric_of_another_plugin_shares_the_one_state_with_the_familys_own() -> None:
    evaluator = Evaluator([INFORMEDNESS, "Recall", "Specificity"], "classification")
    evaluator.update(ITEMS)
    report = evaluator.compute()

    assert len(evaluator.evaluation.plan.requests) == 1
    assert report["Informedness", "dog"].value == pytest.approx(1 / 6)
    recall, specificity = report["Recall", "dog"].value, report["Specificity", "dog"].value
    assert report["Informedness", "dog"].value == pytest.approx(recall + specificity - 1)


def test_other_plugins_can_read_the_scores_of_a_label_against_the_rest() -> None:
    state = ranking().open()
    state.update(ClassificationBatch.of(ITEMS))

    ((_, part),) = state.sorted()
    cat, dog = part.of_labels()
    assert (cat.label.value, sorted(dog.scores.tolist())) == ("cat", [0.75, 0.75])
    assert (dog.positive_scores.tolist(), dog.unlisted_negatives) == ([0.75], 2)


def test_states_publish_what_their_docs_name() -> None:
    states = sys.modules["valor_classification.states"]

    assert all(name in (states.__doc__ or "") for name in states.__all__)
    assert label_counts((0.5,), hardmax=True).state.__name__ == "LabelCounts"
