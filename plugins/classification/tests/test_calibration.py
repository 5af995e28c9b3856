from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.calibration import calibration_curve
from valor_classification.readers.arrays import from_arrays

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


def test_every_score_of_the_positive_label_is_compared_with_its_share() -> None:
    value = value_of(ITEMS, "CalibrationError", bins=2, positive="dog")

    # a 0.5 and b 0.25, of which a is a dog: 0.375 against 1/2; c 0.75 and d 1.0, of which c is one
    assert value["ece"] == (2 * 0.125 + 2 * 0.375) / 4
    first = {"lower": 0.0, "upper": 0.5, "count": 2, "frequency": 0.5, "confidence": 0.375}
    assert value["bins"][0] == first
    # a and c: 0.25 against no cat; others do not list it
    assert value_of(ITEMS, "CalibrationError", bins=1, positive="cat")["ece"] == 0.25


def test_positive_label_without_scores_is_undefined() -> None:
    reason = "no items with a ground truth and a score of 'dog'"
    items = [Classification("a", "dog", {"cat": 0.5})]

    assert reason_of(items, "CalibrationError", positive="dog") == reason


def test_unknown_positive_label_is_undefined_with_the_closest() -> None:
    found = reason_of(ITEMS, "CalibrationError", positive="dogs")

    assert found == ("expected a label of the data as positive, found 'dogs'. Did you mean 'dog'?")


BINARY = json.loads((Path(__file__).parent / "golden" / "binary_calibration.json").read_text())


@pytest.mark.parametrize("place", range(len(BINARY["sets"])))
def test_binary_errors_are_those_recorded_of_torchmetrics(place: int) -> None:
    one = BINARY["sets"][place]
    batch = from_arrays(one["truths"], np.array(one["scores"], np.float32))

    value = value_of(batch, "CalibrationError", bins=one["bins"], positive=1)

    assert value["ece"] == pytest.approx(one["ece"], abs=1e-6)
    assert value["mce"] == pytest.approx(one["mce"], abs=1e-6)


@pytest.mark.parametrize("bins", [1, 5, 10, 15])
def test_bins_of_the_positive_label_equal_scikit_learn(bins: int) -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        truths = np.append([0, 1], rng.integers(0, 2, 98))
        scores = rng.random(100)
        if seed % 2:  # many on an edge
            scores = scores.round(1)
        value = value_of(from_arrays(truths, scores), "CalibrationError", bins=bins, positive=1)

        filled = [one for one in value["bins"] if one["count"]]
        frequency, confidence = calibration_curve(truths, scores, n_bins=bins)
        assert_allclose([one["frequency"] for one in filled], frequency, rtol=1e-12)
        assert_allclose([one["confidence"] for one in filled], confidence, rtol=1e-12)
        gaps = np.abs(frequency - confidence)
        shares = np.array([one["count"] for one in filled]) / 100
        assert value["ece"] == pytest.approx(shares @ gaps, rel=1e-12)
