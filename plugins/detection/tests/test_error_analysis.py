from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cases import for_each

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.detection import Detection

from . import naive_analysis as naive
from .support import ROW, by_label, predicted, results_of, true, value_of

TIDECV = json.loads((Path(__file__).parent / "tidecv.json").read_text("utf-8"))
"""Results of tidecv 1.0.1 on small random boxes, in percentage points, and the boxes."""

BOX = (0, 0, 10, 10)


def errors_of(value: dict[str, Any]) -> dict[str, int]:
    """Non-zero counts of errors by kind."""
    return {kind: each["count"] for kind, each in value["errors"].items() if each["count"]}


def one_image(*predictions: tuple[str, float, tuple[float, ...]]) -> list[Detection]:
    """An image with a dog, and predictions by label, score and box."""
    found = [predicted({label: score}, *box) for label, score, box in predictions]
    return [Detection("a", [true("dog", *BOX)], found)]


@pytest.mark.parametrize(
    ("label", "box", "kind"),
    [
        ("cat", BOX, "classification"),
        ("dog", (0, 0, 10, 3), "localization"),
        ("cat", (0, 0, 10, 3), "both"),
        ("dog", (0, 0, 10, 1), "localization"),
        ("cat", (0, 0, 10, 1), "background"),
        ("dog", (50, 50, 60, 60), "background"),
    ],
)
def test_a_prediction_has_one_error(label: str, box: tuple[float, ...], kind: str) -> None:
    errors = errors_of(value_of(one_image((label, 0.9, box)), "ErrorAnalysis"))

    # the dog is missed unless the prediction is an error about it
    about = kind in ("classification", "localization")
    assert errors == ({kind: 1} if about else {kind: 1, "missed": 1})


def test_a_second_prediction_is_a_duplicate() -> None:
    value = value_of(one_image(("dog", 0.9, BOX), ("dog", 0.8, BOX)), "ErrorAnalysis")

    assert errors_of(value) == {"duplicate": 1}
    assert value["false_positives"]["count"] == 1
    assert value["false_negatives"]["count"] == 0


def test_first_fitting_kind_counts() -> None:
    # a dog and a cat with the same box: the second dog is a duplicate and has a wrong label
    items = [
        Detection(
            "a",
            [true("dog", *BOX), true("cat", *BOX)],
            [predicted({"dog": 0.9}, *BOX), predicted({"dog": 0.8}, *BOX)],
        )
    ]
    assert errors_of(value_of(items, "ErrorAnalysis")) == {"classification": 1}


def test_gains_by_hand() -> None:
    items = one_image(("dog", 0.9, (50, 50, 60, 60)), ("dog", 0.8, BOX), ("dog", 0.7, BOX))
    value = value_of(items, "ErrorAnalysis", matching="valor")

    # precision is 1/2 at the match; without the background error it is 1
    assert value["ap"] == 0.5
    assert value["errors"]["background"] == {"count": 1, "delta_ap": 0.5}
    assert value["errors"]["duplicate"] == {"count": 1, "delta_ap": 0.0}
    assert value["false_positives"] == {"count": 2, "delta_ap": 0.5}
    assert value["false_negatives"] == {"count": 0, "delta_ap": 0.0}


def test_repaired_classification_error_has_the_true_label() -> None:
    items = [
        Detection("a", [true("dog", *BOX)], [predicted({"cat": 0.9}, *BOX)]),
        Detection("b", [true("cat", *BOX)], [predicted({"cat": 0.8}, *BOX)]),
    ]
    results = results_of(items, {"name": "ErrorAnalysis", "per_label": True, "matching": "valor"})
    gains = {
        label: value["errors"]["classification"]["delta_ap"]
        for label, value in by_label(results).items()
    }

    # the dog's AP goes from 0 to 1, the cat's from 1/2 to 1
    assert gains == {"dog": 1.0, "cat": 0.5}
    assert results.find(label="cat").value["errors"]["classification"]["count"] == 1
    whole = [result for result in results if "label" not in result.parameters]
    assert whole[0].value["errors"]["classification"] == {"count": 1, "delta_ap": 0.75}


def test_one_ground_truth_is_repaired_once() -> None:
    low = (0, 0, 10, 4)
    items = one_image(("dog", 0.9, low), ("dog", 0.8, low), ("dog", 0.7, (50, 50, 60, 60)))
    value = value_of(items, "ErrorAnalysis", matching="valor")

    assert errors_of(value) == {"localization": 2, "background": 1}
    assert value["errors"]["localization"]["delta_ap"] == 1.0


