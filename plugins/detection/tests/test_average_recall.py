from __future__ import annotations

import pytest

from valor_core.schemas.detection import Detection

from .support import ROW, by_label, predicted, results_of, true, value_of

OVER = {"iou_thresholds": [0.5, 0.75]}
RULES = pytest.mark.parametrize("rule", ["coco", "ranked", "valor"])


@RULES
def test_ar_is_the_mean_recall_over_ious(rule: str) -> None:
    results = results_of(
        ROW, {"name": "AR", "matching": rule} | OVER, {"name": "mAR", "matching": rule} | OVER
    )

    # 2 of 4 dogs at 0.5, 1 of 4 at 0.75
    assert by_label(results["AR"]) == {"bee": None, "cat": 1.0, "dog": (2 / 4 + 1 / 4) / 2}
    assert results["mAR"].only.value == (0.375 + 1.0) / 2
    assert results["mAR"].only.left_out == {"no ground truths of the label": 1}


def test_a_prediction_needs_the_score() -> None:
    at = {"recall_score_threshold": 0.75} | OVER
    results = results_of(ROW, {"name": "AR"} | at, {"name": "mAR"} | at)

    # only the match with score 0.9 remains
    assert by_label(results["AR"]) == {"bee": None, "cat": 0.0, "dog": 0.25}
    assert results["mAR"].only.value == 0.125


@pytest.mark.parametrize(("threshold", "expected"), [(0.9, 0.25), (0.91, 0.0)])
def test_a_score_equal_to_the_threshold_counts(threshold: float, expected: float) -> None:
    results = results_of(ROW, {"name": "AR", "recall_score_threshold": threshold} | OVER)

    assert by_label(results)["dog"] == expected


def test_means_over_scores() -> None:
    at = {"score_thresholds": [0.75, 0.0]} | OVER
    results = results_of(
        ROW, {"name": "ARAveragedOverScores"} | at, {"name": "mARAveragedOverScores"} | at
    )

    # the recalls of the two tests above
    assert by_label(results["ARAveragedOverScores"]) == {
        "bee": None,
        "cat": (1 + 0) / 2,
        "dog": (0.375 + 0.25) / 2,
    }
    mean = results["mARAveragedOverScores"].only
    assert mean.value == (0.5 + 0.3125) / 2
    assert mean.parameters["score_thresholds"] == [0.0, 0.75]


def test_labels_only_in_predictions_count_as_0_on_request() -> None:
    found = value_of(ROW, "mAR", include_prediction_only_labels=True, **OVER)

    assert found == pytest.approx((0.375 + 1 + 0) / 3, rel=1e-15)


def test_coco_counts_the_best_detections_of_an_image() -> None:
    item = Detection(
        "a",
        [true("dog", 10 * i, 0, 10 * i + 4, 4) for i in range(4)],
        [predicted({"dog": 0.9 - i / 10}, 10 * i, 0, 10 * i + 4, 4) for i in range(4)],
    )

    assert value_of([item], "AR") == 1.0
    assert value_of([item], "AR", max_detections=1) == 1 / 4
    assert value_of([item], "AR", max_detections=3) == 3 / 4


def test_coco_counts_100_detections_by_default() -> None:
    item = Detection(
        "a",
        [true("dog", 0, 0, 4, 4)],
        [
            *(predicted({"dog": 0.9}, 10, 0, 14, 4) for _ in range(100)),
            predicted({"dog": 0.5}, 0, 0, 4, 4),
        ],
    )

    assert value_of([item], "AR") == 0.0
    assert value_of([item], "AR", max_detections=101) == 1.0
    assert value_of([item], "AR", matching="valor") == 1.0
