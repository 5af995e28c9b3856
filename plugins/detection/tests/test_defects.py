"""Defects of earlier Valor implementations are absent.

The tests of matrices, examples and detailed curves cover the defects of these metrics.
"""

from __future__ import annotations

import pytest
from cases import for_each
from valor_detection.geometry.validity import batch_of

from valor_core.errors import ParameterError, SchemaError
from valor_core.results import Report
from valor_core.schemas.detection import Detection

from .support import by_label, predicted, results_of, true, value_of

SQUARE = (0, 0, 10, 10)
ASIDE = (20, 20, 30, 30)
RULES = pytest.mark.parametrize("rule", ["coco", "ranked", "valor"])
HALF = {"iou_thresholds": 0.5}


def counts(items: list[Detection], **parameters: object) -> dict[str, tuple[int, ...]]:
    results = results_of(items, {"name": "Counts"} | parameters)
    return {one.parameters["label"]: tuple(one.value.values()) for one in results}


# The library of 2024


@pytest.mark.parametrize("rule", ["coco", "valor"])
def test_curve_counts_every_prediction_of_an_object(rule: str) -> None:
    item = Detection(
        "a",
        [true("x", *SQUARE)],
        [predicted({"x": 0.9}, 0, 0, 10, 2), predicted({"x": 0.8}, *SQUARE)],
    )

    point = value_of([item], "PrecisionRecallCurve", matching=rule)["x"]["0.5"]
    assert (point["tp"], point["fp"], point["fn"]) == (1, 1, 0)


@RULES
def test_curves_and_counts_agree(rule: str) -> None:
    items = [
        Detection("a", [true("x", *SQUARE)] * 2, [predicted({"x": 0.9}, *SQUARE)] * 3),
        Detection("b", [true("x", *SQUARE)], [predicted({"x": 0.9}, *ASIDE)]),
    ]

    point = value_of(items, "PrecisionRecallCurve", matching=rule)["x"]["0.5"]
    found = counts(items, matching=rule)["x"]
    assert (point["tp"], point["fp"], point["fn"]) == found


@RULES
def test_a_score_of_0_is_a_score(rule: str) -> None:
    item = Detection("a", [true("x", *SQUARE)], [predicted({"x": 0.0}, *SQUARE)])

    assert value_of([item], "AP", matching=rule, **HALF) == pytest.approx(1.0)
    assert counts([item], matching=rule, score_thresholds=0) == {"x": (1, 0, 0)}
    assert counts([item], matching=rule, score_thresholds=0.1) == {"x": (0, 0, 1)}


@RULES
def test_labels_only_in_predictions_are_undefined(rule: str) -> None:
    item = Detection(
        "a", [true("x", *SQUARE)], [predicted({"x": 0.9}, *SQUARE), predicted({"y": 0.8}, *ASIDE)]
    )

    for name in ("AP", "AR"):
        results = results_of([item], {"name": name, "matching": rule} | HALF)
        assert by_label(results)["y"] is None
    assert value_of([item], "mAP", matching=rule, **HALF) == pytest.approx(1.0)


def test_every_requested_threshold_has_a_result() -> None:
    item = Detection("a", [true("x", *SQUARE)], [predicted({"x": 0.9}, *SQUARE)])

    results = results_of([item], {"name": "AP", "iou_thresholds": [0.35, 0.5, 1]})
    assert [one.parameters["iou_threshold"] for one in results] == [0.35, 0.5, 1.0]
    assert all(one.value == pytest.approx(1.0) for one in results)


@RULES
def test_boxes_without_area_give_numbers(rule: str) -> None:
    point = (5, 5, 5, 5)
    item = Detection("a", [true("x", *point)], [predicted({"x": 0.9}, *point)])

    batch = batch_of([item], "accept")
    assert counts(batch, matching=rule) == {"x": (0, 1, 1)}


def test_labels_differ_by_key_and_value() -> None:
    one, other = ("a", "bc"), ("ab", "c")
    item = Detection("i", [true([one], *SQUARE)], [predicted([(other, 0.9)], *SQUARE)])

    assert counts([item]) == {"bc": (0, 0, 1), "c": (0, 1, 0)}


def test_data_without_predictions_are_evaluated() -> None:
    assert value_of([Detection("a", [true("x", *SQUARE)])], "mAP", **HALF) == 0.0


