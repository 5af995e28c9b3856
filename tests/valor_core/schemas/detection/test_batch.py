from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from messages import refused

from valor_core import Label
from valor_core.plugin import ParameterError, SchemaError
from valor_core.schemas.datum import Datum, Datums
from valor_core.schemas.detection.batch import (
    Detection,
    DetectionBatch,
    PredictedObject,
    TrueObject,
)
from valor_core.schemas.detection.objects import PredictedObjects, TrueObjects
from valor_core.schemas.geometry.geometry import Box, Mask, Polygon
from valor_core.schemas.geometry.shapes import Shapes

BOX = Box(0, 0, 2, 1)
DOG, CAT = Label("class", "dog"), Label("class", "cat")


def test_labels_that_become_one_count_once_with_the_greater_score() -> None:
    item = Detection(
        "a", [TrueObject(["dog"], BOX)], [PredictedObject({"dog": 0.25, "cat": 0.5}, BOX)] * 2
    )
    batch = DetectionBatch.of([item]).relabel({CAT: DOG})
    assert batch.labels == (DOG,)
    assert batch.predictions.scores.tolist() == [0.5, 0.5]
    assert batch.predictions.annotations.tolist() == [0, 1]


def columns(**changes: Any) -> DetectionBatch:
    truths: dict[str, Any] = {
        "datums": [0, 0],
        "labels": [0, 0],
        "shapes": Shapes([[0, 0, 1, 1], [0, 0, 2, 2]]),
        "crowd": [False, False],
        "areas": [1, 4],
    }
    none = PredictedObjects(datums=[], labels=[], shapes=Shapes([]), scores=[], areas=[])
    datums = Datums.of([Datum("a"), Datum("b")])
    batch = {key: changes.pop(key) for key in list(changes) if key in ("sizes", "label_ids")}
    return DetectionBatch(datums, (DOG,), TrueObjects(**truths | changes), none, **batch)


@pytest.mark.parametrize(
    "changes",
    [
        {"areas": [1]},
        {"crowd": [True]},
        {"shapes": Shapes([])},
        {"datums": [1, 0]},
        {"datums": [0, 2]},
        {"labels": [0, 1]},
        {"sizes": [[1, 1]]},
        {"label_ids": [1, 2]},
        {"shapes": Shapes([[0, 0, 1, 1], [3, 0, -2, 2]])},
    ],
)
def test_columns_fit_each_other(changes: Any) -> None:
    with refused(SchemaError):
        columns(**changes)


def test_annotations_are_numbered_in_each_image() -> None:
    assert columns(datums=[0, 1]).groundtruths.annotations.tolist() == [0, 0]


@pytest.mark.parametrize(
    "item",
    [
        Detection("a", [3]),
        Detection("a", [TrueObject("dog", BOX), TrueObject("dog", Box(2, 0, 0, 1))]),
        Detection("a", [], [PredictedObject({"dog": float("nan")}, BOX)]),
        Detection("a", [], [PredictedObject({"dog": 10**400}, BOX)]),
        Detection("a", [TrueObject(["dog", "dog"], BOX)]),
        Detection("a", [TrueObject(["dog", "cat", ("color", "white")], BOX)]),
        Detection("a", [TrueObject((), BOX)]),
        Detection("a", [], [PredictedObject({}, BOX)]),
        Detection("a", [], [PredictedObject([("dog", 0.5), ("dog", 0.25)], BOX)]),
        Detection("a", [TrueObject("dog", Box(0, 0, 1e200, 1e200))]),
    ],
)
def test_an_error_names_item_and_annotation(item: Detection) -> None:
    with refused(SchemaError):
        DetectionBatch.of([Detection("z"), item])


def test_a_coordinate_that_is_not_finite_is_named() -> None:
    shapes = [Box(0, 0, float("inf"), 1), Polygon([(0, 0), (float("nan"), 0), (1, 1)])]
    for shape in shapes:
        item = Detection("a", [], [PredictedObject({"dog": 0.5}, shape)])
        with refused(SchemaError):
            DetectionBatch.of([item])


@pytest.mark.parametrize("area", ["7", True, float("nan"), 10**400])
def test_an_area_is_a_finite_number(area: Any) -> None:
    with refused(SchemaError):
        TrueObject("dog", BOX, area=area)


@pytest.mark.parametrize("crowd", ["no", 2, 1.0, None])
def test_a_crowd_is_or_is_not(crowd: Any) -> None:
    with refused(SchemaError):
        TrueObject("dog", BOX, is_crowd=crowd)


@pytest.mark.parametrize("geometry", [None, [0, 0, 1, 1]])
def test_an_object_has_a_geometry(geometry: Any) -> None:
    with refused(SchemaError):
        TrueObject("dog", geometry)
    with refused(SchemaError):
        PredictedObject({"dog": 0.5}, geometry)


@pytest.mark.parametrize("size", [3, "ab", (1, 2, 3), (1.5, 2), (-1, 2), (1, 1 << 40)])
def test_the_size_of_an_image_is_two_whole_numbers(size: Any) -> None:
    with refused(SchemaError):
        Detection("a", size=size)
    assert Detection("a", size=np.array([1, 2])).size == (1, 2)  # type: ignore[arg-type]


def test_objects_come_in_a_list() -> None:
    with refused(SchemaError):
        Detection("a", None)  # type: ignore[arg-type]


NOTHING = Mask.of(np.zeros((10, 20)))


def test_what_is_left_out_does_not_move_the_others() -> None:
    objects = [TrueObject(["dog", ("color", "red")], NOTHING), TrueObject("cat", BOX, area=7)]
    batch = DetectionBatch.of([Detection("a", objects)], "skip")
    assert batch.labels == (CAT,)
    assert batch.groundtruths.annotations.tolist() == [1]
    assert batch.groundtruths.areas.tolist() == [7]
    assert batch.left_out == {"groundtruths left out: empty": 1}


def test_a_policy_is_one_of_four() -> None:
    with refused(ParameterError):
        DetectionBatch.of([], "ignore")  # type: ignore[arg-type]


def test_objects_can_be_called_by_where_they_come_from() -> None:
    item = Detection("a", [], [PredictedObject({"dog": 0.5}, NOTHING)])
    with refused(SchemaError):
        DetectionBatch.of([item], place=lambda side, i, j: f"{'ab'[i]}.xml, object {j} of {side}")


def test_a_mask_is_as_large_as_its_image() -> None:
    mask = Mask.of([[0, 1], [0, 1]])
    with refused(SchemaError):
        DetectionBatch.of([Detection("a", [TrueObject("dog", mask)], size=(2, 3))])
