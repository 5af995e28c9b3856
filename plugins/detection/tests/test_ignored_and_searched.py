"""Ignored objects and searched labels, with results computed by hand.

Boxes are 10 high, so the IoU of two boxes is that of their horizontal spans.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve
from valor_detection.matching import protocols
from valor_detection.matching.candidate_pairs import Overlaps, request
from valor_detection.matching.overlap.shapes import ShapeIOU
from valor_detection.matching.protocols import COCO, PROTOCOLS, Protocol
from valor_detection.matching.settings import Selection
from valor_detection.matching.threshold_counts import tally

from valor_core.schemas.detection import Detection, DetectionBatch

from .support import predicted, results_of, true, value_of

NAMES = ("coco", "ranked", "valor")

# Prediction and IoU with the counted A (0 to 10) and the ignored B (20 to 30):
# p 0.9: B 1;  q 0.8: B 0.9;  r 0.7: A 0.8;  s 0.6: none
OBJECTS = Detection(
    "a",
    [true("dog", 0, 0, 10, 10), true("dog", 20, 0, 30, 10, ignored=True)],
    [
        predicted({"dog": 0.9}, 20, 0, 30, 10),
        predicted({"dog": 0.8}, 20, 0, 29, 10),
        predicted({"dog": 0.7}, 0, 0, 8, 10),
        predicted({"dog": 0.6}, 60, 0, 70, 10),
    ],
)

SEARCHED = Detection(
    "a",
    [true("dog", 0, 0, 10, 10)],
    [
        predicted({"dog": 0.9}, 0, 0, 10, 10),  # matched
        predicted({"dog": 0.8}, 50, 0, 60, 10),  # false: dogs were searched for
        predicted({"cat": 0.7}, 0, 0, 10, 10),  # not counted: nobody searched for cats
        predicted({"owl": 0.6}, 0, 0, 9, 10),  # false: an owl on the dog
    ],
    searched=["dog", "owl"],
)


def counts(item: Detection, protocol: Protocol, label: str = "dog") -> tuple[int, int, int]:
    """True positives, false positives and false negatives at IoU 0.5."""
    state: Overlaps = request((0.5,), protocol).open()
    state.update(DetectionBatch.of([item]))
    table = state.table
    selection = Selection(protocol, protocols.EVERYTHING, protocol.bounds.max_detections, {})
    found = tally(table, selection, 0.5, (0.0,))
    code = [each.value for each in table.labels].index(label)
    return int(found.tp[0, code]), int(found.fp[0, code]), int(found.fn[0, code])


@pytest.mark.parametrize("name", NAMES)
def test_second_prediction_on_ignored_object_is_false_positive(name: str) -> None:
    # p matches B and counts neither way; q finds B taken: false; r is true, s is false.
    assert counts(OBJECTS, PROTOCOLS[name]) == (1, 2, 0)
    assert value_of([OBJECTS], "Counts", matching=name) == {"tp": 1, "fp": 2, "fn": 0}


def test_any_number_of_predictions_matches_ignored_object_if_protocol_says_so() -> None:
    # p and q match B; r is true, s is false.
    for name in NAMES:
        assert counts(OBJECTS, evolve(PROTOCOLS[name], many_to_ignored=True)) == (1, 1, 0), name


def test_overlap_with_ignored_object_is_share_of_prediction_if_protocol_says_so() -> None:
    # The prediction has 4 of 10 units: IoU 0.4 with the ignored object, but all of it is inside.
    item = Detection(
        "a",
        [true("dog", 0, 0, 10, 10, ignored=True)],
        [predicted({"dog": 0.9}, 0, 0, 4, 10)],
    )

    assert counts(item, COCO) == (0, 1, 0)
    assert counts(item, evolve(COCO, overlap=ShapeIOU(of_ignored="prediction"))) == (0, 0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_all_metrics_agree_on_ignored_object(name: str) -> None:
    # Ranked without p: q false, r true, s false. Precision at recall 1 is 1 / 2.
    at: dict[str, Any] = {"matching": name, "iou_threshold": 0.5}
    several = {"matching": name, "iou_thresholds": [0.5], "score_thresholds": [0.5]}
    results = results_of(
        [OBJECTS],
        {"name": "AP", "matching": name, "iou_thresholds": [0.5]},
        {"name": "ConfusionMatrix"} | several,
        {"name": "Examples"} | several,
        {"name": "ErrorAnalysis"} | at,
        {"name": "LRP", "score_thresholds": [0.5]} | at,
        {"name": "DetailedPrecisionRecallCurve", "score_thresholds": [0.5]} | at,
    )

    assert results["AP"].value == pytest.approx(0.5)
    assert results["ConfusionMatrix"].value == {
        "confusion_matrix": {"dog": {"dog": 1}},
        "unmatched_predictions": {"dog": 2},
        "unmatched_ground_truths": {"dog": 0},
    }
    (image,) = results["Examples"].value
    sizes = [len(image[kind]) for kind in ("true_positives", "false_positives", "false_negatives")]
    assert sizes == [1, 2, 0]
    errors = results["ErrorAnalysis"].value["errors"]
    assert errors["background"]["count"] == 2
    assert errors["missed"]["count"] == 0
    # Errors: 1 - 0.8 of the match, of 1 - 0.5, and two false positives: (0.4 + 2) / 3 = 0.8.
    assert results["LRP"].find(label="dog").value["lrp"] == pytest.approx(0.8)
    point = results["DetailedPrecisionRecallCurve"].value["dog"]["0.5"]
    assert [point[side]["total"] for side in ("tp", "fp", "fn")] == [1, 2, 0]


@pytest.mark.parametrize("name", NAMES)
def test_unmatched_prediction_of_unsearched_label_is_not_counted(name: str) -> None:
    assert counts(SEARCHED, PROTOCOLS[name]) == (1, 1, 0)
    assert counts(SEARCHED, PROTOCOLS[name], "cat") == (0, 0, 0)
    assert counts(SEARCHED, PROTOCOLS[name], "owl") == (0, 1, 0)
    matrix = value_of([SEARCHED], "ConfusionMatrix", matching=name)
    assert matrix["unmatched_predictions"] == {"cat": 0, "dog": 1, "owl": 1}
    assert matrix["confusion_matrix"]["dog"] == {"cat": 0, "dog": 1, "owl": 0}


def test_unmatched_prediction_of_unsearched_label_is_false_if_protocol_says_so() -> None:
    protocol = evolve(COCO, unsearched="false")

    assert counts(SEARCHED, protocol, "cat") == (0, 1, 0)


def test_matched_prediction_of_unsearched_label_is_true_positive() -> None:
    # As in LVIS for labels that are not annotated exhaustively.
    item = evolve(SEARCHED, searched=[])

    assert counts(item, COCO) == (1, 0, 0)


def test_limit_of_all_labels_in_image_keeps_best_scores() -> None:
    # Of four predictions, the best two are dogs of 0.9 and 0.8.
    protocol = evolve(COCO, limited="image", bounds=protocols.Bounds(max_detections=2))
    item = evolve(SEARCHED, searched=None)

    assert counts(item, protocol) == (1, 1, 0)
    assert counts(item, protocol, "owl") == (0, 0, 0)
    assert counts(item, evolve(protocol, limited="label"), "owl") == (0, 1, 0)


def test_limit_of_image_among_equal_scores_follows_order_of_data() -> None:
    box = (0, 0, 10, 10)
    item = Detection(
        "a",
        [true("dog", *box), true("cat", *box)],
        [predicted({name: 0.5}, *box) for name in ("cat", "dog")],
    )
    protocol = evolve(COCO, limited="image", bounds=protocols.Bounds(max_detections=1))

    assert counts(item, protocol, "cat") == (1, 0, 0)
    assert counts(item, protocol, "dog") == (0, 0, 1)


def test_label_without_ground_truths_has_value_of_protocol() -> None:
    from valor_detection.metrics.averages import Numbers

    state: Overlaps = request((0.5,), COCO).open()
    state.update(DetectionBatch.of([evolve(SEARCHED, searched=None)]))
    for absent, mean in ((None, 1.0), (0.0, 1 / 3)):
        numbers = Numbers(
            table=state.table,
            values=np.array([[0.0, 1.0, 0.0]]),
            positives=np.array([0, 1, 0]),
            protocol=evolve(COCO, absent=absent),
            coordinates={},
        )
        found = numbers.over_labels("class", include_prediction_only=False)
        assert found.value == pytest.approx(mean)


def test_overlap_must_exceed_threshold_if_protocol_says_so() -> None:
    item = Detection("a", [true("dog", 0, 0, 10, 10)], [predicted({"dog": 0.9}, 0, 0, 5, 10)])

    assert counts(item, evolve(COCO, limits=protocols.as_given)) == (1, 0, 0)
    assert counts(item, evolve(COCO, limits=protocols.exceeded)) == (0, 1, 1)
