from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from valor_core.errors import SchemaError
from valor_core.schemas import Label
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

BOX = Box(0, 0, 2, 1)
ITEMS = [
    Detection(
        "a",
        [TrueObject("dog", BOX, ignored=True), TrueObject("cat", BOX)],
        [PredictedObject({"dog": 0.5}, BOX)],
        searched=["dog", "owl", "dog"],
    ),
    Detection("b", [TrueObject("cat", BOX)], searched=[]),
    Detection("c", [TrueObject(["cat", ("color", "red")], BOX, ignored=True)], searched=["cat"]),
]


def searched(batch: DetectionBatch) -> list[list[str] | None]:
    return [
        None if item.searched is None else [label.value for label in item.searched]
        for item in batch.items()
    ]


def test_objects_are_not_ignored_and_all_labels_are_searched_by_default() -> None:
    batch = DetectionBatch.of([Detection("a", [TrueObject("dog", BOX)])])

    assert batch.groundtruths.ignored.tolist() == [False]
    assert batch.searched is None
    assert searched(batch) == [None]


def test_ignored_objects_and_searched_labels_survive_packing() -> None:
    batch = DetectionBatch.of(ITEMS)

    assert batch.groundtruths.ignored.tolist() == [True, False, False, True, True]
    assert searched(batch) == [["dog", "owl"], [], ["cat"]]
    assert DetectionBatch.of(batch.items()) == batch
    assert pickle.loads(pickle.dumps(batch)) == batch


@pytest.mark.parametrize("positions", [[], [0], [1], [0, 2], [1, 2], [0, 1, 2]])
def test_selected_images_keep_ignored_objects_and_searched_labels(positions: list[int]) -> None:
    batch = DetectionBatch.of(ITEMS)

    part = batch.select(np.array(positions, np.int64))

    every = list(batch.items())
    assert list(part.items()) == [every[i] for i in positions]
    assert searched(part) == [searched(batch)[i] for i in positions]


def test_label_map_renames_searched_labels() -> None:
    owl, dog = Label("class", "owl"), Label("class", "dog")

    renamed = DetectionBatch.of(ITEMS).relabel({owl: dog})

    assert searched(renamed) == [["dog"], [], ["cat"]]
    assert renamed.groundtruths.ignored.tolist() == [True, False, False, True, True]


def test_searched_labels_of_some_images_are_rejected() -> None:
    with pytest.raises(
        SchemaError, match="item 'd': expected searched labels for all items or none"
    ):
        DetectionBatch.of([*ITEMS, Detection("d")])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[3, 0]], r"searched, datums\[0\]: expected one of 3 datums, got 3"),
        ([[0, 0], [2, 9]], r"searched, labels\[1\]: expected one of 4 labels, got 9"),
        ([[1, 0], [0, 0]], "searched: expected rows sorted by datum"),
        ([[0, 1, 2]], r"searched: expected rows of datum and label, got shape \(1, 3\)"),
        ([0, 1], r"searched: expected rows of datum and label, got shape \(2,\)"),
    ],
)
def test_invalid_searched_pairs_are_rejected(pairs: list[Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        evolve(DetectionBatch.of(ITEMS), searched=pairs)


def test_ignored_must_be_true_or_false() -> None:
    with pytest.raises(SchemaError, match="TrueObject: ignored must be true or false, got 'yes'"):
        TrueObject("dog", BOX, ignored="yes")  # type: ignore[arg-type]
