from __future__ import annotations

import re
from typing import Any

import pytest

from valor_core.errors import ParameterError
from valor_core.schemas.classification import Classification

from .support import PETS, by_label, results_of

RATIOS = ("Precision", "Recall", "F1")


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-15)


def test_precision() -> None:
    results = results_of(PETS, "Precision")

    # 1 of 3 dogs, 1 of 3 cats, no bees and ants
    assert by_label(results) == {"ant": 0.0, "bee": 0.0, "cat": 1 / 3, "dog": 1 / 3}
    assert results.find(average="micro").value == 2 / 6
    assert results.find(average="macro").value == close((1 / 3 + 1 / 3) / 4)
    # two dogs, two cats, a bee, an ant
    assert results.find(average="weighted").value == close((2 / 3 + 2 / 3) / 6)


def test_recall() -> None:
    results = results_of(PETS, "Recall")

    assert by_label(results) == {"ant": 0.0, "bee": 0.0, "cat": 1 / 2, "dog": 1 / 2}
    assert results.find(average="micro").value == 2 / 6
    assert results.find(average="macro").value == (1 / 2 + 1 / 2) / 4
    assert results.find(average="weighted").value == (2 / 2 + 2 / 2) / 6


def test_f1() -> None:
    results = results_of(PETS, "F1")

    # 2 tp / (2 tp + fp + fn) = 2 / (2 + 2 + 1)
    assert by_label(results) == {"ant": 0.0, "bee": 0.0, "cat": 2 / 5, "dog": 2 / 5}
    assert results.find(average="micro").value == 4 / (4 + 4 + 4)
    assert results.find(average="macro").value == close((2 / 5 + 2 / 5) / 4)


def test_f_beta() -> None:
    results = results_of(PETS, {"name": "FBeta", "beta": 2}, {"name": "FBeta", "beta": 0.5})

    # (1 + b^2) tp / ((1 + b^2) tp + fp + b^2 fn)
    assert results.find(beta=2.0, label="dog").value == 5 / (5 + 2 + 4)
    assert results.find(beta=0.5, label="dog").value == 1.25 / (1.25 + 2 + 0.25)


@pytest.mark.parametrize(
    ("zero_division", "of_bee", "macro"),
    [(0.0, 0.0, (2 / 3) / 4), (1.0, 1.0, (2 / 3 + 2) / 4), (None, None, (2 / 3) / 2)],
)
def test_zero_by_zero_is_what_zero_division_says(
    zero_division: float | None, of_bee: float | None, macro: float
) -> None:
    results = results_of(PETS, {"name": "Precision", "zero_division": zero_division})

    assert results.find(label="bee").only.number == of_bee
    assert results.find(average="macro").value == close(macro)


def test_an_undefined_label_says_why_and_is_counted_in_the_mean() -> None:
    results = results_of(PETS, *({"name": name, "zero_division": None} for name in RATIOS))

    reason = "no predictions of the label"
    assert results["Precision", "bee"].only.undefined == reason
    assert results["Precision"].find(average="macro").only.left_out == {reason: 2}
    assert results["Precision"].find(average="weighted").only.left_out == {reason: 2}
    # bee has a ground truth and is missed: 0 / 1 and 0 / (0 + 0 + 1)
    assert results["Recall", "bee"].value == 0.0
    assert results["F1", "bee"].value == 0.0


def test_label_only_in_predictions_is_reported_and_excluded_from_means() -> None:
    items = [
        Classification("a", "dog", {"dog": 0.9}),
        Classification("b", "dog", {"eel": 0.8}),
    ]

    results = results_of(items, "Recall")
    included = results_of(items, {"name": "Recall", "include_prediction_only_labels": True})

    assert results.find(label="eel").value == 0.0
    assert results.find(average="macro").value == 1 / 2
    assert results.find(average="macro").only.left_out == {"label only in predictions": 1}
    assert included.find(average="macro").value == (1 / 2 + 0) / 2
    assert included.find(average="weighted").value == 1 / 2


def test_predictions_alone_leave_no_mean() -> None:
    results = results_of([Classification("a", predictions={"dog": 0.9})], *RATIOS)

    for name in RATIOS:
        assert results[name].find(average="macro").only.undefined == "no labels with a value"
        assert results[name].find(average="weighted").only.undefined == "no labels with a value"
        assert results[name].find(label="dog").value == 0.0


def test_every_threshold_has_its_own_results() -> None:
    results = results_of(PETS, {"name": "Recall", "score_thresholds": [0.8, 0.0]})

    # at 0.8 a is a dog and e a cat
    assert by_label(results.find(score_threshold=0.8)) == {
        "ant": 0.0,
        "bee": 0.0,
        "cat": 0.0,
        "dog": 1 / 2,
    }
    assert results.find(score_threshold=0.0, label="cat").value == 1 / 2


def test_averages_are_those_chosen() -> None:
    results = results_of(PETS, {"name": "F1", "average": ["micro"]})

    assert [result.parameters["average"] for result in results] == ["micro"]


def test_beta_must_be_positive() -> None:
    with pytest.raises(
        ParameterError, match=r"classification\.FBeta: beta must lie in \(0, 1000000\], got 0\.0"
    ):
        results_of(PETS, {"name": "FBeta", "beta": 0})


@pytest.mark.parametrize(
    ("beta", "message"),
    [
        (1e200, "classification.FBeta: beta must lie in (0, 1000000], got 1e+200"),
        (1_000_001, "classification.FBeta: beta must lie in (0, 1000000], got 1000001.0"),
    ],
)
def test_beta_has_a_bound_that_its_error_names(beta: float, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        results_of(PETS, {"name": "FBeta", "beta": beta})


def test_a_great_beta_leaves_recall() -> None:
    found = results_of(PETS, {"name": "FBeta", "beta": 1_000_000}, "Recall")

    assert by_label(found["FBeta"]) == pytest.approx(by_label(found["Recall"]), abs=1e-9)
