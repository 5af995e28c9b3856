from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_classification.readers.arrays import from_arrays

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.classification import Classification, ClassificationBatch

from .support import PETS, SETS, failure_of, reason_of, results_of, value_of


def test_accuracy_is_of_the_items_with_ground_truth() -> None:
    # a and c are right; f has no ground truth, g no prediction
    assert value_of(PETS, "Accuracy") == 2 / 6


@pytest.mark.parametrize(
    ("threshold", "hardmax", "right"),
    [(0.7, True, 2), (0.8, True, 1), (0.0, False, 4), (0.45, False, 3), (1.0, False, 0)],
)
def test_only_labels_that_pass_are_predictions(threshold: float, hardmax: bool, right: int) -> None:
    value = value_of(PETS, "Accuracy", score_thresholds=[threshold], hardmax=hardmax)

    assert value == right / 6


def test_top_k_counts_ground_truths_among_the_best_labels() -> None:
    # b is a dog at the second place, d a cat; e and g do not list their label
    assert value_of(PETS, "Accuracy", top_k=2) == 4 / 6
    # at 0.45 b's dog does not pass
    assert value_of(PETS, "Accuracy", top_k=2, score_thresholds=[0.45]) == 3 / 6


def test_top_k_is_not_confused_by_items_without_ground_truth() -> None:
    items = [
        Classification("a", [], {"bee": 0.5, "dog": 0.4}),
        Classification("b", "dog", {"cat": 0.5, "dog": 0.4, "bee": 0.3}),
        Classification("c", "dog", {"cat": 0.5, "bee": 0.4, "dog": 0.3}),
    ]

    assert value_of(items, "Accuracy", top_k=2) == 1 / 2


def test_balanced_accuracy_is_the_mean_recall() -> None:
    # dog 1/2, cat 1/2, bee 0, ant 0
    assert value_of(PETS, "Accuracy", balanced=True) == 1 / 4


def test_several_ground_truths_are_judged_as_sets() -> None:
    at = {"score_thresholds": [0.5], "hardmax": False}

    # a and c are equal
    assert value_of(SETS, "Accuracy", **at) == 2 / 4
    # 3 labels on 4 items, of which bee differs on b and d
    assert value_of(SETS, "Accuracy", multilabel="hamming", **at) == (12 - 2) / 12
    # 2/2, 1/2, nothing of nothing, 0/1
    assert value_of(SETS, "Accuracy", multilabel="jaccard", **at) == (1 + 1 / 2 + 1 + 0) / 4


def test_a_rule_of_sets_that_was_chosen_holds_whether_or_not_an_item_has_several() -> None:
    # b has no label and gets one: 2 of 3 sets are equal, 5 of 6 pairs; 1/1, 0/1, 1/1
    truths, scores = [[1, 0], [0, 0], [0, 1]], [[0.9, 0.2], [0.2, 0.8], [0.3, 0.7]]
    batch = from_arrays(truths, scores)
    at = {"score_thresholds": 0.5, "hardmax": False}

    assert value_of(batch, "Accuracy", multilabel="exact", **at) == 2 / 3
    assert value_of(batch, "Accuracy", multilabel="hamming", **at) == 5 / 6
    assert value_of(batch, "Accuracy", multilabel="jaccard", **at) == 2 / 3
    # unless it was chosen, items have one ground truth here, and b none
    assert value_of(batch, "Accuracy", **at) == 1


def test_slices_are_judged_alike_by_a_rule_that_was_chosen() -> None:
    truths, scores = [[1, 0], [0, 0], [1, 1]], [[0.9, 0.2], [0.2, 0.8], [0.9, 0.7]]
    batch = from_arrays(truths, scores, metadata={"side": ["a", "a", "b"]})
    metric = {"name": "Accuracy", "score_thresholds": 0.5, "hardmax": False, "multilabel": "exact"}

    report = evaluate(batch, [metric], slices=["side"])

    # the item without a label is wrong in its slice as it is in the whole
    assert report["Accuracy"].value == 2 / 3
    values = [part["Accuracy"].value for part in report.slices]
    assert values == [1 / 2, 1]


def test_hardmax_never_meets_two_ground_truths() -> None:
    # a has one best label and two truths; b and d are right; c has a label too many
    assert value_of(SETS, "Accuracy") == 2 / 4
    assert value_of(SETS, "Accuracy", score_thresholds=[0.5]) == 2 / 4


