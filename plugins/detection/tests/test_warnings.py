"""Probable mistakes in valid data are reported once, as a warning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_detection.arrays.from_arrays import Objects, from_arrays

from valor_core import evaluate
from valor_core.errors import SchemaError
from valor_core.schemas.detection import Detection, DetectionBatch

from .support import predicted, true

BOX = [0, 0, 4, 4]
STRANGE = "2 predicted scores outside [0, 1]; score thresholds use them unchanged"


def percents() -> list[Detection]:
    found = [predicted({"dog": score}, *BOX) for score in (97.5, 0.5, -1)]
    return [Detection("a", [true("dog", *BOX)], found)]


def arrays() -> DetectionBatch:
    truths = Objects(boxes=np.array([BOX]), labels=np.array([1]))
    found = Objects(boxes=np.array([BOX] * 3), labels=[1, 1, 1], scores=[97.5, 0.5, -1])
    return from_arrays([truths], [found])


def coco(folder: Path, results: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    corners = [[0, 0, 4, 0, 4, 4, 0, 4]]
    data = {
        "images": [{"id": 1, "width": 9, "height": 9}],
        "categories": [{"id": 1, "name": "dog"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "bbox": BOX, "segmentation": corners}
        ],
    }
    rows = [{"image_id": 1, "category_id": 1} | one for one in results]
    for name, content in (("truths", data), ("seen", rows)):
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    paths = {"groundtruths": str(folder / "truths.json"), "predictions": str(folder / "seen.json")}
    return {"reader": "detection.coco"} | paths | more


def test_scores_in_percent_are_a_warning_in_every_reader(tmp_path: Path) -> None:
    rows = [{"bbox": BOX, "score": score} for score in (97.5, 0.5, -1)]

    for data in (percents(), arrays(), coco(tmp_path, rows)):
        report = evaluate(data, ["AP", "Counts"], task="detection")
        assert report.warnings == (STRANGE,)


def test_scores_from_0_to_1_are_no_warning(tmp_path: Path) -> None:
    rows = [{"bbox": BOX, "score": score} for score in (1.0, 0)]

    assert evaluate(coco(tmp_path, rows), ["AP"], task="detection").warnings == ()


def test_boxes_instead_of_masks_are_a_warning_with_the_same_result(tmp_path: Path) -> None:
    boxes = [{"bbox": BOX, "score": 0.5}, {"bbox": [0, 0, 4, 3], "score": 0.25}]
    masks = [
        one | {"segmentation": [[0, 0, 4, 0, 4, h, 0, h]]}
        for one, h in zip(boxes, (4, 3), strict=True)
    ]
    reports = [
        evaluate(coco(tmp_path, rows, iou_type="segm"), ["COCOSummary"], task="detection")
        for rows in (boxes, masks)
    ]

    assert reports[0].warnings == (
        "2 predictions without a segmentation; their boxes are compared as masks",
    )
    assert reports[1].warnings == ()
    assert reports[0]["COCOSummary"].value == reports[1]["COCOSummary"].value


@pytest.mark.parametrize("names", [["a", "a"], {1: "a", 2: "a"}, np.array(["b", "a", "a"])])
def test_two_ids_of_one_name_are_rejected(names: Any) -> None:
    one = Objects(boxes=[BOX], labels=[1], scores=[0.5])

    with pytest.raises(SchemaError, match="names: expected every name once, got 'a' twice"):
        from_arrays([one], [one], names=names)
