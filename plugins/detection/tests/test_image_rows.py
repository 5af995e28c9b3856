"""Rows of images in reports: counts, and the number of each image.

``img_2`` of `IMAGES` has three ground truths. Its predictions by descending score are a match, a
false positive and a match:

========== ===== ======= =========
prediction score match   precision
========== ===== ======= =========
dog        0.9   dog     1 / 1
cat        0.8   none    1 / 2
cat        0.7   cat     2 / 3
========== ===== ======= =========

So the image has 2 true positives, 1 false positive and 1 false negative. Its precision is 2/3, its
recall 2/3, its F1 4/6, and its average precision (1 + 2/3 + 0) / 3 = 5/9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_detection.parameters.fields import PROTOCOL_NAMES

from valor_core import Report, evaluate
from valor_core.results import Undefined
from valor_core.schemas.detection import Detection

from .support import predicted, true
from .test_consistent_counts import items_of

IMAGES = (
    Detection("img_10", [], []),
    Detection(
        "img_2",
        [true("dog", 0, 0, 10, 10), true("cat", 20, 0, 30, 10), true("cat", 40, 0, 50, 10)],
        [
            predicted({"cat": 0.7}, 20, 0, 30, 10),
            predicted({"dog": 0.9}, 0, 0, 10, 10),
            predicted({"cat": 0.8}, 60, 0, 70, 10),
        ],
    ),
    Detection("img_3", [], [predicted({"dog": 0.6}, 0, 0, 10, 10)]),
)


def report(items: Any, *metrics: Any, **options: Any) -> Report:
    return evaluate(list(items), metrics, "detection", items=True, **options)


def values(metric: Any, items: Any = IMAGES) -> dict[Any, Any]:
    (table,) = report(items, metric).items
    return {row.uid: row.value for row in table.rows}


def test_report_lists_counts_of_each_image() -> None:
    counts, f1 = report(IMAGES, "Counts", "F1").items
    expected = {
        "img_10": {"tp": 0, "fp": 0, "fn": 0},
        "img_2": {"tp": 2, "fp": 1, "fn": 1},
        "img_3": {"tp": 0, "fp": 1, "fn": 0},
    }

    named = {
        "img_10": {"truth": {}, "prediction": {}, "score": None, "wrong": ""},
        "img_2": {
            "truth": {"cat": 2, "dog": 1},
            "prediction": {"cat": 2, "dog": 1},
            "score": 0.8,
            "wrong": "1 missed, 1 false",
        },
        "img_3": {"truth": {}, "prediction": {"dog": 1}, "score": 0.6, "wrong": "1 false"},
    }

    assert {row.uid: row.value for row in counts.rows} == expected
    assert {row.uid: row.details for row in counts.rows} == named
    assert {row.uid: row.details for row in f1.rows} == {
        uid: named[uid] | expected[uid] for uid in expected
    }


def test_second_prediction_of_an_object_is_a_duplicate() -> None:
    image = Detection(
        "a",
        [true("dog", 0, 0, 10, 10)],
        [
            predicted({"dog": 0.7}, 0, 0, 10, 9),
            predicted({"dog": 0.9}, 0, 0, 10, 10),
            predicted({"dog": 0.6}, 0, 0, 10, 4),
            predicted({"cat": 0.55}, 0, 0, 10, 10),
        ],
    )
    for threshold, wrong in {0.5: "2 false, 1 duplicated", 0.9: "2 false, 1 duplicated"}.items():
        ((row,),) = [
            one.rows for one in report([image], {"name": "F1", "iou_thresholds": threshold}).items
        ]
        assert (row.details["wrong"], row.details["score"]) == (wrong, 0.7)
    ((row,),) = [one.rows for one in report([image], {"name": "F1", "iou_thresholds": 0.95}).items]
    assert row.details["wrong"] == "3 false"


def test_confusion_matrix_names_confused_objects_of_each_image() -> None:
    image = Detection(
        "a",
        [true("cat", 0, 0, 10, 10), true("cat", 20, 0, 30, 10), true("dog", 40, 0, 50, 10)],
        [
            predicted({"dog": 0.9}, 0, 0, 10, 10),
            predicted({"cat": 0.8}, 20, 0, 30, 10),
            predicted({"cat": 0.7}, 70, 0, 80, 10),
        ],
    )
    found = report([image, IMAGES[0]], "ConfusionMatrix")
    row, empty = found.items[0]

    assert row.value == {"right": 1, "confused": 1, "missed": 1, "false": 1}
    assert row.details == {
        "truth": {"cat": 2, "dog": 1},
        "prediction": {"cat": 2, "dog": 1},
        "score": 0.9,
        "wrong": "1 cat as dog, 1 missed, 1 false",
    }
    assert (empty.details["wrong"], empty.details["score"]) == ("", None)


def test_confused_objects_of_images_add_up_to_those_of_the_matrix() -> None:
    found = report(items_of(1), "ConfusionMatrix")
    sums = {name: one.values.sum() for name, one in found.items[0].rows.columns().items()}

    value = found["ConfusionMatrix"].value
    cells = {(a, b): n for a, row in value["confusion_matrix"].items() for b, n in row.items()}
    assert sums == {
        "right": sum(n for (a, b), n in cells.items() if a == b),
        "confused": sum(n for (a, b), n in cells.items() if a != b),
        "missed": sum(value["unmatched_ground_truths"].values()),
        "false": sum(value["unmatched_predictions"].values()),
    }


def test_crowds_are_neither_missed_nor_duplicates() -> None:
    crowd = true("dog", 0, 0, 10, 10, is_crowd=True)
    image = Detection("a", [crowd], [predicted({"dog": 0.9}, 0, 0, 10, 10)] * 2)
    ((row,),) = [one.rows for one in report([image], "F1").items]

    assert row.details["truth"] == row.details["prediction"] == {}
    assert row.details["wrong"] == ""


def test_image_without_objects_and_predictions_is_right() -> None:
    assert values("F1") == {"img_10": 1, "img_2": 4 / 6, "img_3": 0}
    assert values("Precision") == {"img_10": 1, "img_2": 2 / 3, "img_3": 0}
    assert values("Recall") == {"img_10": 1, "img_2": 2 / 3, "img_3": 1}


@pytest.mark.parametrize("name", ["AP", "mAP", "APAveragedOverIOUs", "mAPAveragedOverIOUs"])
def test_image_has_average_precision_over_its_ground_truths(name: str) -> None:
    none = Undefined("no ground truths in the image")

    found = values(name)

    assert found.pop("img_2") == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert found == {"img_10": none, "img_3": none}


def test_images_have_coco_average_precision_and_recall() -> None:
    for name, expected in {"COCOSummary": 5 / 9, "AR": 2 / 3, "mAR": 2 / 3}.items():
        assert values(name)["img_2"] == pytest.approx(expected)


def test_numbers_of_images_are_means_over_iou_thresholds() -> None:
    loose = [Detection("a", [true("dog", 0, 0, 10, 10)], [predicted({"dog": 1}, 0, 0, 10, 6)])]

    # An IoU of 60 / 100 passes the thresholds 0.5, 0.55 and 0.6 of ten.
    for name in ("mAPAveragedOverIOUs", "COCOSummary", "mAR"):
        assert values(name, loose) == {"a": pytest.approx(0.3)}
    assert values("AP", loose) == {"a": 1}
    assert values({"name": "AP", "iou_thresholds": [0.75, 0.5]}, loose) == {"a": 0}


@pytest.mark.parametrize("protocol", PROTOCOL_NAMES)
@pytest.mark.parametrize(
    "limits",
    [{}, {"max_detections": 2}, {"area_ranges": {"small": [0, 1e6]}}],
    ids=["all", "two", "small"],
)
def test_counts_of_images_add_up_to_counts_of_labels(protocol: str, limits: Any) -> None:
    for seed in range(3):
        metric = {"name": "Counts", "matching": protocol, "score_thresholds": [0.35, 0.5], **limits}
        found = report(items_of(seed), {**metric, "iou_thresholds": [0.5, 0.75]})
        at = {"score_threshold": 0.35, "iou_threshold": 0.5}
        labels = [one.value for one in found if at.items() <= one.parameters.items()]

        for name, column in found.items[0].rows.columns().items():
            assert column.values.sum() == sum(one[name] for one in labels)


def test_average_precision_of_images_is_that_of_a_loop_over_predictions() -> None:
    random = np.random.default_rng(4)
    items, expected = [], {}
    for number in range(20):
        places = random.permutation(12)[: random.integers(2, 12)].tolist()
        scores = random.permutation(12) / 12
        # Even places have a ground truth, which the prediction at the same place matches.
        truths = range(0, 12, 2)
        items.append(
            Detection(
                f"img_{number}",
                [true("dog", 20 * place, 0, 20 * place + 10, 10) for place in truths],
                [
                    predicted({"dog": float(scores[place])}, 20 * place, 0, 20 * place + 10, 10)
                    for place in places
                ],
            )
        )
        total = found = 0.0
        for rank, place in enumerate(sorted(places, key=lambda place: -scores[place]), 1):
            if place in truths:
                found += 1
                total += found / rank
        expected[f"img_{number}"] = pytest.approx(total / len(truths))

    assert values("AP", items) == expected
