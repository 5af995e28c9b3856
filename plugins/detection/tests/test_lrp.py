from __future__ import annotations

import pytest
from cases import for_each

from valor_core.errors import ParameterError
from valor_core.schemas.detection import Detection

from . import naive_analysis as naive
from .support import ROW, by_label, predicted, results_of, true


def test_error_is_the_mean_over_all_objects() -> None:
    results = results_of(ROW, "LRP")
    dog = results.find(label="dog").value

    # matches with IoU 1 and 0.6, one false positive, two of four dogs missed
    assert dog["lrp"] == pytest.approx((0.4 / 0.5 + 1 + 2) / 5, rel=1e-15)
    assert dog["localization"] == pytest.approx(0.2, rel=1e-15)
    assert dog["false_positive"] == 1 / 3
    assert dog["false_negative"] == 2 / 4
    # 0.75 at a threshold of 0.5 is half an error
    assert results.find(label="cat").value["lrp"] == 0.5


def test_components_without_denominator_are_null() -> None:
    values = by_label(results_of(ROW, "LRP"))

    assert values["bee"] == {
        "lrp": 1.0,
        "localization": None,
        "false_positive": 1.0,
        "false_negative": None,
    }


def test_a_label_without_objects_is_undefined() -> None:
    items = [Detection("a", [], [predicted({"dog": 0.2}, 0, 0, 1, 1)])]
    results = results_of(items, "LRP")

    assert results.find(label="dog").only.undefined == (
        "neither ground truths nor predictions that count"
    )


def test_the_mean_is_over_labels_with_ground_truths() -> None:
    results = results_of(ROW, "LRP", {"name": "LRP", "include_prediction_only_labels": True})
    means = [result for result in results if "label" not in result.parameters]

    assert means[0].value["lrp"] == pytest.approx((0.76 + 0.5) / 2, rel=1e-15)
    assert means[0].value["localization"] == pytest.approx((0.2 + 0.25) / 2, rel=1e-15)
    assert means[0].left_out == {"label only in predictions": 1}
    assert means[1].value["lrp"] == pytest.approx((0.76 + 0.5 + 1) / 3, rel=1e-15)


def test_the_optimal_threshold_is_a_score() -> None:
    results = results_of(ROW, "OptimalLRP")
    dog = results.find(label="dog").value

    # up to 0.9: 3 / 4; up to 0.8: 4 / 5; up to 0.7: 3.8 / 5
    assert dog["lrp"] == 0.75
    assert dog["score_threshold"] == 0.9
    assert dog["localization"] == 0.0


def test_highest_threshold_of_equal_errors_is_optimal() -> None:
    box = (0, 0, 10, 10)
    items = [
        Detection("a", [true("dog", *box)], [predicted({"dog": 0.9}, *box)]),
        Detection("b", [true("dog", *box)], [predicted({"dog": 0.8}, 50, 50, 60, 60)]),
        Detection("c", [true("dog", *box)], [predicted({"dog": 0.7}, 0, 0, 10, 5)]),
    ]
    dog = results_of(items, "OptimalLRP").find(label="dog").value

    assert dog["score_threshold"] == 0.9
    assert dog["lrp"] == 2 / 3


def test_predictions_with_equal_scores_share_a_threshold() -> None:
    box = (0, 0, 10, 10)
    items = [
        Detection("a", [true("dog", *box)], [predicted({"dog": 0.9}, *box)]),
        Detection("b", [], [predicted({"dog": 0.9}, *box), predicted({"dog": 0.9}, *box)]),
    ]
    dog = results_of(items, "OptimalLRP").find(label="dog").value

    assert dog["lrp"] == 2 / 3


def test_label_without_matches_has_no_threshold() -> None:
    items = [Detection("a", [true("dog", 0, 0, 9, 9)], [predicted({"dog": 0.9}, 50, 50, 60, 60)])]
    value = results_of(items, "OptimalLRP").find(label="dog").value

    assert value["lrp"] == value["false_negative"] == 1.0
    assert value["score_threshold"] is None


def test_lrp_and_optimal_lrp_of_label_only_in_predictions_are_1() -> None:
    items = [
        Detection(
            "a",
            [true("x", 0, 0, 10, 10)],
            [predicted({"x": 0.9}, 0, 0, 10, 9), predicted({"y": 0.8}, 20, 0, 30, 9)],
        )
    ]
    results = results_of(items, {"name": "OptimalLRP", "include_prediction_only_labels": True})
    mean = next(result for result in results if "label" not in result.parameters)

    assert results.find(label="y").value == {
        "lrp": 1.0,
        "localization": None,
        "false_positive": 1.0,
        "false_negative": None,
        "score_threshold": None,
    }
    assert mean.value["lrp"] == pytest.approx(0.6, rel=1e-15)
    assert mean.left_out == {}


def test_iou_threshold_outside_0_and_1_is_rejected() -> None:
    with pytest.raises(
        ParameterError, match=r"detection\.LRP: iou_threshold must lie in \(0, 1\), got 1\.0"
    ):
        results_of(ROW, {"name": "LRP", "iou_threshold": 1.0})


@for_each("seed", range(25))
def test_error_equals_naive_error(seed: int) -> None:
    items = naive.random_items(seed)
    scores = (0.3, 0.75)
    results = results_of(
        items,
        {"name": "LRP", "iou_threshold": 0.4, "score_thresholds": scores},
        {"name": "OptimalLRP", "iou_threshold": 0.4},
    )
    for label in by_label(results):
        rows = naive.ranked(items, label, 0.4)
        total = naive.positives(items, label)

        def error(score: float) -> float | None:
            return naive.lrp(rows, total, 0.4, score)  # noqa: B023

        for score in scores:
            value = results["LRP"].find(label=label, score_threshold=score).only.to_dict()["value"]
            assert naive.near(value and value["lrp"], error(score))
        best = results["OptimalLRP"].find(label=label).only.to_dict()["value"]
        tried = [value for score, _ in rows if (value := error(score)) is not None]
        least = min([*tried, 1.0])
        assert best is None or naive.near(best["lrp"], least)
        if best and best["score_threshold"] is not None:
            assert naive.near(error(best["score_threshold"]), best["lrp"])
