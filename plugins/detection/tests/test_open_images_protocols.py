"""Open Images' protocols, with results computed by hand.

Boxes are 10 high, so the IoU of two boxes is that of their horizontal spans.
"""

from __future__ import annotations

from typing import Any

import pytest

from valor_core.schemas.detection import Detection

from .support import predicted, results_of, true, value_of

GROUP = true("dog", 20, 0, 40, 10, is_crowd=True)
ITEM = Detection(
    "a",
    [true("dog", 0, 0, 10, 10), GROUP],
    [
        predicted({"dog": 0.95}, 0, 0, 10, 10),  # true positive
        predicted({"dog": 0.9}, 20, 0, 30, 10),  # inside the group: its true positive
        predicted({"dog": 0.85}, 30, 0, 40, 10),  # inside the group again: ignored
        predicted({"dog": 0.8}, 15, 0, 25, 10),  # half inside: ignored
        predicted({"dog": 0.75}, 14, 0, 24, 10),  # 0.4 inside: false positive
        predicted({"dog": 0.7}, 0, 0, 9, 10),  # the dog is matched already: false positive
        predicted({"cat": 0.9}, 0, 0, 9, 10),  # not counted: nobody searched for cats
    ],
    searched=["dog"],
)


def counts(item: Detection, matching: str) -> tuple[Any, ...]:
    results = results_of([item], {"name": "Counts", "matching": matching, "iou_thresholds": 0.5})
    return tuple(
        tuple(result.value.values()) for result in results if result.parameters["label"] == "dog"
    )


@pytest.mark.parametrize(
    ("matching", "expected"),
    [("open_images", (2, 2, 0)), ("open_images_v2", (1, 2, 0)), ("coco", (1, 2, 0))],
)
def test_first_match_of_a_group_is_a_true_positive_in_the_challenge(
    matching: str, expected: tuple[int, int, int]
) -> None:
    assert counts(ITEM, matching) == (expected,)


def test_group_without_a_match_is_missed_in_the_challenge() -> None:
    item = Detection(
        "a", [true("dog", 0, 0, 10, 10), GROUP], [predicted({"dog": 0.9}, 0, 0, 9, 10)]
    )

    assert counts(item, "open_images") == ((1, 0, 1),)
    assert counts(item, "open_images_v2") == ((1, 0, 0),)


def test_average_precision_by_hand() -> None:
    # Scores 0.95, 0.9: true; 0.75, 0.7: false. Two of two objects are found with precision 1.
    dogs = ITEM.predictions[:6]
    item = Detection("a", ITEM.groundtruths, dogs)
    assert value_of([item], "AP", matching="open_images", iou_thresholds=0.5) == 1.0
    # Without the first prediction, the last is true: the group has precision 1, the dog 2/3.
    item = Detection("a", ITEM.groundtruths, dogs[1:])
    found = value_of([item], "AP", matching="open_images", iou_thresholds=0.5)
    assert found == pytest.approx((1 + 2 / 3) / 2, rel=1e-15)


def test_second_prediction_of_an_object_can_match_a_group() -> None:
    group = true("dog", 0, 0, 30, 10, is_crowd=True)
    found = [predicted({"dog": score}, 0, 0, 10, 10) for score in (0.9, 0.8, 0.7)]
    item = Detection("a", [true("dog", 0, 0, 10, 10), group], found)

    assert counts(item, "open_images") == ((2, 0, 0),)
    assert counts(item, "open_images_v2") == ((1, 0, 0),)


def test_ignored_object_hides_a_group() -> None:
    hidden = [true("dog", 0, 0, 10, 10, ignored=True), true("dog", 0, 0, 30, 10, is_crowd=True)]
    item = Detection("a", hidden, [predicted({"dog": 0.9}, 0, 0, 10, 10)])

    assert counts(item, "open_images") == ((0, 0, 1),)


def test_confusion_matrix_counts_a_group_once() -> None:
    dogs = Detection("a", ITEM.groundtruths, ITEM.predictions[:4])
    missed = Detection("a", [GROUP], [])
    chosen: dict[str, Any] = {"matching": "open_images", "score_thresholds": 0.0}

    assert value_of([dogs], "ConfusionMatrix", **chosen) == {
        "confusion_matrix": {"dog": {"dog": 2}},
        "unmatched_ground_truths": {"dog": 0},
        "unmatched_predictions": {"dog": 0},
    }
    matrix = value_of([missed], "ConfusionMatrix", **chosen)
    assert matrix["unmatched_ground_truths"] == {"dog": 1}


def test_examples_list_the_missed_group() -> None:
    missed = Detection("a", [GROUP], [])

    (found,) = value_of([missed], "Examples", matching="open_images")
    assert found["false_negatives"] == [0]
    assert value_of([missed], "Examples", matching="open_images_v2") == []
