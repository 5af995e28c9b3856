from __future__ import annotations

import pytest

from valor_core.errors import ParameterError
from valor_core.schemas.classification import Classification

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
    results = results_of(items, {"name": "Accuracy", "hardmax": False})

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


def test_top_k_and_balanced_exclude_each_other() -> None:
    with pytest.raises(ParameterError, match="top_k must be 1 where balanced is true, got 3"):
        results_of(PETS, {"name": "Accuracy", "top_k": 3, "balanced": True})
