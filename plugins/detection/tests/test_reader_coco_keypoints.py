"""Keypoints of COCO's files: data equal to pycocotools, and errors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pycocotools.coco import COCO
from valor_detection.parameters.coco import CocoParameters
from valor_detection.readers.coco import CocoReader

from valor_core.errors import ReadError
from valor_core.schemas.detection import DetectionBatch


def data_set() -> dict[str, Any]:
    """Image 7 has two people, the second without a labelled point; image 3 has one."""
    return {
        "images": [{"id": 7, "height": 90, "width": 90}, {"id": 3, "height": 90, "width": 90}],
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 1, "bbox": [1, 2, 30, 40], "area": 700.5,
             "iscrowd": 0, "num_keypoints": 2, "keypoints": [5, 6, 2, 7.5, 8, 1, 0, 0, 0]},
            {"id": 2, "image_id": 3, "category_id": 1, "bbox": [0, 0, 20, 20], "area": 300,
             "iscrowd": 0, "num_keypoints": 1, "keypoints": [1, 1, 2, 2, 2, 2, 3, 3, 2]},
            {"id": 4, "image_id": 7, "category_id": 1, "bbox": [5, 5, 10, 10], "area": 60,
             "iscrowd": 0, "keypoints": [0] * 9},
        ],
        "categories": [{"id": 1, "name": "person"}],
    }  # fmt: skip


def results() -> list[dict[str, Any]]:
    return [
        {"image_id": 7, "category_id": 1, "keypoints": [5, 6, 1, 9, 3, 1, 4, 4, 1], "score": 0.5},
        {"image_id": 3, "category_id": 1, "keypoints": [1, 2, 1, 3, 4, 0, 5, 6, 1], "score": 0.25},
    ]


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(truths: Any, found: Any, **chosen: Any) -> DetectionBatch:
        paths = tmp_path / "gt.json", tmp_path / "dt.json"
        for path, content in zip(paths, (truths, found), strict=True):
            path.write_text(json.dumps(content), encoding="utf-8")
        own = CocoParameters(
            groundtruths=paths[0], predictions=paths[1], iou_type="keypoints", **chosen
        )
        reader = CocoReader(own, "detection")
        (batch,) = (batch for part in reader.partitions() for batch in reader.read(part))
        return batch

    return read


def test_keypoints_are_sorted_by_image(read: Any) -> None:
    found = read(data_set(), results())
    true, predicted = found.groundtruths, found.predictions
    assert true.uids.tolist() == [2, 1, 4]
    assert true.keypoints.points[0].tolist() == [1, 1, 2]
    assert true.keypoints.points[4].tolist() == [7.5, 8, 1]
    assert true.keypoints.rows.tolist() == [0, 3, 6, 9]
    assert predicted.keypoints.points[:, 0].tolist() == [1, 3, 5, 5, 9, 4]


def test_given_number_of_keypoints_replaces_labelled_ones(read: Any) -> None:
    found = read(data_set(), results()).groundtruths.keypoints
    assert found.labeled.tolist() == [1, 2, 0]  # given for id 2 and 1, counted for id 4


@pytest.mark.parametrize("with_boxes", [False, True])
def test_boxes_and_areas_of_results_are_those_of_pycocotools(read: Any, with_boxes: bool) -> None:
    found = results()
    if with_boxes:
        for number, one in enumerate(found):
            one["bbox"] = [number, 1, 7.25, 3]
    ours = read(data_set(), found).predictions
    coco = COCO()
    coco.dataset = data_set()
    coco.createIndex()
    theirs = sorted(coco.loadRes(found).anns.values(), key=lambda one: one["image_id"])
    assert ours.shapes.boxes.tolist() == [np.array(one["bbox"]).tolist() for one in theirs]
    assert ours.areas.tolist() == [one["area"] for one in theirs]


def test_boxes_of_the_same_files_can_be_compared(read: Any) -> None:
    found = [dict(one, bbox=[0, 0, 9, 9]) for one in results()]
    truths = data_set()
    batch = read(truths, found)
    assert batch.groundtruths.shapes.boxes.tolist()[1] == [1, 2, 30, 40]
    assert batch.predictions.shapes.boxes.tolist() == [[0, 0, 9, 9]] * 2


def without(name: str, rows: list[dict[str, Any]], row: int) -> None:
    del rows[row][name]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda truths, found: without("keypoints", truths, 2),
            "gt.json, annotations[2] (id 4): expected a field 'keypoints', found none or an empty",
        ),
        (
            lambda truths, found: without("keypoints", found, 1),
            "dt.json, results[1]: expected a field 'keypoints', found none or an empty one",
        ),
        (
            lambda truths, found: without("area", truths, 0),
            "gt.json, annotations[0] (id 1): expected a field 'area', found none",
        ),
        (
            lambda truths, found: without("bbox", truths, 0),
            "gt.json, annotations[0] (id 1): expected a field 'bbox', found none",
        ),
        (
            lambda truths, found: found[0]["keypoints"].pop(),
            "dt.json, results[0], keypoints: expected x, y and visibility of each point, "
            "found 8 numbers",
        ),
        (
            lambda truths, found: truths[0].update(keypoints=[[5, 6, 2]]),
            "gt.json, annotations[0], keypoints[0]: expected a number, found [5, 6, 2]",
        ),
        (
            lambda truths, found: truths[0].update(num_keypoints="2"),
            "gt.json, annotations[0], num_keypoints: expected a whole number, found '2'",
        ),
    ],
)
def test_error_names_annotation_and_field(read: Any, change: Any, message: str) -> None:
    truths, found = data_set(), results()
    change(truths["annotations"], found)
    with pytest.raises(ReadError, match=re.escape(message)):
        read(truths, found)


def test_files_split_by_images_have_the_same_keypoints(tmp_path: Path, read: Any) -> None:
    whole = read(data_set(), results())
    own = CocoParameters(
        groundtruths=tmp_path / "gt.json",
        predictions=tmp_path / "dt.json",
        iou_type="keypoints",
        partition_images=1,
    )
    reader = CocoReader(own, "detection")
    parts = [batch for part in reader.partitions() for batch in reader.read(part)]
    assert len(parts) == 2
    points = np.concatenate([part.groundtruths.keypoints.points for part in parts])
    assert points.tolist() == whole.groundtruths.keypoints.points.tolist()


def test_files_of_keypoint_results_are_detected(tmp_path: Path, read: Any) -> None:
    from valor_detection.readers.recognized import coco

    read(data_set(), results())
    found = coco([tmp_path / "gt.json", tmp_path / "dt.json"])
    assert found is not None
    assert found.data["iou_type"] == "keypoints"
