from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from valor_core import Label
from valor_core.errors import SchemaError
from valor_core.schemas.datum import Datum, Datums
from valor_core.schemas.detection import (
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


def test_merged_labels_keep_greater_score() -> None:
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
    ("changes", "message"),
    [
        ({"areas": [1]}, "groundtruths, areas: expected 2 rows, got 1"),
        ({"crowd": [True]}, "groundtruths, crowd: expected 2 rows, got 1"),
        ({"shapes": Shapes([])}, "groundtruths, shapes: expected 2 rows, got 0"),
        ({"datums": [1, 0]}, "groundtruths: expected rows sorted by datum"),
        ({"datums": [0, 2]}, "groundtruths, datums[1]: expected one of 2 datums, got 2"),
        ({"labels": [0, 1]}, "groundtruths, labels[1]: expected one of 1 labels, got 1"),
        ({"sizes": [[1, 1]]}, "sizes: expected 2 rows of height and width, got shape (1, 2)"),
        ({"label_ids": [1, 2]}, "label_ids: expected 1 rows, got 2"),
        (
            {"shapes": Shapes([[0, 0, 1, 1], [3, 0, -2, 2]])},
            "expected a box with xmin <= xmax and ymin <= ymax, got 3, 0, 1, 2",
        ),
    ],
)
def test_inconsistent_columns_are_rejected(changes: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        columns(**changes)


def test_annotations_are_numbered_per_image() -> None:
    assert columns(datums=[0, 1]).groundtruths.annotations.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (Detection("a", [3]), "item 'a', groundtruths[0]: expected a TrueObject, got 3"),
        (
            Detection("a", [TrueObject("dog", BOX), TrueObject("dog", Box(2, 0, 0, 1))]),
            "finite coordinates, xmin <= xmax and ymin <= ymax, got Box(xmin=2",
        ),
        (
            Detection("a", [], [PredictedObject({"dog": float("nan")}, BOX)]),
            "item 'a', predictions[0]: expected a finite score for 'dog', got nan",
        ),
        (
            Detection("a", [], [PredictedObject({"dog": 10**400}, BOX)]),
            "item 'a', predictions[0]: expected a finite score for 'dog', got inf",
        ),
        (
            Detection("a", [TrueObject(["dog", "dog"], BOX)]),
            "expected one label for each key, found 'dog' and 'dog'",
        ),
        (
            Detection("a", [TrueObject(["dog", "cat", ("color", "white")], BOX)]),
            "expected one label for each key, found 'dog' and 'cat'",
        ),
        (
            Detection("a", [TrueObject((), BOX)]),
            "item 'a', groundtruths[0]: expected a label, found none",
        ),
        (
            Detection("a", [], [PredictedObject({}, BOX)]),
            "item 'a', predictions[0]: expected a label, found none",
        ),
        (
            Detection("a", [], [PredictedObject([("dog", 0.5), ("dog", 0.25)], BOX)]),
            "expected each label once, found 'dog' and 'dog'",
        ),
        (
            Detection("a", [TrueObject("dog", Box(0, 0, 1e200, 1e200))]),
            "finite coordinates, xmin <= xmax and ymin <= ymax, got Box(",
        ),
    ],
)
def test_error_names_item_and_annotation(item: Detection, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        DetectionBatch.of([Detection("z"), item])


def test_non_finite_coordinate_is_rejected() -> None:
    shapes = [Box(0, 0, float("inf"), 1), Polygon([(0, 0), (float("nan"), 0), (1, 1)])]
    for shape in shapes:
        item = Detection("a", [], [PredictedObject({"dog": 0.5}, shape)])
        with pytest.raises(
            SchemaError,
            match=r"item 'a', predictions\[0\]: expected a shape with finite coordinates",
        ):
            DetectionBatch.of([item])


@pytest.mark.parametrize(
    ("area", "message"),
    [
        ("7", "TrueObject: area must be a finite number, got '7'"),
        (True, "TrueObject: area must be a finite number, got True"),
        (float("nan"), "TrueObject: area must be a finite number, got nan"),
        (10**400, "TrueObject: area must be a finite number, got"),
    ],
)
def test_area_must_be_finite(area: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        TrueObject("dog", BOX, area=area)


@pytest.mark.parametrize(
    ("crowd", "message"),
    [
        ("no", "TrueObject: is_crowd must be true or false, got 'no'"),
        (2, "TrueObject: is_crowd must be true or false, got 2"),
        (1.0, "TrueObject: is_crowd must be true or false, got 1.0"),
        (None, "TrueObject: is_crowd must be true or false, got None"),
    ],
)
def test_crowd_must_be_boolean(crowd: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        TrueObject("dog", BOX, is_crowd=crowd)


@pytest.mark.parametrize("geometry", [None, [0, 0, 1, 1]])
def test_geometry_is_required(geometry: Any) -> None:
    with pytest.raises(
        SchemaError, match="TrueObject: geometry must be a Box, Polygon or Mask, got"
    ):
        TrueObject("dog", geometry)
    with pytest.raises(
        SchemaError, match="PredictedObject: geometry must be a Box, Polygon or Mask, got"
    ):
        PredictedObject({"dog": 0.5}, geometry)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (3, "Detection: size must be height and width in whole pixels, got 3"),
        ("ab", "Detection: size must be height and width in whole pixels, got 'ab'"),
        ((1, 2, 3), "Detection: size must be height and width in whole pixels, got (1, 2, 3)"),
        ((1.5, 2), "Detection: size must be height and width in whole pixels, got (1.5, 2)"),
        ((-1, 2), "Detection: size must be height and width in whole pixels, got (-1, 2)"),
        ((1, 1 << 40), "size must be height and width in whole pixels, got (1, 1099511627776)"),
    ],
)
def test_image_size_must_be_two_integers(size: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Detection("a", size=size)
    assert Detection("a", size=np.array([1, 2])).size == (1, 2)  # type: ignore[arg-type]


def test_objects_must_be_a_list() -> None:
    with pytest.raises(SchemaError, match="Detection: expected a list of objects, got None"):
        Detection("a", None)  # type: ignore[arg-type]


def test_mask_must_have_size_of_image() -> None:
    mask = Mask.of([[0, 1], [0, 1]])
    with pytest.raises(
        SchemaError, match="expected a mask of 2 by 3 pixels like its image, got 2 by 2"
    ):
        DetectionBatch.of([Detection("a", [TrueObject("dog", mask)], size=(2, 3))])
