from __future__ import annotations

import pytest
from cases import for_each

from valor_core.errors import ParameterError
from valor_core.schemas.detection import Detection

from . import naive_analysis as naive
from .support import ROW, by_label, predicted, results_of, true, value_of


def test_error_is_the_gap_between_score_and_precision() -> None:
    value = value_of(ROW, "CalibrationError", bins=2)

    # the bee at 0.5 is false; of 0.9, 0.8, 0.7 and 0.6, three are true
    assert value["bins"] == [
        {"lower": 0.0, "upper": 0.5, "count": 1, "precision": 0.0, "confidence": 0.5},
        {"lower": 0.5, "upper": 1.0, "count": 4, "precision": 0.75, "confidence": 0.75},
    ]
    assert value["mce"] == 0.5
    assert value["ece"] == pytest.approx(0.1, rel=1e-15)


def test_an_empty_bin_has_no_precision_and_no_confidence() -> None:
    value = value_of(ROW, "CalibrationError", bins=4)

    # bins include their upper edge: 0.5 is in the second
    assert [one["count"] for one in value["bins"]] == [0, 1, 2, 2]
    assert value["bins"][0]["precision"] is None
    assert value["bins"][0]["confidence"] is None


def test_low_scores_can_be_excluded() -> None:
    value = value_of(ROW, "CalibrationError", bins=2, score_threshold=0.6)

    assert [one["count"] for one in value["bins"]] == [0, 4]


def test_results_per_label() -> None:
    values = by_label(results_of(ROW, {"name": "CalibrationError", "bins": 1, "per_label": True}))

    assert list(values) == ["bee", "cat", "dog"]
    assert values["bee"]["ece"] == 0.5
    assert values["cat"]["ece"] == pytest.approx(0.4, rel=1e-15)
    assert values["dog"]["ece"] == pytest.approx(0.8 - 2 / 3, rel=1e-14)


def test_prediction_in_a_crowd_is_excluded() -> None:
    crowd = true("dog", 0, 0, 20, 20, is_crowd=True)
    items = [Detection("a", [crowd], [predicted({"dog": 0.9}, 0, 0, 5, 5)])]
    results = results_of(items, "CalibrationError")

    assert results.only.undefined == "no predictions"


def test_scores_outside_0_and_1_are_rejected() -> None:
    items = [Detection("a", [], [predicted({"dog": 1.5}, 0, 0, 5, 5)])]
    error = results_of(items, "CalibrationError").only.error

    assert error is not None
    assert error.startswith("expected scores in [0, 1], found 1 outside")


def test_number_of_bins_is_positive() -> None:
    with pytest.raises(
        ParameterError, match=r"detection\.CalibrationError: bins must lie in \[1, 10000\], got 0"
    ):
        results_of(ROW, {"name": "CalibrationError", "bins": 0})


@for_each("seed", range(25))
def test_error_equals_naive_error(seed: int) -> None:
    items = naive.random_items(seed)
    results = results_of(items, {"name": "CalibrationError", "bins": 7, "per_label": True})
    rows = {label: naive.ranked(items, label, 0.5) for label in by_label(results)}

    for label, own in rows.items():
        value = results.find(label=label).only.to_dict()["value"]
        assert naive.near(value and value["ece"], naive.calibration(own, 7))
    pooled = naive.calibration([row for own in rows.values() for row in own], 7)
    whole = [result for result in results if "label" not in result.parameters]
    assert naive.near(whole[0].value["ece"], pooled)
