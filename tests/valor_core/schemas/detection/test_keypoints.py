from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.schemas.geometry.shapes import Keypoints

BOX = Box(0, 0, 4, 4)
TWO = [(1, 1, 2), (3, 3, 0)]
THREE = [(0, 0, 1), (1, 0, 1), (2, 0, 2)]


def batch() -> DetectionBatch:
    """Image a has objects of two and of no points, image b one of three with a given count."""
    return DetectionBatch.of(
        [
            Detection(
                "a",
                [TrueObject("dog", BOX, keypoints=TWO), TrueObject("cat", BOX)],
                [PredictedObject({"dog": 0.5, "cat": 0.25}, BOX, keypoints=[(1, 2)])],
            ),
            Detection("b", [TrueObject("cat", BOX, keypoints=THREE, num_keypoints=1)]),
        ]
    )


def test_keypoints_of_objects_become_ragged_columns() -> None:
    found = batch()
    true, predicted = found.groundtruths.keypoints, found.predictions.keypoints
    assert true is not None
    assert predicted is not None
    assert true.points.tolist() == [list(map(float, point)) for point in TWO + THREE]
    assert true.rows.tolist() == [0, 2, 2, 5]
    assert true.labeled.tolist() == [1, 0, 1]  # one of two points, none, as given
    assert predicted.points.tolist() == [[1, 2, 2]] * 2  # a row for each label
    assert predicted.rows.tolist() == [0, 1, 2]


def test_objects_without_keypoints_have_no_column() -> None:
    found = DetectionBatch.of([Detection("a", [TrueObject("dog", BOX)])])
    assert found.groundtruths.keypoints is None
    assert next(found.items()).groundtruths[0].keypoints is None


def test_selected_images_keep_their_keypoints() -> None:
    found = batch().select(np.array([1])).groundtruths.keypoints
    assert found is not None
    assert found.points.tolist() == [list(map(float, point)) for point in THREE]
    assert (found.rows.tolist(), found.labeled.tolist()) == ([0, 3], [1])


def test_items_of_batch_have_their_keypoints() -> None:
    assert DetectionBatch.of(batch().items()) == batch()


def test_renamed_labels_keep_keypoints() -> None:
    dog, cat = batch().labels
    found = batch().relabel({cat: dog}).predictions
    assert found.keypoints is not None
    assert (found.scores.tolist(), found.keypoints.rows.tolist()) == ([0.5], [0, 1])


@pytest.mark.parametrize(
    ("keypoints", "message"),
    [
        ([1, 1, 2], "keypoints: expected rows of x, y and visibility, got [1, 1, 2]"),
        ([(1, 1), (1,)], "keypoints: expected rows of x, y and visibility, got [(1, 1), (1,)]"),
        ([(1, float("nan"), 2)], "keypoints[0, 1]: expected a finite number, got nan"),
    ],
)
def test_invalid_keypoints_are_rejected(keypoints: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        TrueObject("dog", BOX, keypoints=keypoints)


def test_flat_list_suggests_reshape() -> None:
    with pytest.raises(SchemaError, match=re.escape("np.reshape(keypoints, (-1, 3))")):
        PredictedObject({"dog": 0.5}, BOX, keypoints=[1, 1, 2, 3, 3, 2])


@pytest.mark.parametrize("count", [-1, 1.5, "2"])
def test_invalid_number_of_keypoints_is_rejected(count: Any) -> None:
    with pytest.raises(SchemaError, match="num_keypoints must be 0 or more"):
        TrueObject("dog", BOX, keypoints=TWO, num_keypoints=count)


def test_number_of_rows_must_be_that_of_objects() -> None:
    found = batch().groundtruths
    one = Keypoints(np.zeros((1, 3)), [0, 1])
    with pytest.raises(SchemaError, match="groundtruths, keypoints: expected 3 rows, got 1"):
        type(found)(
            datums=found.datums,
            labels=found.labels,
            shapes=found.shapes,
            crowd=found.crowd,
            areas=found.areas,
            keypoints=one,
        )