# The light evaluator


@for_each("found", range(101))
def test_no_recall_point_is_lost(found: int) -> None:
    items = [
        Detection(i, [true("x", *SQUARE)], [predicted({"x": 0.9}, *SQUARE)] if i < found else ())
        for i in range(100)
    ]

    expected = (found + 1) / 101 if found else 0.0
    assert value_of(items, "AP", matching="valor", **HALF) == pytest.approx(expected, rel=1e-15)


def test_prediction_of_several_labels_is_false_under_wrong_labels() -> None:
    item = Detection("a", [true("x", *SQUARE)], [predicted({"x": 0.9, "y": 0.8}, *SQUARE)])
    low = Detection("a", [true("x", *SQUARE)], [predicted({"x": 0.1, "y": 0.8}, *SQUARE)])

    assert counts([item]) == {"x": (1, 0, 0), "y": (0, 1, 0)}
    assert counts([low]) == {"x": (0, 0, 1), "y": (0, 1, 0)}


@RULES
def test_true_positive_is_kept_among_equal_scores(rule: str) -> None:
    item = Detection(
        "a", [true("x", *SQUARE)], [predicted({"x": 0.5}, *ASIDE), predicted({"x": 0.5}, *SQUARE)]
    )

    assert counts([item], matching=rule) == {"x": (1, 1, 0)}


@pytest.mark.parametrize("rule", ["coco", "valor"])
def test_match_at_low_threshold_is_kept_if_a_better_box_follows(rule: str) -> None:
    item = Detection(
        "a",
        [true("x", *SQUARE)],
        [predicted({"x": 0.9}, 0, 0, 10, 6), predicted({"x": 0.8}, *SQUARE)],
    )

    results = results_of(
        [item], {"name": "Counts", "matching": rule, "iou_thresholds": [0.5, 0.75]}
    )
    assert [tuple(one.value.values()) for one in results] == [(1, 1, 0), (1, 1, 0)]


@RULES
def test_label_predicted_on_every_image_is_false_on_other_images(rule: str) -> None:
    items = [
        Detection(i, [true("x" if i else "y", *SQUARE)], [predicted({"y": 0.9}, *SQUARE)])
        for i in range(4)
    ]

    assert counts(items, matching=rule)["y"] == (1, 3, 0)
    found = results_of(items, {"name": "Precision", "matching": rule})
    assert by_label(found)["y"] == 1 / 4


def test_f1_has_its_factor_of_2() -> None:
    item = Detection("a", [true("x", *SQUARE), true("x", *ASIDE)], [predicted({"x": 0.9}, *SQUARE)])

    # precision 1, recall 1/2
    assert by_label(results_of([item], "F1"))["x"] == 2 * 1 * 0.5 / (1 + 0.5)


def test_images_without_objects_are_read_and_counted() -> None:
    report = _report([Detection("a"), Detection("b", [true("x", *SQUARE)])])

    assert report.counts["read"] == 2


def _report(items: list[Detection]) -> Report:
    from valor_core import evaluate

    return evaluate(items, ["Counts"])


def test_iou_threshold_of_0_is_rejected() -> None:
    with pytest.raises(
        ParameterError, match=r"detection\.AP: iou_thresholds must lie in \(0, 1\], got 0\.0"
    ):
        results_of([Detection("a")], {"name": "AP", "iou_thresholds": [0.0]})


def test_duplicate_uid_is_rejected() -> None:
    with pytest.raises(SchemaError, match="item 'a': expected each uid once, found it 2 times"):
        results_of([Detection("a"), Detection("a")], "AP")


def test_nan_score_is_rejected() -> None:
    item = Detection("a", (), [predicted({"x": float("nan")}, *SQUARE)])

    with pytest.raises(
        SchemaError, match=r"item 'a', predictions\[0\]: expected a finite score for 'x', got nan"
    ):
        results_of([item], "AP")


def test_inverted_box_is_rejected() -> None:
    item = Detection("a", [true("x", 10, 0, 0, 10)])

    with pytest.raises(
        SchemaError, match="expected a shape with xmin <= xmax and ymin <= ymax, got a box 10, 0,"
    ):
        results_of([item], "AP")