def test_one_item_with_several_ground_truths_makes_sets_of_its_key_only() -> None:
    dog, cat, white = ("animal", "dog"), ("animal", "cat"), ("colour", "white")
    items = [
        Classification("a", [dog, cat, white], [(dog, 0.9), (cat, 0.8), (white, 0.7)]),
        Classification("b", [dog, white], [(dog, 0.9), (cat, 0.8), (("colour", "red"), 0.3)]),
    ]
    results = results_of(items, {"name": "Accuracy", "hardmax": False, "score_thresholds": 0.0})

    # animal: {dog, cat} is met on a, and too much on b; colour: white on a, and not on b
    assert results.find(label_key="animal").value == 1 / 2
    assert results.find(label_key="animal").only.parameters["multilabel"] == "exact"
    assert results.find(label_key="colour").value == 1 / 2
    assert "multilabel" not in results.find(label_key="colour").only.parameters


def test_nothing_to_be_accurate_about_is_undefined() -> None:
    item = Classification("a", predictions={"dog": 0.9})

    for more in ({}, {"top_k": 2}):
        assert reason_of([item], "Accuracy", **more) == "no items with ground truth"
    assert reason_of([item], "Accuracy", balanced=True) == "no labels with a value"
    assert reason_of([], "Accuracy") == "no data to compute it from"


def test_top_k_of_sets_fails_with_a_remedy() -> None:
    reason = failure_of(SETS, "Accuracy", top_k=2)

    assert reason is not None
    assert "choose multilabel: exact, hamming or jaccard" in reason


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"top_k": 3, "balanced": True}, "balanced must be false where top_k is 3, got true"),
        (
            {"top_k": 2, "hardmax": False, "score_thresholds": 0.5},
            "hardmax must be true where top_k is 2, got false",
        ),
        (
            {"top_k": 2, "multilabel": "jaccard"},
            "multilabel must be null where top_k is 2, got 'jaccard'",
        ),
        (
            {"balanced": True, "multilabel": "hamming"},
            "multilabel must be null where balanced is true, got 'hamming'",
        ),
    ],
)
def test_contradicting_parameters_are_rejected(
    parameters: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        results_of(PETS, {"name": "Accuracy"} | parameters)


def test_as_many_labels_as_there_could_be_take_no_room() -> None:
    batch = from_arrays([0, 1], [0.75, 0.25])

    assert value_of(batch, "Accuracy", top_k=1_000_000_000) == 1.0
    assert value_of(batch, "Accuracy", top_k=1_000_000_000, score_thresholds=[0.5]) == 0.0


HARDMAX = (
    "Accuracy",
    "Precision",
    "Recall",
    "F1",
    "FBeta",
    "Counts",
    "ConfusionMatrix",
    "Examples",
)


@pytest.mark.parametrize("name", HARDMAX)
def test_without_hardmax_a_threshold_has_to_be_given(name: str) -> None:
    with pytest.raises(
        ParameterError, match="score_thresholds must be numbers where hardmax is false, got null"
    ):
        results_of(PETS, {"name": name, "hardmax": False})


@for_each(
    "choice",
    [
        *HARDMAX,
        "MatthewsCorrelation",
        "CohenKappa",
        {"name": "Accuracy", "top_k": 2},
        {"name": "Accuracy", "balanced": True},
        {"name": "ConfusionMatrix", "max_examples": 2},
    ],
)
def test_logits_have_the_results_of_the_probabilities_they_make(choice: Any) -> None:
    logits = np.array([[-3.0, -1.0, -2.0], [-9.0, -8.0, -7.0], [-0.5, -2.0, -1.0], [-3, -2, -1]])
    truths, exponentials = [1, 2, 1, 2], np.exp(logits)
    probabilities = exponentials / exponentials.sum(axis=1, keepdims=True)
    of_matrix, of_probabilities = (
        results_of(from_arrays(truths, scores), choice) for scores in (logits, probabilities)
    )
    listed = ClassificationBatch.of(from_arrays(truths, logits).items())
    of_list = results_of(listed, choice)

    values = [without_scores(result.value) for result in of_matrix]
    assert values == [without_scores(result.value) for result in of_probabilities]
    assert values == [without_scores(result.value) for result in of_list]
    assert all(result.parameters["score_threshold"] is None for result in of_matrix)


def test_items_that_list_nothing_have_no_prediction_with_or_without_a_threshold() -> None:
    items = [Classification("a", "dog", {"dog": -5.0}), Classification("b", "dog")]

    matrix = value_of(items, "ConfusionMatrix")

    assert value_of(items, "Accuracy") == 1 / 2
    assert matrix["confusion_matrix"] == {"dog": {"dog": 1}}
    assert matrix["unmatched_ground_truths"] == {"dog": 1}


def without_scores(value: Any) -> Any:
    """A value without the scores of its examples."""
    if isinstance(value, dict):
        return {key: without_scores(one) for key, one in value.items() if key != "score"}
    return [without_scores(one) for one in value] if isinstance(value, list) else value
