"""LVIS's summary, with numbers computed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from valor_detection.matching.label_groups import GroupedBatch
from valor_report.tables.sections import tables_of

from valor_core import evaluate
from valor_core.schemas.detection import Detection, DetectionBatch

from .lvis_api import NAMES
from .support import predicted, results_of, true, value_of

# One medium dog of 40 by 40 pixels, matched with an IoU of 0.7; one small dog that is missed,
# with a false positive of the same size and a higher score. Nobody searched for cats.
ITEM = Detection(
    "a",
    [true("dog", 0, 0, 40, 40), true("dog", 100, 0, 110, 10)],
    [
        predicted({"dog": 0.9}, 0, 0, 40, 28),
        predicted({"dog": 0.8}, 200, 0, 210, 10),
        predicted({"cat": 0.95}, 0, 0, 40, 40),
    ],
    searched=["dog"],
)


def test_thirteen_numbers_are_in_the_order_of_lvis_api() -> None:
    value = value_of([ITEM], "LVISSummary")

    assert tuple(value) == NAMES
    # Matched at 5 of 10 thresholds, 0.5 to 0.7; recalls 0 to 0.5 are 51 of 101 points.
    expected = {
        "AP": 5 / 10 * 51 / 101,
        "AP50": 51 / 101,
        "AP75": 0.0,
        "APs": 0.0,
        "APm": 5 / 10,
        "APl": None,
        "APr": None,
        "APc": None,
        "APf": None,
        "AR@300": 5 / 10 * 1 / 2,
        "ARs@300": 0.0,
        "ARm@300": 5 / 10,
        "ARl@300": None,
    }
    assert value == {
        name: None if number is None else pytest.approx(number, rel=1e-12)
        for name, number in expected.items()
    }


def test_report_prints_them_in_that_order() -> None:
    (table,) = tables_of(results_of([ITEM], "LVISSummary"))

    assert [row[0].text for row in table.rows] == [f"LVISSummary {name}" for name in NAMES]


def test_means_by_frequency_are_those_of_the_labels_of_a_group() -> None:
    item = Detection(
        "a",
        [true(name, 0, 0, 40, 40) for name in ("cat", "dog", "owl")],
        [predicted({"cat": 0.9}, 0, 0, 40, 40), predicted({"owl": 0.9}, 0, 0, 40, 28)],
        searched=["cat", "dog", "owl"],
    )
    batch = GroupedBatch.of([item])
    groups = {"cat": "r", "dog": "r", "owl": "f"}
    batch = evolve(batch, label_groups=tuple(groups[label.value] for label in batch.labels))

    value = evaluate(batch, ["LVISSummary"])["LVISSummary"].value
    # The cat has 1, the dog 0, and the owl, with an IoU of 0.7, 5 of 10 thresholds.
    assert (value["APr"], value["APc"], value["APf"]) == (
        pytest.approx(1 / 2),
        None,
        pytest.approx(5 / 10),
    )
    assert value["AP"] == pytest.approx((1 + 0 + 5 / 10) / 3)


def ap50(item: Detection, **changed: Any) -> float:
    """AP of dogs at IoU 0.5 under the protocol ``lvis``."""
    chosen = {"name": "AP", "iou_thresholds": 0.5, "matching": "lvis", **changed}
    (result,) = (
        one
        for one in results_of(DetectionBatch.of([item]), chosen)
        if one.parameters["label"] == "dog"
    )
    assert isinstance(result.value, float)
    return result.value


def test_unmatched_prediction_is_false_only_of_a_searched_label() -> None:
    item = Detection(
        "a",
        [true("dog", 0, 0, 9, 9)],
        [predicted({"dog": 0.9}, 50, 0, 59, 9), predicted({"dog": 0.8}, 0, 0, 9, 9)],
        searched=["dog"],
    )

    # The false positive of 0.9 halves the precision at each recall.
    assert ap50(item) == pytest.approx(1 / 2)
    # Dogs may be missing in the ground truths of this image; the match counts all the same.
    assert ap50(evolve(item, searched=[])) == pytest.approx(1)


def test_best_300_predictions_of_all_labels_in_an_image_count() -> None:
    cats = [predicted({"cat": 0.9}, i, 0, i + 9, 9) for i in range(300)]
    dog = predicted({"dog": 0.8}, 0, 0, 9, 9)
    item = Detection("a", [true("dog", 0, 0, 9, 9)], [*cats, dog])

    # The dog is the prediction number 301 of its image, and the first of its label.
    assert ap50(item) == 0
    assert ap50(item, max_detections=301) == pytest.approx(1)
    assert ap50(evolve(item, predictions=[*cats[:-1], dog])) == pytest.approx(1)


def test_objects_without_area_are_excluded() -> None:
    flat = [true("dog", 0, 0, 9, 9, area=0), true("dog", 20, 0, 29, 9)]
    item = Detection(
        "a",
        flat,
        [predicted({"dog": 0.9}, 20, 0, 29, 9), predicted({"dog": 0.95}, 5, 5, 5, 9)],
        searched=["dog"],
    )

    # One ground truth counts, and the prediction without width is no false positive.
    assert ap50(item) == pytest.approx(1)
