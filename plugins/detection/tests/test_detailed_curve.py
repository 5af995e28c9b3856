from __future__ import annotations

from typing import Any

import pytest
from cases import for_each

from valor_core.schemas.detection import Detection, PredictedObject
from valor_core.schemas.geometry import Mask, Polygon

from . import naive_analysis as naive
from .support import ROW, predicted, results_of, true, value_of

NAME = "DetailedPrecisionRecallCurve"


def counts_of(point: dict[str, Any]) -> dict[tuple[str, str], int]:
    """Non-zero counts of a point by side and kind."""
    found = {}
    for side, observed in point.items():
        kinds = observed["observations"]
        assert observed["total"] == sum(each["count"] for each in kinds.values())
        found |= {(side, kind): each["count"] for kind, each in kinds.items() if each["count"]}
    return found


def test_errors_have_kinds() -> None:
    value = value_of(ROW, NAME, score_thresholds=[0.5])

    # b's dog matches at 0.6, c's prediction overlaps nothing, d's bee overlaps a dog
    assert counts_of(value["dog"]["0.5"]) == {
        ("tp", "all"): 2,
        ("fp", "hallucinations"): 1,
        ("fn", "misclassifications"): 1,
        ("fn", "no_predictions"): 1,
    }
    assert counts_of(value["bee"]["0.5"]) == {("fp", "misclassifications"): 1}
    assert counts_of(value["cat"]["0.5"]) == {("tp", "all"): 1}


def test_misclassification_needs_a_prediction_above_score_threshold() -> None:
    value = value_of(ROW, NAME, score_thresholds=[0.55])

    assert counts_of(value["dog"]["0.55"])["fn", "no_predictions"] == 2
    assert counts_of(value["bee"]["0.55"]) == {}


def test_nineteen_thresholds_by_default() -> None:
    value = value_of(ROW, NAME)

    assert list(value["dog"]) == [repr(i / 20) for i in range(1, 20)]


def test_examples_are_an_image_and_a_geometry() -> None:
    value = value_of(ROW, NAME, score_thresholds=[0.5])
    kinds = value["dog"]["0.5"]["fn"]["observations"]

    corners = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0], [0.0, 0.0]]
    geometry = {"type": "Polygon", "coordinates": [corners]}
    assert kinds["misclassifications"]["examples"] == [["d", geometry]]
    assert kinds["no_predictions"]["examples"] == [["c", geometry]]
    assert value["dog"]["0.5"]["tp"]["observations"]["all"]["examples"][0][0] == "a"


def test_examples_have_the_highest_scores_and_first_images() -> None:
    items = [
        Detection(
            uid,
            [true("dog", 50, 50, 60, 60)],
            [predicted({"dog": score}, 0, 0, 10, 10)],
        )
        for uid, score in (("a", 0.5), ("b", 0.9), ("c", 0.7))
    ]
    value = value_of(items, NAME, score_thresholds=[0.4, 0.6], max_examples=2)

    def shown(threshold: str, side: str, kind: str) -> list[str]:
        examples = value["dog"][threshold][side]["observations"][kind]["examples"]
        return [uid for uid, _ in examples]

    assert shown("0.4", "fp", "hallucinations") == ["b", "c"]
    assert shown("0.6", "fp", "hallucinations") == ["b", "c"]
    assert shown("0.4", "fn", "no_predictions") == ["a", "b"]


def test_examples_can_be_disabled() -> None:
    value = value_of(ROW, NAME, max_examples=0)

    assert value["dog"]["0.5"]["tp"]["observations"]["all"] == {"count": 2, "examples": []}


def test_examples_contain_polygons_and_bounding_boxes_of_masks() -> None:
    corners = [(0, 0), (8, 0), (8, 8)]
    items = [
        Detection("a", [], [PredictedObject({"dog": 0.9}, Polygon(corners))]),
        Detection("b", [], [PredictedObject({"cat": 0.9}, Mask.of([[0, 1], [0, 1]]))]),
    ]
    value = value_of(items, NAME, score_thresholds=[0.5])

    def geometry(label: str) -> Any:
        return value[label]["0.5"]["fp"]["observations"]["hallucinations"]["examples"][0][1]

    assert geometry("dog")["coordinates"] == [[[0, 0], [8, 0], [8, 8], [0, 0]]]
    assert geometry("cat")["coordinates"] == [[[1, 0], [2, 0], [2, 2], [1, 2], [1, 0]]]


def test_ground_truth_is_matched_once() -> None:
    box = (0, 0, 10, 10)
    item = Detection(
        "a", [true("dog", *box)], [predicted({"dog": 0.9}, *box), predicted({"dog": 0.8}, *box)]
    )
    value = value_of([item], NAME, score_thresholds=[0.5])

    # a duplicate is no misclassification without a ground truth of another value
    assert counts_of(value["dog"]["0.5"]) == {("tp", "all"): 1, ("fp", "hallucinations"): 1}


@for_each("seed", range(25))
def test_counts_equal_naive_counts(seed: int) -> None:
    items = naive.random_items(seed)
    thresholds = [0.05, 0.3, 0.5, 0.75]
    for result in results_of(
        items, {"name": NAME, "iou_threshold": 0.4, "score_thresholds": thresholds}
    ):
        for threshold in thresholds:
            expected = naive.detailed(items, 0.4, threshold)
            for label, points in result.value.items():
                own = {key[1:]: count for key, count in expected.items() if key[0] == label}
                assert counts_of(points[repr(threshold)]) == own


@pytest.mark.parametrize("seed", range(5))
def test_totals_equal_those_of_precision_recall_curve(seed: int) -> None:
    items = naive.random_items(seed + 50)
    results = results_of(items, NAME, "PrecisionRecallCurve")
    plain = results["PrecisionRecallCurve"].value
    for label, points in results[NAME].value.items():
        for threshold, point in points.items():
            for side in ("tp", "fp", "fn"):
                assert point[side]["total"] == plain[label][threshold][side]
