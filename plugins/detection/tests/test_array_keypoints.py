"""Keypoints in arrays, torchvision's dictionaries and supervision's KeyPoints."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from valor_detection import Objects, from_arrays, from_supervision, from_torchvision
from valor_detection.arrays.from_arrays import two_sides

from valor_core.errors import SchemaError

POINTS = np.array([[[1.0, 2, 2], [5, 8, 1], [0, 0, 0]], [[3, 3, 2], [4, 4, 2], [6, 5, 2]]])


def side(**fields: Any) -> Objects:
    return Objects(labels=[1, 1], **fields)


def test_keypoints_of_arrays_become_columns_of_batch() -> None:
    found = from_arrays(
        [side(keypoints=POINTS, areas=[40, 10])], [side(keypoints=POINTS[:, :, :2], scores=[1, 0])]
    )
    true, predicted = found.groundtruths, found.predictions
    assert true.keypoints is not None
    assert predicted.keypoints is not None
    assert true.keypoints.points.tolist() == POINTS.reshape(-1, 3).tolist()
    assert true.keypoints.labeled.tolist() == [2, 3]
    assert true.areas.tolist() == [40, 10]
    assert predicted.keypoints.points[:, 2].tolist() == [2] * 6


def test_boxes_without_given_ones_are_around_points() -> None:
    """The third point of the first object is not labelled, which counts for ground truths only."""
    found = from_arrays([side(keypoints=POINTS)], [side(keypoints=POINTS, scores=[1, 0])])
    assert found.groundtruths.shapes.boxes.tolist() == [[1, 2, 4, 6], [3, 3, 3, 2]]
    assert found.predictions.shapes.boxes.tolist() == [[0, 0, 5, 8], [3, 3, 3, 2]]


def test_images_may_have_different_numbers_of_points() -> None:
    found = from_arrays(
        [side(keypoints=POINTS), side(keypoints=POINTS[:, :2])],
        [side(keypoints=POINTS, scores=[1, 0]), Objects(labels=[], scores=[])],
    )
    assert found.groundtruths.keypoints is not None
    assert found.groundtruths.keypoints.rows.tolist() == [0, 3, 6, 8, 10]


def test_skipped_boxes_take_their_keypoints_along() -> None:
    boxes = [[0, 0, 0, 5], [0, 0, 9, 9]]
    found = from_arrays(
        [side(boxes=boxes, keypoints=POINTS)],
        [side(boxes=boxes, keypoints=POINTS, scores=[1, 0])],
        invalid_geometry="skip",
    )
    for objects in (found.groundtruths, found.predictions):
        assert objects.keypoints is not None
        assert objects.keypoints.points.tolist() == POINTS[1].tolist()


def test_dictionaries_of_torchvision_have_keypoints() -> None:
    boxes = [[0, 0, 9, 9], [1, 1, 5, 5]]
    true = {"boxes": boxes, "labels": [1, 1], "keypoints": POINTS}
    found = from_torchvision([true], [{**true, "scores": [0.5, 0.25]}])
    assert found.predictions.keypoints is not None
    assert found.predictions.keypoints.rows.tolist() == [0, 3, 6]


def key_points(**fields: Any) -> Any:
    """The attributes of `supervision.KeyPoints`."""
    return SimpleNamespace(xy=POINTS[:, :, :2], class_id=np.array([0, 0]), data={}, **fields)


def test_key_points_of_supervision_are_read() -> None:
    visible = POINTS[:, :, 2] > 0
    true = key_points(visible=visible, detection_confidence=None, keypoint_confidence=None)
    predicted = key_points(
        visible=None,
        detection_confidence=np.array([0.5, 0.25]),
        keypoint_confidence=np.full((2, 3), 0.75),
    )
    for found in (
        from_supervision([true], [predicted], names=["person"]),
        two_sides([true], [predicted]),
    ):
        assert found is not None
        assert found.predictions.scores.tolist() == [0.5, 0.25]
        assert found.groundtruths.keypoints is not None
        assert found.groundtruths.keypoints.labeled.tolist() == [2, 3]


def test_score_of_earlier_supervision_is_mean_of_confidences_of_points() -> None:
    """(0.5 + 0.75 + 1) / 3 and (0 + 0.25 + 0.5) / 3."""
    confidence = np.array([[0.5, 0.75, 1], [0, 0.25, 0.5]])
    found = from_supervision([key_points()], [key_points(confidence=confidence)], names=["person"])
    assert found.predictions.scores.tolist() == [0.75, 0.25]


@pytest.mark.parametrize(
    ("keypoints", "message"),
    [
        (POINTS[0], "item 0, groundtruths, keypoints: expected 2 rows, one per label, got 3"),
        (
            POINTS.reshape(2, 9),
            "item 0, groundtruths, keypoints: expected numbers of shape (n, k, 3) or (n, k, 2)",
        ),
        (
            np.where(POINTS == 8, np.nan, POINTS),
            "item 0, groundtruths, keypoints[0, 1, 1]: expected a finite number, got nan",
        ),
        (None, "item 0, groundtruths: expected boxes, masks or keypoints, got none"),
    ],
)
def test_invalid_keypoints_are_rejected(keypoints: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_arrays([side(keypoints=keypoints)], [side(keypoints=POINTS, scores=[1, 0])])


def test_objects_without_keypoints_are_named() -> None:
    boxes = [[0, 0, 9, 9]] * 2
    with pytest.raises(SchemaError, match=re.escape("item 1, groundtruths: expected keypoints as")):
        from_arrays(
            [side(boxes=boxes, keypoints=POINTS), side(boxes=boxes)],
            [side(boxes=boxes, keypoints=POINTS, scores=[1, 0])] * 2,
        )
