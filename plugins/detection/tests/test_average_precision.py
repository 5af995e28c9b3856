from __future__ import annotations

import re

import pytest

from valor_core.errors import ParameterError
from valor_core.schemas.detection import Detection

from .support import ROW, by_label, predicted, results_of, true, value_of

RULES = pytest.mark.parametrize("rule", ["ranked", "valor"])

# By score, the dogs are tp, fp, tp of 4: precision 1 up to recall 1/4 (26 points of 101), 2/3
# up to 2/4 (25 points). At 0.75 the IoU of the third is too low.
DOG_50 = (26 + 25 * 2 / 3) / 101
DOG_75 = 26 / 101


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-15)


@RULES
def test_ap_is_the_mean_of_101_precisions(rule: str) -> None:
    results = results_of(ROW, {"name": "AP", "matching": rule})

    assert results.find(label="dog", iou_threshold=0.5).value == close(DOG_50)
    assert results.find(label="dog", iou_threshold=0.75).value == DOG_75
    # 300 / 400 reaches 0.75
    assert results.find(label="cat", iou_threshold=0.75).value == 1.0


def test_ap_under_coco_has_the_rounding_of_pycocotools() -> None:
    results = results_of(ROW, {"name": "AP", "iou_thresholds": [0.5]})

    assert results.find(label="dog").value == pytest.approx(DOG_50, rel=1e-14)
    # pycocotools divides by the count and 2 ** -52
    assert results.find(label="cat").value == pytest.approx(1.0, rel=1e-15)
    assert results.find(label="cat").value < 1.0


@RULES
def test_ap_of_a_label_without_ground_truths_is_undefined(rule: str) -> None:
    results = results_of(ROW, {"name": "AP", "iou_thresholds": 0.5, "matching": rule})

    assert results.find(label="bee").only.undefined == "no ground truths of label 'bee'"


@RULES
def test_means_over_ious_and_labels(rule: str) -> None:
    over = {"iou_thresholds": [0.5, 0.75], "matching": rule}
    results = results_of(
        ROW,
        {"name": "APAveragedOverIOUs"} | over,
        {"name": "mAP"} | over,
        {"name": "mAPAveragedOverIOUs"} | over,
    )

    assert by_label(results["APAveragedOverIOUs"]) == {
        "bee": None,
        "cat": 1.0,
        "dog": close((DOG_50 + DOG_75) / 2),
    }
    assert results["mAP"].find(iou_threshold=0.5).value == close((DOG_50 + 1) / 2)
    assert results["mAP"].find(iou_threshold=0.75).value == close((DOG_75 + 1) / 2)
    mean = results["mAPAveragedOverIOUs"].only
    assert mean.value == close((DOG_50 + DOG_75 + 2) / 4)
    assert mean.left_out == {"no ground truths of the label": 1}


def test_labels_only_in_predictions_count_as_0_on_request() -> None:
    results = results_of(
        ROW,
        {
            "name": "mAP",
            "iou_thresholds": 0.75,
            "matching": "valor",
            "include_prediction_only_labels": True,
        },
    )

    assert results.only.value == close((DOG_75 + 1 + 0) / 3)
    assert results.only.left_out == {}


def test_mean_without_labels_is_undefined() -> None:
    result = results_of([Detection("a", (), [predicted({"dog": 1}, 0, 0, 1, 1)])], "mAP")[0]

    assert result.undefined == "no labels with ground truths"


def test_area_ranges_are_counted_separately() -> None:
    sizes = {"area_ranges": {"tiny": [0, 90], "big": [91, 1e10]}}
    results = results_of(ROW, {"name": "AP", "iou_thresholds": 0.5, "matching": "valor"} | sizes)

    # All ground truths have 100 or 400 square pixels; a matched prediction counts at any size.
    assert results.find(label="dog", area_range="big").value == close(DOG_50)
    assert results.find(label="dog", area_range="tiny").only.undefined is not None


def test_limit_counts_best_predictions_of_an_image() -> None:
    item = Detection(
        "a",
        [true("dog", 0, 0, 4, 4), true("dog", 10, 0, 14, 4)],
        [predicted({"dog": 0.9}, 0, 0, 4, 4), predicted({"dog": 0.8}, 10, 0, 14, 4)],
    )
    at = {"iou_thresholds": 0.5, "matching": "valor"}

    assert value_of([item], "AP", **at) == 1.0
    # one of two is matched: recalls 0 to 0.5
    assert value_of([item], "AP", max_detections=1, **at) == 51 / 101


def test_equal_scores_rank_by_iou_except_under_coco() -> None:
    items = [
        Detection("a", [true("dog", 0, 0, 4, 4)], [predicted({"dog": 0.5}, 10, 0, 14, 4)]),
        Detection("b", [true("dog", 0, 0, 4, 4)], [predicted({"dog": 0.5}, 0, 0, 4, 4)]),
    ]

    for rule, expected in (("valor", 51 / 101), ("ranked", 51 / 101), ("coco", 51 / 202)):
        found = value_of(items, "AP", iou_thresholds=0.5, matching=rule)
        assert found == pytest.approx(expected, rel=1e-14), rule


def test_results_state_parameters_that_differ_from_defaults() -> None:
    results = results_of(
        ROW[:1],
        "AP",
        {
            "name": "AP",
            "iou_thresholds": 0.5,
            "matching": "ranked",
            "max_detections": 10,
            "convert_to": "box",
            "area_ranges": {"small": [0, 1024]},
        },
    )

    assert results[0].parameters == {"label_key": "class", "label": "dog", "iou_threshold": 0.5}
    assert results[2].parameters == {
        "label_key": "class",
        "label": "dog",
        "iou_threshold": 0.5,
        "area_range": "small",
        "area_bounds": [0.0, 1024.0],
        "matching": "ranked",
        "max_detections": 10,
        "convert_to": "box",
    }


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ([0], "area_ranges must be pairs [low, high], got [0.0] as 'small'"),
        ([0, 1, 2], "area_ranges must be pairs [low, high], got [0.0, 1.0, 2.0] as 'small'"),
        ([5, 1], "area_ranges must be pairs [low, high], got [5.0, 1.0] as 'small'"),
    ],
)
def test_an_area_range_has_two_ordered_bounds(bounds: list[float], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        results_of(ROW, {"name": "AP", "area_ranges": {"small": bounds}})


def test_more_than_64_thresholds_are_supported() -> None:
    many = [i / 100 for i in range(1, 100)]
    together = results_of(ROW, {"name": "AP", "iou_thresholds": many})

    for threshold in (0.01, 0.5, 0.65, 0.99):
        alone = results_of(ROW, {"name": "AP", "iou_thresholds": threshold})
        assert [one.value for one in together if one.parameters["iou_threshold"] == threshold] == [
            one.value for one in alone
        ]
