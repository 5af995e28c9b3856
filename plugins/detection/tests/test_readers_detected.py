"""Readers of files are recognized by content, and their data can be evaluated directly."""

from __future__ import annotations

import gzip
import json

import pytest
from valor_detection.readers import recognized

from valor_core import evaluate
from valor_core.errors import ReadError

DATA_SET = {
    "images": [{"id": 1, "width": 10, "height": 10}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}
    ],
}
RESULTS = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}]


@pytest.fixture
def files(tmp_path):
    truths, results = tmp_path / "instances.json", tmp_path / "results.json"
    truths.write_text(json.dumps(DATA_SET))
    results.write_text(json.dumps(RESULTS, indent=1))
    return truths, results


@pytest.mark.parametrize("order", [1, -1])
def test_coco_files_are_recognized_in_any_order(files, order):
    known = recognized.coco(files[::order])

    assert known.data == {"groundtruths": str(files[0]), "predictions": str(files[1])}
    report = evaluate({"reader": "coco", **known.data}, known.metrics, task="detection")
    assert report.counts["read"] == 1


def test_results_without_boxes_are_masks(files):
    mask = {"size": [10, 10], "counts": "025ee1"}
    files[1].write_text(
        json.dumps([{"image_id": 1, "category_id": 1, "segmentation": mask, "score": 0.5}])
    )

    assert recognized.coco(files).data["iou_type"] == "segm"


@pytest.mark.parametrize(
    ("header", "truth", "written"),
    [
        ("uid,label,xmin,ymin,xmax,ymax", "a,cat,0,0,5,5", {}),
        (
            "image_id,class,x1,y1,x2,y2",
            "a,cat,0,0,5,5",
            {"uid": "image_id", "label": "class", "box": ["x1", "y1", "x2", "y2"]},
        ),
        (
            "image,category,x,y,width,height",
            "a,cat,0,0,5,5",
            {
                "uid": "image",
                "label": "category",
                "box": ["x", "y", "width", "height"],
                "box_format": "xywh",
            },
        ),
    ],
)
def test_tables_of_boxes_are_recognized_by_columns(tmp_path, header, truth, written):
    truths, results = tmp_path / "truths.csv", tmp_path / "results.csv"
    truths.write_text(f"{header}\n{truth}\n")
    results.write_text(f"{header},conf\n{truth},0.5\n")

    known = recognized.table((results, truths))

    places = {"groundtruths": str(truths), "predictions": str(results), "score": "conf"}
    assert {"box_format": "xyxy", **known.data} == {"box_format": "xyxy"} | places | written
    report = evaluate({"reader": "table", **known.data}, ["mAP"], task="detection")
    assert report["mAP"][0].value == pytest.approx(1)


def test_other_files_are_not_recognized(tmp_path, files):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n")

    for both in ((files[0], files[0]), (table, table), (files[0],), (tmp_path, tmp_path)):
        assert recognized.coco(both) is None
        assert recognized.table(both) is None


@pytest.mark.parametrize("keys", [("bbox", "score"), ("score", "image_id"), ("segmentation",)])
def test_results_are_recognized_by_any_first_key(files, keys):
    entry = RESULTS[0] | {"segmentation": [[0, 0, 5, 0, 5, 5, 0, 5]]}
    written = {key: entry[key] for key in (*keys, *entry)}
    files[1].write_text(json.dumps([written]))

    assert recognized.coco(files).data == {
        "groundtruths": str(files[0]),
        "predictions": str(files[1]),
    }


def test_results_without_detections_give_map_of_zero(files):
    files[1].write_text("[]")

    known = recognized.coco(files)

    report = evaluate({"reader": "coco", **known.data}, ["mAP50"], task="detection")
    assert report["mAP"][0].value == 0


def test_gzipped_coco_files_are_recognized(files):
    packed = [file.with_suffix(".json.gz") for file in files]
    for file, to in zip(files, packed, strict=True):
        to.write_bytes(gzip.compress(file.read_bytes()))

    assert recognized.coco(packed).data == {
        "groundtruths": str(packed[0]),
        "predictions": str(packed[1]),
    }


def test_second_data_set_without_scores_reports_missing_scores(files):
    files[1].write_text(json.dumps(DATA_SET))
    known = recognized.coco(files)

    with pytest.raises(ReadError, match="score"):
        evaluate({"reader": "coco", **known.data}, ["mAP50"], task="detection")


def test_panoptic_files_are_not_recognized_as_boxes(files):
    for file in files:
        file.write_text('{"images": [], "annotations": [{"segments_info": []}]}')

    assert recognized.coco(files) is None
