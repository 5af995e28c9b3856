"""PASCAL VOC's protocols, with results computed by hand or by their definition in plain Python."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_detection.matching.precisions import At, EveryPoint

from valor_core.schemas.detection import Detection

from .support import predicted, results_of, true, value_of

BOX = (0, 0, 10, 10)
FAR = (50, 50, 60, 60)


def ranked(outcomes: str, truths: int) -> list[Detection]:
    """Images with one prediction each, by descending score: T is true, F is false."""
    items = [
        Detection(
            f"i{i}",
            [true("x", *BOX)] if outcome == "T" else [],
            [predicted({"x": 0.9 - i / 100}, *BOX)],
        )
        for i, outcome in enumerate(outcomes)
    ]
    missed = [Detection(f"m{i}", [true("x", *BOX)]) for i in range(truths - outcomes.count("T"))]
    return items + missed


def ap(items: list[Detection], matching: str, iou: float = 0.5) -> Any:
    return value_of(items, "AP", matching=matching, iou_thresholds=iou)


def test_average_precision_of_both_years_by_hand() -> None:
    # Recall of the true positives 1/4, 2/4, 3/4; precision 1, 2/3, 3/5.
    items = ranked("TFTFT", 4)

    # Recalls 0, 0.1, 0.2: 1; 0.3, 0.4, 0.5: 2/3; 0.6, 0.7: 3/5; 0.8, 0.9, 1: 0.
    assert ap(items, "voc2007") == pytest.approx((3 * 1 + 3 * 2 / 3 + 2 * 3 / 5) / 11, rel=1e-15)
    # A quarter each with precision 1, 2/3, 3/5 and 0.
    assert ap(items, "voc2012") == pytest.approx((1 + 2 / 3 + 3 / 5) / 4, rel=1e-15)


def test_curve_is_greatest_precision_at_higher_recalls() -> None:
    # Precision 1/2, 2/3, 3/4 at recalls 1/3, 2/3, 1: the greatest to the right is 3/4 everywhere.
    items = ranked("FTTT", 3)

    assert ap(items, "voc2007") == ap(items, "voc2012") == 0.75


def test_recall_of_three_tenths_does_not_reach_fourth_point() -> None:
    # As in the development kit, 0.3 is compared with 3 * 0.1 = 0.30000000000000004.
    assert ap(ranked("TTT", 10), "voc2007") == pytest.approx(3 / 11, rel=1e-15)


def test_prediction_whose_best_object_is_matched_is_false_positive() -> None:
    # q overlaps A with 9 / 11 and B with 7 / 13; A is the best, and p has it.
    true_objects = [true("x", 0, 0, 10, 4), true("x", 4, 0, 14, 4)]
    found = [predicted({"x": 0.9}, 0, 0, 10, 4), predicted({"x": 0.8}, 1, 0, 11, 4)]
    item = Detection("a", true_objects, found)

    for matching, counts in (("voc2007", (1, 1, 1)), ("voc2012", (1, 1, 1)), ("coco", (2, 0, 0))):
        assert tuple(value_of([item], "Counts", matching=matching).values()) == counts, matching


def test_any_number_of_predictions_on_difficult_object_counts_neither_way() -> None:
    difficult = true("x", *BOX, ignored=True)
    found = [predicted({"x": score}, *BOX) for score in (0.9, 0.8)]
    items = [Detection("a", [difficult, true("x", *FAR)], [*found, predicted({"x": 0.7}, *FAR)])]

    for matching in ("voc2007", "voc2012"):
        assert ap(items, matching) == 1.0
        assert value_of(items, "Counts", matching=matching) == {"tp": 1, "fp": 0, "fn": 0}


def test_difficult_object_that_is_best_hides_another_one() -> None:
    # The prediction overlaps the difficult object with 1 and the other one with 8 / 12.
    objects = [true("x", 0, 0, 10, 10, ignored=True), true("x", 2, 0, 12, 10)]
    item = Detection("a", objects, [predicted({"x": 0.9}, 0, 0, 10, 10)])

    assert value_of([item], "Counts", matching="voc2012") == {"tp": 0, "fp": 0, "fn": 1}
    assert value_of([item], "Counts", matching="coco") == {"tp": 1, "fp": 0, "fn": 0}


def test_overlap_equal_to_threshold_is_match() -> None:
    item = Detection("a", [true("x", *BOX)], [predicted({"x": 0.9}, 0, 0, 5, 10)])

    assert ap([item], "voc2007") == ap([item], "voc2012") == 1.0


def test_label_without_ground_truths_is_undefined() -> None:
    result = results_of(
        [Detection("a", [], [predicted({"x": 0.9}, *BOX)])], {"name": "AP", "matching": "voc2012"}
    )

    assert [each.undefined for each in result] == ["no ground truths of label 'x'"] * 2


def test_interpolated_curve_has_recalls_of_protocol() -> None:
    sizes = {}
    for matching in ("voc2007", "voc2012"):
        curve = value_of(
            ranked("TFT", 3), "PrecisionRecallCurve", matching=matching, form="interpolated"
        )
        sizes[matching] = len(curve["x"]["recalls"])

    assert sizes == {"voc2007": 11, "voc2012": 101}


def test_exact_recalls_at_any_number_of_points() -> None:
    # A third of 3 objects is 1, of 4 objects 4 / 3.
    assert At(points=4).needed(np.array([3, 4])).tolist() == [[0, 1, 2, 3], [0, 2, 3, 4]]
    assert EveryPoint().perfect_terms(np.array([1, 0]), np.array([4, 0])).tolist() == [[0.25, 0.0]]


def defined(items: list[Detection], label: str, threshold: float) -> tuple[list[bool], int]:
    """Return True for true and False for false positives by score, and the number of objects."""
    taken: dict[Any, set[int]] = defaultdict(set)
    truths = {
        item.uid: [each for each in item.groundtruths if each.labels[0].value == label]
        for item in items
    }
    found = [
        (score, item.uid, each.geometry)
        for item in items
        for each in item.predictions
        for name, score in each.labels
        if name.value == label
    ]
    outcomes = []
    for _, uid, box in sorted(found, key=lambda one: -one[0]):
        ious = [iou(box, each.geometry) for each in truths[uid]]
        best = max(range(len(ious)), key=ious.__getitem__, default=None)
        if best is None or ious[best] < threshold:
            outcomes.append(False)
        elif not truths[uid][best].ignored:
            outcomes.append(best not in taken[uid])
            taken[uid].add(best)
    counted = [each for objects in truths.values() for each in objects if not each.ignored]
    return outcomes, len(counted)


def iou(one: Any, other: Any) -> float:
    width = min(one.xmax, other.xmax) - max(one.xmin, other.xmin)
    height = min(one.ymax, other.ymax) - max(one.ymin, other.ymin)
    shared = max(width, 0) * max(height, 0)
    areas = [(box.xmax - box.xmin) * (box.ymax - box.ymin) for box in (one, other)]
    return float(shared / (sum(areas) - shared))


def drawn(outcomes: list[bool], positives: int, matching: str) -> float:
    """Average precision as defined by the development kits."""
    is_true = np.array(outcomes, bool)
    recall = np.cumsum(is_true) / positives
    precision = np.cumsum(is_true) / np.arange(1, len(is_true) + 1)
    if matching == "voc2007":
        points = np.linspace(0, 1, 11)
        return float(sum(precision[recall >= point].max(initial=0.0) for point in points) / 11)
    recall = np.concatenate([[0.0], recall, [1.0]])
    precision = np.concatenate([[0.0], precision, [0.0]])
    greatest = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall) * greatest[1:]))


def images(seed: int) -> list[Detection]:
    """Random boxes on a grid, with distinct scores, some of them on difficult objects."""
    rng = np.random.default_rng(seed)
    scores = iter((rng.permutation(400) / 400).tolist())

    def box() -> list[float]:
        x, y, width, height = (rng.integers([0, 0, 3, 3], [8, 8, 8, 8]) * 4).tolist()
        return [x, y, x + width, y + height]

    return [
        Detection(
            f"i{i}",
            [
                true(rng.choice(["a", "b"]), *box(), ignored=bool(rng.random() < 0.25))
                for _ in range(rng.integers(0, 6))
            ],
            [
                predicted({rng.choice(["a", "b"]): next(scores)}, *box())
                for _ in range(rng.integers(0, 12))
            ],
        )
        for i in range(int(rng.integers(1, 12)))
    ]


@for_each("seed", range(100))
@for_each("matching", ["voc2007", "voc2012"])
@for_each("threshold", [0.3, 0.5])
def test_random_images_equal_definition(seed: int, matching: str, threshold: float) -> None:
    items = images(seed)
    results = results_of(items, {"name": "AP", "matching": matching, "iou_thresholds": threshold})

    for result in results:
        outcomes, positives = defined(items, result.parameters["label"], threshold)
        value = result.to_dict()["value"]
        if positives == 0:
            assert value is None
        else:
            assert value == pytest.approx(
                drawn(outcomes, positives, matching), rel=1e-12, abs=1e-15
            )