def test_repair_of_misses_removes_missed_ground_truths() -> None:
    items = [
        *one_image(("dog", 0.9, BOX)),
        Detection("b", [true("dog", *BOX)], []),
    ]
    value = value_of(items, "ErrorAnalysis", matching="valor")

    # one of two is matched: recalls 0 to 0.5, 51 of 101 points
    assert value["ap"] == 51 / 101
    assert value["errors"]["missed"] == {"count": 1, "delta_ap": 1 - 51 / 101}
    assert value["false_negatives"] == {"count": 1, "delta_ap": 1 - 51 / 101}


def test_gain_is_null_if_the_repair_leaves_no_ground_truth() -> None:
    value = value_of([Detection("a", [true("dog", *BOX)], [])], "ErrorAnalysis")

    assert value["ap"] == 0.0
    assert value["errors"]["missed"] == {"count": 1, "delta_ap": None}


def test_analysis_without_ground_truths_is_undefined() -> None:
    results = results_of([Detection("a", [], [predicted({"dog": 0.9}, *BOX)])], "ErrorAnalysis")

    assert results.only.undefined == "no ground truths"


def test_a_prediction_in_a_crowd_has_no_error() -> None:
    crowd = true("dog", 20, 20, 40, 40, is_crowd=True)
    items = [
        Detection("a", [true("dog", *BOX), crowd], [predicted({"dog": 0.9}, 20, 20, 25, 25)]),
    ]
    assert errors_of(value_of(items, "ErrorAnalysis")) == {"missed": 1}


@for_each("rule", ["coco", "ranked", "valor"])
@for_each("seed", range(8))
def test_ap_and_counts_equal_those_of_other_metrics(seed: int, rule: str) -> None:
    items = naive.random_items(seed, crowds=0.2)
    shared = {"matching": rule}
    results = results_of(
        items,
        {"name": "ErrorAnalysis", "per_label": True} | shared,
        {"name": "AP", "iou_thresholds": 0.5} | shared,
        {"name": "mAP", "iou_thresholds": 0.5} | shared,
        {"name": "Counts", "score_thresholds": 0.0, "iou_thresholds": 0.5} | shared,
    )
    whole = [one for one in results["ErrorAnalysis"] if "label" not in one.parameters]
    assert whole[0].value["ap"] == results["mAP"].value
    for result in results["ErrorAnalysis"]:
        label = result.parameters.get("label")
        if label is None or result.undefined:
            continue
        counts = results["Counts"].find(label=label).value
        assert result.value["ap"] == results["AP"].find(label=label).value
        assert result.value["false_positives"]["count"] == counts["fp"]
        assert result.value["false_negatives"]["count"] == counts["fn"]
        kinds = {kind: each["count"] for kind, each in result.value["errors"].items()}
        assert sum(kinds.values()) - kinds["missed"] == counts["fp"]


@pytest.mark.parametrize("case", TIDECV["cases"], ids=lambda case: case["id"])
def test_analysis_equals_tidecv(case: dict[str, Any]) -> None:
    items = [
        Detection(
            uid,
            [true(label, *box) for image, label, box in case["truths"] if image == uid],
            [
                predicted({label: score}, *box)
                for image, label, score, box in case["predictions"]
                if image == uid
            ],
        )
        for uid in range(case["images"])
    ]
    value = value_of(items, "ErrorAnalysis", include_prediction_only_labels=True)

    assert value["ap"] * 100 == pytest.approx(case["ap"], abs=1e-9)
    for kind, (count, gain) in case["errors"].items():
        own = value["errors"][kind]
        assert own["count"] == count
        assert max(own["delta_ap"], 0.0) * 100 == pytest.approx(gain, abs=1e-9)
    for kind in ("false_positives", "false_negatives"):
        assert value[kind]["delta_ap"] * 100 == pytest.approx(case[kind], abs=1e-9)


def test_label_keys_are_analyzed_separately() -> None:
    truth = true([("animal", "dog"), ("color", "white")], *BOX)
    found = predicted({("animal", "cat"): 0.9, ("color", "white"): 0.8}, *BOX)
    results = results_of([Detection("a", [truth], [found])], "ErrorAnalysis")

    assert errors_of(results.find(label_key="animal").value) == {"classification": 1}
    assert errors_of(results.find(label_key="color").value) == {}


def test_the_row_by_hand() -> None:
    # c's dog overlaps nothing, d's bee overlaps a dog and accounts for its miss
    assert errors_of(value_of(ROW, "ErrorAnalysis")) == {
        "classification": 1,
        "background": 1,
        "missed": 1,
    }


@pytest.mark.parametrize(
    ("background", "message"),
    [
        (0.5, "background_threshold must be less than iou_threshold, got 0.5 and 0.5"),
        (0.9, "background_threshold must be less than iou_threshold, got 0.9 and 0.5"),
    ],
)
def test_background_above_foreground_is_rejected(background: float, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        evaluate([], [{"name": "ErrorAnalysis", "background_threshold": background}], "detection")
