from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from cases import for_each

from valor_core import evaluate
from valor_core.schemas.detection import Detection

from . import naive_analysis as naive
from .support import ROW, predicted, results_of, true, value_of


def matrix(
    items: Any, names: tuple[str, ...], iou_threshold: float, score_threshold: float
) -> dict[str, Any]:
    cells = naive.confusion(items, iou_threshold, score_threshold)
    return {
        "confusion_matrix": {one: {other: cells[one, other] for other in names} for one in names},
        "unmatched_predictions": {name: cells[None, name] for name in names},
        "unmatched_ground_truths": {name: cells[name, None] for name in names},
    }


def test_objects_of_any_labels_match() -> None:
    # d: the cat takes the cat at 0.75; the bee overlaps the dog by 81 / 100
    assert value_of(ROW, "ConfusionMatrix") == {
        "confusion_matrix": {
            "bee": {"bee": 0, "cat": 0, "dog": 0},
            "cat": {"bee": 0, "cat": 1, "dog": 0},
            "dog": {"bee": 1, "cat": 0, "dog": 2},
        },
        "unmatched_predictions": {"bee": 0, "cat": 0, "dog": 1},
        "unmatched_ground_truths": {"bee": 0, "cat": 0, "dog": 1},
    }


def test_predictions_below_score_threshold_are_excluded() -> None:
    value = value_of(ROW, "ConfusionMatrix", score_thresholds=[0.7], iou_thresholds=[0.9])

    assert value["confusion_matrix"]["dog"] == {"bee": 0, "cat": 0, "dog": 1}
    assert value["unmatched_predictions"] == {"bee": 0, "cat": 0, "dog": 2}
    assert value["unmatched_ground_truths"] == {"bee": 0, "cat": 1, "dog": 3}


def test_higher_score_of_another_label_matches_first() -> None:
    box = (0, 0, 10, 10)
    item = Detection(
        "a", [true("dog", *box)], [predicted({"dog": 0.6}, *box), predicted({"cat": 0.9}, *box)]
    )
    value = value_of([item], "ConfusionMatrix")

    assert value["confusion_matrix"]["dog"] == {"cat": 1, "dog": 0}
    assert value["unmatched_predictions"] == {"cat": 0, "dog": 1}


def test_labels_of_one_prediction_match_the_same_ground_truth() -> None:
    near = [true("dog", 0, 0, 10, 10), true("cat", 0, 0, 10, 8)]
    item = Detection("a", near, [predicted({"cat": 0.6, "dog": 0.8}, 0, 0, 10, 10)])
    value = value_of([item], "ConfusionMatrix")

    assert value["confusion_matrix"]["dog"] == {"cat": 1, "dog": 1}
    assert value["unmatched_ground_truths"] == {"cat": 1, "dog": 0}


def test_label_keys_have_a_matrix_each() -> None:
    box = (0, 0, 10, 10)
    truth = true([("animal", "dog"), ("color", "white")], *box)
    found = predicted({("animal", "cat"): 0.9, ("color", "white"): 0.8}, *box)
    results = results_of([Detection("a", [truth], [found])], "ConfusionMatrix")

    assert [result.parameters["label_key"] for result in results] == ["animal", "color"]
    assert results.find(label_key="animal").value["confusion_matrix"]["dog"]["cat"] == 1
    assert results.find(label_key="color").value["confusion_matrix"] == {"white": {"white": 1}}


def test_crowd_ignores_predictions_of_its_label_and_is_never_missed() -> None:
    crowd = true("dog", 0, 0, 20, 20, is_crowd=True)
    found = [predicted({"dog": 0.9}, 0, 0, 5, 5), predicted({"cat": 0.9}, 0, 0, 5, 5)]
    value = value_of([Detection("a", [crowd], found)], "ConfusionMatrix")

    assert value["unmatched_predictions"] == {"cat": 1, "dog": 0}
    assert value["unmatched_ground_truths"] == {"cat": 0, "dog": 0}


def test_examples_name_objects_in_every_cell() -> None:
    box, far = (0, 0, 10, 10), (50, 50, 60, 60)
    items = [
        Detection(
            uid,
            [true("dog", *box, uid=f"{uid}_truth"), true("dog", *far)],
            [predicted({"cat": score}, *box)],
        )
        for uid, score in (("a", 0.6), ("b", 0.9))
    ]
    value = value_of(items, "ConfusionMatrix", max_examples=1)

    assert value["confusion_matrix"]["dog"]["cat"] == {
        "count": 2,
        "examples": [{"datum_id": "b", "ground_truth_id": "b_truth", "prediction_id": 0}],
    }
    assert value["unmatched_ground_truths"]["dog"] == {
        "count": 2,
        "examples": [{"datum_id": "a", "ground_truth_id": 1}],
    }
    assert value["unmatched_predictions"]["cat"] == {"count": 0, "examples": []}


@for_each("seed", range(25))
def test_matrix_equals_naive_matrix(seed: int) -> None:
    items = naive.random_items(seed)
    results = results_of(
        items,
        {
            "name": "ConfusionMatrix",
            "iou_thresholds": [0.75, 0.3],
            "score_thresholds": [0.5, 0.05, 0.8],
        },
    )
    for result in results:
        thresholds = [result.parameters[f"{name}_threshold"] for name in ("iou", "score")]
        names = tuple(result.value["confusion_matrix"])
        assert result.value == matrix(items, names, *thresholds)


@for_each("rule", ["coco", "ranked", "valor"])
@for_each("seed", range(10))
def test_score_threshold_before_or_after_matching_gives_the_same_matrix(
    rule: str, seed: int
) -> None:
    items = naive.random_items(seed + 100)
    cut = [
        Detection(
            item.uid,
            item.groundtruths,
            [one for one in item.predictions if naive.score_of(one) >= 0.45],
        )
        for item in items
    ]
    whole = value_of(items, "ConfusionMatrix", matching=rule, score_thresholds=[0.45])
    part = value_of(cut, "ConfusionMatrix", matching=rule, score_thresholds=[0.0])
    for side in ("unmatched_predictions", "unmatched_ground_truths"):
        assert {name: count for name, count in whole[side].items() if count} == {
            name: count for name, count in part[side].items() if count
        }
    for name, line in part["confusion_matrix"].items():
        for other, count in line.items():
            assert whole["confusion_matrix"][name][other] == count


@pytest.mark.parametrize("max_examples", [0, 1])
def test_matrix_of_many_labels_is_sparse(max_examples: int) -> None:
    names = [f"{i:04}" for i in range(1000)]
    items = [Detection("a", [true(name, 0, 0, 1, 1) for name in names], [])]
    choice = {"name": "ConfusionMatrix", "max_examples": max_examples}
    evaluate([Detection("b", [true("a", 0, 0, 1, 1)], [])], [choice])
    tracemalloc.start()
    report = evaluate(items, [choice])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 * len(names) ** 2 / 2
    found = report["ConfusionMatrix"].value["unmatched_ground_truths"]["0999"]
    example = {"datum_id": "a", "ground_truth_id": 999}
    assert found == ({"count": 1, "examples": [example]} if max_examples else 1)
