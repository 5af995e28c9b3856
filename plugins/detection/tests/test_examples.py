from __future__ import annotations

from typing import Any

from valor_core.schemas.detection import Detection, PredictedObject
from valor_core.schemas.geometry import Box

from .support import ROW, predicted, true, value_of


def item(uid: str, tp: list[list[Any]], fp: list[Any], fn: list[Any]) -> dict[str, Any]:
    return {
        "datum_id": uid,
        "true_positives": tp,
        "false_positives": fp,
        "false_negatives": fn,
    }


def test_images_with_the_most_errors_come_first() -> None:
    # c: a dog without overlap; d: the dog is predicted as a bee
    assert value_of(ROW, "Examples") == [
        item("c", [], [0], [0]),
        item("d", [[1, 0]], [1], [0]),
        item("a", [[0, 0]], [], []),
        item("b", [[0, 0]], [], []),
    ]


def test_images_are_paged_in_the_order_of_uids() -> None:
    value = value_of(ROW[::-1], "Examples", order="uid", offset=1, limit=2)

    assert [one["datum_id"] for one in value] == ["b", "c"]
    assert len(value_of(ROW, "Examples", limit=None)) == 4
    assert value_of(ROW, "Examples", limit=0) == []


def test_annotations_are_named_by_uid() -> None:
    box = Box(0, 0, 10, 10)
    image = Detection(
        "a", [true("dog", 0, 0, 10, 10, uid="t")], [PredictedObject({"dog": 0.9}, box, "p")]
    )

    assert value_of([image], "Examples") == [item("a", [["t", "p"]], [], [])]
    missed = value_of([image], "Examples", score_thresholds=[0.95])
    assert missed == [item("a", [], [], ["t"])]


def test_images_without_listed_objects_are_excluded() -> None:
    items = [Detection("a", [], [predicted({"dog": 0.2}, 0, 0, 1, 1)]), Detection("b")]

    assert value_of(items, "Examples") == []


def test_a_prediction_with_several_labels_is_listed_once() -> None:
    items = [
        Detection(
            "a", [true("dog", 0, 0, 9, 9)], [predicted({"dog": 0.8, "cat": 0.9}, 0, 0, 9, 9)]
        ),
        Detection(
            "b", [true("elk", 0, 0, 9, 9)], [predicted({"dog": 0.8, "cat": 0.9}, 0, 0, 9, 9)]
        ),
    ]

    assert value_of(items, "Examples", order="uid") == [
        item("a", [[0, 0]], [], []),
        item("b", [], [0], [0]),
    ]


def test_a_crowd_is_not_listed() -> None:
    crowd = true("dog", 0, 0, 20, 20, is_crowd=True)
    items = [Detection("a", [crowd], [predicted({"dog": 0.9}, 0, 0, 5, 5)])]

    assert value_of(items, "Examples") == []
