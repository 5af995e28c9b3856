from __future__ import annotations

from typing import Any

import pytest

from valor_core.schemas.classification import Classification

from .support import PETS, results_of, value_of

CURVE = "DetailedPrecisionRecallCurve"


def observed(count: int, *examples: str) -> dict[str, Any]:
    return {"count": count, "examples": list(examples)}


def test_hits_and_errors_by_kind() -> None:
    curves = value_of(PETS, CURVE, max_examples=9)

    # at 0.5 dog passes on a, a dog, and d, a cat; b is a dog whose cat passes
    assert curves["dog"]["0.5"] == {
        "tp": {"total": 1, "observations": {"all": observed(1, "a")}},
        "fp": {
            "total": 1,
            "observations": {
                "misclassifications": observed(1, "d"),
                "hallucinations": observed(0),
            },
        },
        "fn": {
            "total": 1,
            "observations": {
                "misclassifications": observed(1, "b"),
                "no_predictions": observed(0),
            },
        },
        "tn": {"total": 4, "observations": {"all": observed(4, "c", "e", "f", "g")}},
    }


def test_a_prediction_on_an_item_without_ground_truth_is_a_hallucination() -> None:
    point = value_of(PETS, CURVE, score_thresholds=[0.2], max_examples=9)["dog"]["0.2"]

    assert point["fp"] == {
        "total": 3,
        "observations": {
            "misclassifications": observed(2, "c", "d"),
            "hallucinations": observed(1, "f"),
        },
    }


def test_a_miss_where_nothing_passes_has_no_predictions() -> None:
    curves = value_of(PETS, CURVE)

    assert curves["ant"]["0.05"]["fn"]["observations"]["no_predictions"] == observed(1, "g")
    assert curves["bee"]["0.8"]["fn"]["observations"]["misclassifications"] == observed(1, "e")
    assert curves["bee"]["0.85"]["fn"]["observations"]["no_predictions"] == observed(1, "e")


@pytest.mark.parametrize("most", [0, 1, 2])
def test_examples_are_the_first_by_uid_and_no_more_than_asked_for(most: int) -> None:
    items = [Classification(uid, "dog", {"dog": 0.9}) for uid in ("c", "a", "b")]

    point = value_of(items, CURVE, max_examples=most)["dog"]["0.5"]

    assert point["tp"]["observations"]["all"] == observed(3, *["a", "b"][:most])


def test_whole_numbers_as_uids_are_ordered_as_numbers() -> None:
    items = [Classification(uid, "dog", {"dog": 0.9}) for uid in (10, 2, 9)]

    point = value_of(items, CURVE, max_examples=2)["dog"]["0.5"]

    assert point["tp"]["observations"]["all"]["examples"] == [2, 9]


def test_the_documented_parameter_name_is_an_alias() -> None:
    assert value_of(PETS, CURVE, pr_curve_max_examples=2) == value_of(PETS, CURVE, max_examples=2)


def test_labels_of_another_key_do_not_make_a_misclassification() -> None:
    dog, white = ("animal", "dog"), ("colour", "white")
    item = Classification("a", [dog], [(dog, 0.1), (white, 0.9)])

    results = results_of([item], {"name": CURVE, "score_thresholds": [0.5]})

    point = results.find(label_key="animal").value["dog"]["0.5"]
    assert point["fn"]["observations"]["no_predictions"] == observed(1, "a")
