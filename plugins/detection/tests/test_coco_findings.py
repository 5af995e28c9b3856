"""Warnings and errors for COCO files with likely mistakes."""

import json
from pathlib import Path
from typing import Any

import pytest

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.results import Report

SQUARE = [[10, 10, 30, 10, 30, 30, 10, 30]]
AWAY = [[-60, -80, -50, -80, -50, -60, -60, -60]]
IMAGES = [{"id": 1, "width": 100, "height": 100}, {"id": 2, "width": 100, "height": 100}]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluated(truths: list[Any], found: list[Any], images: Any = IMAGES, **chosen: Any) -> Report:
    categories = chosen.pop("categories", [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}])
    own = {"image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20]}
    truths = [{"id": i, **own, **one} for i, one in enumerate(truths)]
    data_set = {"images": images, "annotations": truths, "categories": categories}
    Path("gt.json").write_text(json.dumps(data_set))
    Path("dt.json").write_text(json.dumps([{"score": 0.9, **own, **one} for one in found]))
    data = {"reader": "coco", "groundtruths": "gt.json", "predictions": "dt.json", **chosen}
    return evaluate(data, ["Counts"], "detection")


@pytest.mark.parametrize("policy", ["skip", "repair"])
def test_annotation_with_empty_segmentation_can_be_skipped(policy: str) -> None:
    empty = {"bbox": [0, 0, 0, 0], "segmentation": []}
    chosen = {"iou_type": "segm", "invalid_geometry": policy}
    report = evaluated([empty, {"segmentation": SQUARE}], [{"segmentation": SQUARE}], **chosen)
    assert report["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}
    assert report.warnings == (
        "1 groundtruth left out: no segmentation (first: gt.json, annotations:0)",
    )


def test_annotation_with_empty_segmentation_names_the_remedy() -> None:
    with pytest.raises(
        ReadError, match="expected a field 'segmentation', found none or an empty one"
    ):
        evaluated([{"segmentation": SQUARE}, {"segmentation": []}], [], iou_type="segm")


def test_flat_polygon_names_the_missing_brackets() -> None:
    with pytest.raises(ReadError, match="expected a polygon as a list of numbers, found 10"):
        evaluated([{"segmentation": SQUARE[0]}], [], iou_type="segm")


@pytest.mark.parametrize("step", [None, 1])
def test_polygons_outside_of_their_image_are_a_warning(step: int | None) -> None:
    away = {"segmentation": AWAY}
    truths = [{"segmentation": SQUARE}, {**away, "image_id": 2}]
    report = evaluated(truths, [away], iou_type="segm", partition_images=step)
    assert set(report.warnings) == {
        "1 groundtruth outside of the image (data.invalid_geometry: skip excludes them) "
        "(first: gt.json, annotations:1)",
        "1 prediction outside of the image (data.invalid_geometry: skip excludes them) "
        "(first: dt.json, results:0)",
    }


def test_boxes_outside_of_their_image_are_a_warning_and_boxes_at_its_edge_are_not() -> None:
    edges = [[99, 0, 20, 20], [-19, 0, 20, 20], [0, 99, 1, 1], [0, -4, 100, 5]]
    outside = [[100, 0, 20, 20], [-20, 0, 20, 20], [0, 100, 1, 1], [0, -5, 100, 5]]
    assert evaluated([{"bbox": box} for box in edges], []).warnings == ()
    report = evaluated([{"bbox": box} for box in outside], [])
    assert report.warnings == (
        "4 groundtruths outside of the image (data.invalid_geometry: skip excludes them) "
        "(first: gt.json, annotations:0)",
    )


def test_category_ids_counted_from_0_are_reported_with_both_ranges() -> None:
    truths, found = [{"category_id": 1}, {"category_id": 2}], [{"category_id": 0}]
    with pytest.raises(
        ReadError, match=r"dt\.json, results\[0\]: expected the category id of one of the 2"
    ):
        evaluated(truths, [*found, {"category_id": 1}])
    report = evaluated(truths, [*found, {"category_id": 1}], unknown="skip")
    assert report.warnings == (
        "1 prediction left out: category_id not in the data set, 1 to 2 "
        "(first: dt.json, results:0)",
    )
    with pytest.raises(
        ReadError, match=r"dt\.json, results\[0\]: expected the category id of one of the 2"
    ):
        evaluated(truths, [{"category_id": 90}])


@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
def test_results_with_empty_segmentation_can_be_skipped(iou_type: str) -> None:
    found: list[Any] = [{"bbox": None, "segmentation": one} for one in (SQUARE, [])]
    chosen = {"iou_type": iou_type, "invalid_geometry": "skip"}
    report = evaluated([{"segmentation": SQUARE}], found, **chosen)
    assert report["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}
    assert report.warnings == (
        "1 prediction left out: no segmentation (first: dt.json, results:1)",
    )


def test_annotations_and_results_without_box_can_be_skipped() -> None:
    report = evaluated([{"bbox": []}, {}], [{}, {"bbox": None}], invalid_geometry="skip")
    assert report["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}
    assert len(report.warnings) == 2
    with pytest.raises(ReadError, match="expected a field 'bbox', found none or an empty one"):
        evaluated([{"bbox": []}, {}], [{}])


def test_empty_true_masks_are_a_warning() -> None:
    empty = {"segmentation": {"size": [100, 100], "counts": [10000]}}
    report = evaluated([empty], [empty, {"segmentation": SQUARE}], iou_type="segm")
    assert report.warnings == (
        "1 groundtruth with an empty mask (data.invalid_geometry: skip excludes them) "
        "(first: gt.json, annotations:0)",
    )
