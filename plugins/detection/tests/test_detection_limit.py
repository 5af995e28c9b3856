"""The warning for COCO's limit of 100 predictions of a label in an image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_detection.arrays.from_arrays import Objects, from_arrays

from valor_core import Evaluator, evaluate
from valor_core.schemas.detection import DetectionBatch


def grid(count: int) -> np.ndarray:
    places = np.array([(10 * (n % 15), 10 * (n // 15)) for n in range(count)], float)
    return np.concatenate([places, places + 8], axis=1)


def batch(truths: int, found: int, images: int = 1) -> DetectionBatch:
    """Objects of one label and `found` predictions, the first of which are perfect."""
    true = Objects(boxes=grid(truths), labels=["cat"] * truths)
    scores = np.linspace(1, 0.1, found)
    predicted = Objects(boxes=grid(found), labels=["cat"] * found, scores=scores)
    uids = [f"i{n}" for n in range(images)]
    return from_arrays([true] * images, [predicted] * images, uids=uids)


WARNING = (
    "1 image has more than 100 ground truths and predictions of a label (first: image 'i0', 150 of "
    "'cat'), of which COCO's AP and AR count the 100 best-scored predictions. To count all, use "
    "mAPAveragedOverIOUs, mAP, AP, AR or mAR with max_detections: 1000"
)


@pytest.mark.parametrize("metric", ["COCOSummary", "AP", "mAP50", "mAPAveragedOverIOUs", "mAR"])
def test_150_objects_of_which_100_count_are_a_warning(metric: str) -> None:
    report = evaluate(batch(150, 150), [metric], "detection")
    assert report.warnings == (WARNING,)


def test_remedy_of_the_limit_counts_all_objects() -> None:
    chosen = {"name": "mAPAveragedOverIOUs", "max_detections": 1000}
    report = evaluate(batch(150, 150), [chosen], "detection")
    assert report.warnings == ()
    assert report[chosen["name"]].value > 0.99


@pytest.mark.parametrize(("truths", "found"), [(100, 300), (101, 100), (3, 300)])
def test_many_predictions_of_fewer_objects_are_no_warning(truths: int, found: int) -> None:
    assert evaluate(batch(truths, found), ["COCOSummary", "mAR"], "detection").warnings == ()


@pytest.mark.parametrize("chosen", ["Counts", {"name": "mAP", "matching": "ranked"}])
def test_metrics_without_the_limit_do_not_warn(chosen: Any) -> None:
    assert evaluate(batch(150, 150), [chosen], "detection").warnings == ()


def test_images_over_the_limit_are_counted_in_any_order() -> None:
    whole = batch(101, 120, images=3)
    expected = evaluate(whole, ["COCOSummary", "mAP50"], "detection").warnings
    assert [one.split(" (")[0] for one in expected] == [
        "3 images have more than 100 ground truths and predictions of a label"
    ]
    evaluator = Evaluator(["COCOSummary", "mAP50"], "detection")
    for number in (2, 0, 1):
        evaluator.update(whole.select(np.array([number])))
    assert evaluator.compute().warnings == expected
