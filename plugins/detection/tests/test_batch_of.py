from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from valor_detection.geometry.validity import batch_of

from valor_core import Label
from valor_core.errors import SchemaError
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Mask, Polygon

BOX = Box(0, 0, 2, 1)
DOG, CAT = Label("class", "dog"), Label("class", "cat")
PIXEL = Mask.of(np.arange(200).reshape(10, 20) == 0)
ITEMS = [
    Detection(
        "a",
        [
            TrueObject(["dog", ("color", "red")], BOX, uid="t1"),
            TrueObject("cat", PIXEL, is_crowd=True, area=7),
        ],
        [PredictedObject({"dog": 0.5, ("color", "red"): 0.25}, BOX)],
        {"weather": "rain"},
        (10, 20),
    ),
    Detection("b", metadata={"weather": "sun"}),
    Detection(
        "c",
        [],
        [PredictedObject({"cat": 1}, Polygon([(0, 0), (1, 0), (1, 1)]), uid=3)],
        {"weather": "sun"},
    ),
]


def test_objects_survive_conversion_to_columns() -> None:
    found = list(DetectionBatch.of(ITEMS).items())
    assert [item.uid for item in found] == ["a", "b", "c"]
    assert found[1:] == ITEMS[1:]
    assert evolve(found[0], groundtruths=()) == evolve(ITEMS[0], groundtruths=())
    areas = [one.area for one in found[0].groundtruths]
    assert areas == [2, 7]
    assert evolve(found[0].groundtruths[0], area=None) == ITEMS[0].groundtruths[0]


def test_an_annotation_has_a_row_for_each_label() -> None:
    batch = DetectionBatch.of(ITEMS)
    truths = batch.groundtruths
    assert truths.datums.tolist() == [0, 0, 0]
    assert truths.annotations.tolist() == [0, 0, 1]
    assert [batch.labels[code] for code in truths.labels] == [DOG, Label("color", "red"), CAT]
    assert truths.crowd.tolist() == [False, False, True]
    assert truths.areas.tolist() == [2, 2, 7]
    assert batch.predictions.scores.tolist() == [0.5, 0.25, 1]
    assert batch.predictions.areas.tolist() == [2, 2, 0.5]
    assert batch.sizes is not None
    assert batch.sizes.tolist() == [[10, 20], [0, 0], [0, 0]]


def test_images_are_selected_with_their_objects() -> None:
    batch = DetectionBatch.of(ITEMS)
    assert list(batch.select(np.array([2])).items()) == ITEMS[2:]
    assert len(batch.select(np.array([], np.int64)).predictions) == 0


NOTHING = Mask.of(np.zeros((10, 20)))
BOW = Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (NOTHING, "item 'a', predictions[1]: expected a shape with at least three corners,"),
        (
            Polygon([(0, 0), (1, 1)]),
            "item 'a', predictions[1]: expected a shape with at least three corners,",
        ),
        (
            Box(0, 0, 0, 1),
            "item 'a', predictions[1]: expected a shape with an area, got 0, 0, 0, 1",
        ),
        (BOW, "expected a shape whose edges do not cross, got a polygon of 4 corners"),
        (Box(0, 0, 30, 1), "expected a shape inside its image, got 0, 0, 30, 1"),
    ],
)
def test_invalid_shape_is_rejected_unless_a_policy_allows_it(
    shape: Any,
    message: str,
) -> None:
    predicted = [PredictedObject({"dog": 0.5}, BOX), PredictedObject({"dog": 0.5}, shape)]
    item = Detection("a", [TrueObject("dog", BOX)], predicted, size=(10, 20))
    with pytest.raises(SchemaError, match=re.escape(message)):
        batch_of([item])
    assert len(batch_of([item], "accept").predictions) == 2
    skipped = batch_of([item], "skip")
    assert skipped.predictions.annotations.tolist() == [0]
    assert sum(skipped.left_out.values()) == 1


def test_repaired_object_has_the_area_of_the_repaired_shape() -> None:
    item = Detection("a", [TrueObject(["dog", ("color", "red")], BOW, area=7)])
    batch = batch_of([item], "repair")
    assert batch.groundtruths.areas.tolist() == [2, 2]
    assert batch.left_out == {"groundtruths repaired: self-crossing": 1}


def test_annotations_are_renumbered_by_image() -> None:
    batch = DetectionBatch.of(ITEMS)
    assert batch.groundtruths.renumber([[3, 5], [], []]).annotations.tolist() == [3, 3, 5]
