from __future__ import annotations

import pytest

from valor_core.errors import ParameterError
from valor_core.schemas.classification import Classification

from .support import SETS, reason_of, results_of, value_of

ITEMS = (
    Classification("a", "dog", {"dog": 0.5, "cat": 0.25}),
    Classification("b", "cat", {"dog": 0.25}),
    Classification("c", "dog", {"dog": 0.75, "cat": 0.25}),
    Classification("d", "cat", {"dog": 1.0}),
    Classification("e", predictions={"dog": 0.9}),
    Classification("f", "dog"),
)


def test_calibration_error_compares_scores_with_how_often_they_are_right() -> None:
    value = value_of(ITEMS, "CalibrationError", bins=2)

    # 0.5 and 0.25, one right: 0.375 against 1/2; 0.75 and 1, one right: 0.875 against 1/2
    assert value["ece"] == (2 * 0.125 + 2 * 0.375) / 4
    assert value["mce"] == 0.375
    assert value["bins"] == [
        {"lower": 0.0, "upper": 0.5, "count": 2, "accuracy": 0.5, "confidence": 0.375},
        {"lower": 0.5, "upper": 1.0, "count": 2, "accuracy": 0.5, "confidence": 0.875},
    ]


def test_an_empty_bin_has_no_accuracy_and_no_confidence() -> None:
    value = value_of(ITEMS[:1], "CalibrationError", bins=4)

    # bins are closed above: 0.5 is the last score of the second
    assert [one["count"] for one in value["bins"]] == [0, 1, 0, 0]
    assert value["bins"][0]["accuracy"] is None
    assert value["bins"][0]["confidence"] is None


def test_zero_is_in_the_first_bin() -> None:
    value = value_of([Classification("a", "dog", {"cat": 0.0})], "CalibrationError", bins=3)

    assert value["bins"][0]["count"] == 1
    assert value["ece"] == value["mce"] == 0.0


def test_a_prediction_is_right_if_it_is_one_of_the_ground_truths() -> None:
    # a and b are right at 0.9 and 0.7, d at 0.1; c has no ground truth
    value = value_of(SETS, "CalibrationError", bins=1)

    assert value["ece"] == pytest.approx(1 - (0.9 + 0.7 + 0.1) / 3, rel=1e-14)


def test_nothing_to_compare_is_undefined() -> None:
    reason = "no items with both a ground truth and a prediction"

    assert reason_of(ITEMS[4:], "CalibrationError") == reason


def test_there_must_be_a_bin() -> None:
    with pytest.raises(
        ParameterError,
        match=r"classification\.CalibrationError: bins must lie in \[1, 10000\], got 0",
    ):
        results_of(ITEMS, {"name": "CalibrationError", "bins": 0})
