from __future__ import annotations

import pytest

from valor_core.schemas.detection import Detection

from .support import ROW, by_label, predicted, results_of, true, value_of

RULES = pytest.mark.parametrize("rule", ["coco", "ranked", "valor"])


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-15)


@RULES
def test_counts(rule: str) -> None:
    at = {"iou_thresholds": [0.75, 0.5], "score_thresholds": [0.75, 0.5], "matching": rule}
    results = results_of(ROW, {"name": "Counts"} | at)

    expected = {
        (0.5, 0.5, "dog"): (2, 1, 2),
        (0.5, 0.5, "cat"): (1, 0, 0),
        (0.5, 0.5, "bee"): (0, 1, 0),
        (0.5, 0.75, "dog"): (1, 1, 3),
        (0.5, 0.75, "cat"): (0, 0, 1),
        (0.5, 0.75, "bee"): (0, 0, 0),
        (0.75, 0.5, "dog"): (1, 2, 3),
        (0.75, 0.5, "cat"): (1, 0, 0),
        (0.75, 0.75, "dog"): (1, 1, 3),
    }
    for (iou, score, label), counts in expected.items():
        found = results.find(iou_threshold=iou, score_threshold=score, label=label).value
        assert tuple(found.values()) == counts, (iou, score, label)


def test_precision() -> None:
    results = results_of(ROW, "Precision")

    # dog 2 of 3, cat 1 of 1, bee 0 of 1
    assert by_label(results) == {"bee": 0.0, "cat": 1.0, "dog": 2 / 3}
    assert results.find(average="micro").value == 3 / 5
    assert results.find(average="macro").value == close((2 / 3 + 1) / 2)
    assert results.find(average="macro").only.left_out == {"label only in predictions": 1}
    # four dogs, one cat
    assert results.find(average="weighted").value == close((4 * 2 / 3 + 1) / 5)


def test_recall() -> None:
    results = results_of(ROW, "Recall")

    assert by_label(results) == {"bee": 0.0, "cat": 1.0, "dog": 2 / 4}
    assert results.find(average="micro").value == 3 / 5
    assert results.find(average="macro").value == (0.5 + 1) / 2
    assert results.find(average="weighted").value == close((4 * 0.5 + 1) / 5)


def test_f1() -> None:
    results = results_of(ROW, "F1")

    # 2 tp / (2 tp + fp + fn): 4 / (4 + 1 + 2)
    assert by_label(results) == {"bee": 0.0, "cat": 1.0, "dog": 4 / 7}
    assert results.find(average="micro").value == 6 / (6 + 2 + 2)


@pytest.mark.parametrize(("zero_division", "expected"), [(0.0, 0.0), (1.0, 1.0), (None, None)])
def test_zero_division_sets_the_value_of_0_by_0(
    zero_division: float | None, expected: float | None
) -> None:
    at = {"zero_division": zero_division, "score_thresholds": 0.95}
    results = results_of(ROW, {"name": "Precision"} | at)

    assert by_label(results)["dog"] == expected
    assert results.find(average="micro").only.to_dict()["value"] == expected
    if zero_division is None:
        assert results.find(average="macro").only.left_out == {
            "no predictions of the label": 2,
            "label only in predictions": 1,
        }


def test_labels_only_in_predictions_count_on_request() -> None:
    results = results_of(ROW, {"name": "Precision", "include_prediction_only_labels": True})

    assert results.find(average="macro").value == close((2 / 3 + 1 + 0) / 3)


def test_objects_of_other_sizes_are_excluded() -> None:
    sizes = {"area_ranges": {"tiny": [0, 90], "big": [91, 1e10]}}
    results = results_of(ROW, {"name": "Counts"} | sizes)

    found = {
        (one.parameters["area_range"], one.parameters["label"]): tuple(one.value.values())
        for one in results
    }
    # The bee of 81 square pixels is false among the tiny, the dog of 100 among the big.
    # Predictions matched to a ground truth of another size are ignored.
    assert found == {
        ("tiny", "bee"): (0, 1, 0),
        ("tiny", "cat"): (0, 0, 0),
        ("tiny", "dog"): (0, 0, 0),
        ("big", "bee"): (0, 0, 0),
        ("big", "cat"): (1, 0, 0),
        ("big", "dog"): (2, 1, 2),
    }


@RULES
def test_predictions_matched_to_a_crowd_are_not_counted(rule: str) -> None:
    item = Detection(
        "a",
        [true("dog", 0, 0, 100, 100, is_crowd=True), true("dog", 200, 0, 220, 20)],
        [predicted({"dog": 0.9 - i / 10}, 20 * i, 0, 20 * i + 20, 20) for i in range(3)],
    )

    # The overlap with a crowd is divided by the predicted area: each lies inside, IoU 1.
    assert value_of([item], "Counts", matching=rule) == {"tp": 0, "fp": 0, "fn": 1}


def test_two_predictions_of_one_object_under_each_rule() -> None:
    square, shifted = (0, 0, 10, 10), (3, 0, 13, 10)
    item = Detection(
        "a",
        [true("x", *square), true("x", *shifted)],
        [predicted({"x": 0.9}, *square), predicted({"x": 0.8}, 1, 0, 11, 10)],
    )

    # The second has an IoU of 9 / 11 with the first square, and of 8 / 12 with the other.
    for rule, expected in (("coco", (2, 0, 0)), ("ranked", (2, 0, 0)), ("valor", (1, 1, 1))):
        assert tuple(value_of([item], "Counts", matching=rule).values()) == expected, rule


def test_only_coco_matches_the_prediction_above_the_threshold() -> None:
    item = Detection(
        "a",
        [true("x", 0, 0, 10, 10)],
        [predicted({"x": 0.9}, 0, 0, 10, 2), predicted({"x": 0.8}, 0, 0, 10, 10)],
    )

    # 20 / 100 is too low; ranked matches it anyway, before applying the threshold
    for rule, expected in (("coco", (1, 1, 0)), ("ranked", (0, 2, 1)), ("valor", (1, 1, 0))):
        assert tuple(value_of([item], "Counts", matching=rule).values()) == expected, rule
