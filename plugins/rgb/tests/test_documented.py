"""The four calls take the arguments of RGBMetrics."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import valor_rgb
from valor_rgb import (
    evaluate_counterfactual_robustness,
    evaluate_information_integration,
    evaluate_negative_rejection,
    evaluate_noise_robustness,
)

from valor_core.errors import SchemaError


def test_noise_robustness_counts_right_responses() -> None:
    result = evaluate_noise_robustness(
        ["It is Paris.", "Lyon", "I cannot answer."], ["Paris", "Paris", "Paris"], "gpt", 0.29
    )

    assert (result.task_type, result.model_name) == ("noise_robustness_29%", "gpt")
    assert (result.total_samples, result.correct, result.incorrect, result.rejected) == (3, 1, 2, 1)
    assert result.accuracy == 1 / 3
    assert result.accuracy_by_noise == {0.29: 1 / 3}
    assert result.items[2].details["rule"] == {"rejected": "phrase: i cannot"}
    assert result.report.find("NoiseRobustness", noise_ratio=0.29).value == 1 / 3


def test_negative_rejection_counts_refusals() -> None:
    result = evaluate_negative_rejection(["I don't know.", "It is Paris.", ""], "gpt")

    assert result.task_type == "negative_rejection"
    assert (result.total_samples, result.rejected, result.incorrect, result.correct) == (3, 1, 2, 0)
    assert (result.rejection_rate, result.accuracy) == (1 / 3, 0.0)


def test_information_integration_counts_right_responses() -> None:
    result = evaluate_information_integration(
        ["Ann, in 1998", "Ann"], [["Ann", "1998"], ["Ann", "1998"]], model_name="gpt"
    )

    assert result.task_type == "information_integration"
    assert (result.total_samples, result.correct, result.incorrect) == (2, 1, 1)
    assert result.accuracy == 1 / 2
    assert result.accuracy_by_noise == {}


def test_counterfactual_robustness_counts_detected_and_corrected_errors() -> None:
    responses = [
        "The documents say London, but that is incorrect. The capital is Paris.",
        "According to the documents, the capital is London.",
        "The documents are wrong - the capital is Tokyo.",
    ]

    result = evaluate_counterfactual_robustness(responses, ["Paris"] * 3, ["London"] * 3, "gpt")

    assert result.task_type == "counterfactual_robustness"
    assert (result.errors_detected, result.errors_corrected) == (2, 1)
    assert (result.correct, result.incorrect) == (1, 2)
    assert (result.error_detection_rate, result.error_correction_rate) == (2 / 3, 1 / 3)


def test_other_rules_give_other_numbers() -> None:
    said = ["Actually it is London."]

    robust = evaluate_counterfactual_robustness(said, ["Paris"], ["London"], "gpt")
    heuristic = evaluate_counterfactual_robustness(
        said, ["Paris"], ["London"], "gpt", rules="heuristic"
    )
    strict = evaluate_noise_robustness(
        ["It is Paris"], ["Paris"], "gpt", 0.0, rules="heuristic", strict=True
    )

    assert (robust.errors_detected, heuristic.errors_detected) == (0, 1)
    assert strict.correct == 0


def test_columns_of_other_kinds_are_lists_too() -> None:
    result = evaluate_noise_robustness(
        np.array(["Paris", "Lyon"]), ("Paris", "Paris"), "gpt", np.float32(0.2)
    )

    assert (result.task_type, result.correct) == ("noise_robustness_20%", 1)
    assert result.accuracy_by_noise == {0.2: 0.5}


def test_without_samples_there_are_no_rates() -> None:
    for result in (
        evaluate_noise_robustness([], [], "gpt", 0.2),
        evaluate_negative_rejection([], "gpt"),
        evaluate_information_integration([], [], "gpt"),
        evaluate_counterfactual_robustness([], [], [], "gpt"),
    ):
        assert result.total_samples == 0
        assert result.accuracy is None
        assert result.rejection_rate is None
        assert result.error_detection_rate is None
        assert result.error_correction_rate is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: evaluate_noise_robustness(["a", "b"], ["a"], "gpt", 0.2),
            "ground_truths: expected one for each of 2 responses, got 1",
        ),
        (
            lambda: evaluate_information_integration(["a"], ["a", "b"], "gpt"),
            "ground_truths: expected one for each of 1 responses, got 2",
        ),
        (
            lambda: evaluate_counterfactual_robustness(["a"], ["a"], [], "gpt"),
            "counterfactual_answers: expected one for each of 1 responses, got 0",
        ),
        (
            lambda: evaluate_noise_robustness("abc", ["a"], "gpt", 0.2),
            "responses: expected a list, got 'abc'",
        ),
        (
            lambda: evaluate_negative_rejection(["a", None], "gpt"),
            "responses[1]: expected a text, got None",
        ),
        (
            lambda: evaluate_noise_robustness(["a"], [None], "gpt", 0.2),
            "ground_truths[0]: expected an answer, got none",
        ),
        (
            lambda: evaluate_noise_robustness(["a"], [0.5], "gpt", 0.2),
            "item 0: answers: expected a text, a list of texts, or a list of lists",
        ),
        (
            lambda: evaluate_noise_robustness(["a"], ["a"], "gpt", 40),
            "noise_ratio: expected a number from 0 to 1, got 40",
        ),
        (
            lambda: evaluate_noise_robustness(["a"], ["a"], "gpt", None),
            "noise_ratio: expected a number from 0 to 1, got None",
        ),
    ],
)
def test_inconsistent_lists_are_rejected(call: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        call()


def test_the_package_offers_what_it_names() -> None:
    for name in valor_rgb.__all__:
        assert getattr(valor_rgb, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        valor_rgb.nothing  # noqa: B018


def test_functions_of_the_evaluator_check_one_response() -> None:
    assert valor_rgb.normalize_answer(" The Capital, is  Paris! ") == "the capital, is paris"
    assert valor_rgb.is_correct("The capital is Paris.", "Paris")
    assert not valor_rgb.is_correct("The capital is Paris.", "Paris", strict=True)
    assert valor_rgb.is_rejection("I cannot answer this question.")
    assert valor_rgb.detects_error("That is wrong: it is not London.", "London")
    assert valor_rgb.detects_error("It is not london.", "London")
    assert not valor_rgb.detects_error("London", None)
    assert valor_rgb.corrects_error("It is Paris, not London.", "Paris", "London")
    assert not valor_rgb.corrects_error("It is London.", "Paris", "London")
