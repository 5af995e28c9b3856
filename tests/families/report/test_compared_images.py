"""Comparison of two models by the images that got better or worse."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_report import compare

from valor_core import Registry, Report, evaluate
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.schemas.segmentation import Segmentation

REGISTRY = Registry()


def detections(found: dict[str, int], metrics: Any, **options: Any) -> Report:
    """Evaluate a detector that finds some of four cars per image, and a false one if negative."""
    boxes = [Box(20 * i, 0, 20 * i + 10, 10) for i in range(5)]
    items = [
        Detection(
            uid,
            [TrueObject("car", box) for box in boxes[:4]],
            [PredictedObject({"car": 0.9}, box) for box in boxes[:count] or boxes[4:]],
        )
        for uid, count in found.items()
    ]
    return evaluate(items, metrics, "detection", items=True, registry=REGISTRY, **options)


FIRST = {"img_1": 4, "img_2": 4, "img_3": 1, "img_4": 2, "img_5": 0}
SECOND = {"img_1": 4, "img_2": 1, "img_3": 2, "img_4": 3, "img_5": 0}


def test_images_in_which_a_detector_got_better_or_worse_are_listed_by_change() -> None:
    metrics = ["Precision", "Recall", "F1", "mAP", "Counts"]
    found = compare(detections(FIRST, metrics), detections(SECOND, metrics), registry=REGISTRY)

    flips = {one.metric: (one.better, one.worse) for one in found.flips}
    assert flips == {
        "detection.Precision": ((), ()),
        "detection.Recall": (("img_3", "img_4"), ("img_2",)),
        "detection.F1": (("img_3", "img_4"), ("img_2",)),
        "detection.mAP": (("img_3", "img_4"), ("img_2",)),
    }
    table = found.tables()[-1]
    assert table.title == "Items that changed"
    assert [getattr(cell, "text", cell) for cell in table.rows[0]] == [
        *("Recall", "2", "1", "", "img_3, img_4", "img_2"),
    ]


def test_images_do_not_replace_the_interval_of_a_ratio() -> None:
    metrics = ["F1"]
    first, second = (detections(one, metrics) for one in (FIRST, SECOND))

    found = compare(first, second, registry=REGISTRY)

    assert {one.method for one in found.changes} == {None}
    assert "without a test; for intervals: valor rerun" in found.untested[0]


def test_groups_of_images_test_a_ratio_whose_images_are_listed() -> None:
    some = [{f"i{n}": (n * step) % 5 for n in range(40)} for step in (1, 3)]
    first, second = (detections(one, ["F1"], confidence=0.95) for one in some)

    found = compare(first, second, registry=REGISTRY)

    assert {one.method for one in found.changes} == {"jackknife"}
    assert len(found.flips[0].better) + len(found.flips[0].worse) > 0


def segmentations(shifts: dict[str, int]) -> Report:
    """Evaluate a model whose masks of 8 pixels are shifted by some pixels."""
    true = np.repeat([[0, 1, 0]], 8, axis=1)
    items = [
        Segmentation(uid, true, np.roll(true, shift), labels=["cell"])
        for uid, shift in shifts.items()
    ]
    return evaluate(
        items, ["IOU", "mIOU", "F1", "Accuracy"], "segmentation", items=True, registry=REGISTRY
    )


def test_images_that_a_model_segments_better_or_worse_are_listed() -> None:
    first = segmentations({"a": 0, "b": 4, "c": 1, "d": 3})
    second = segmentations({"a": 2, "b": 4, "c": 0, "d": 0})

    found = compare(first, second, registry=REGISTRY)

    assert {(one.metric, one.better, one.worse) for one in found.flips} == {
        (f"segmentation.{name}", ("d", "c"), ("a",)) for name in ("IOU", "mIOU", "F1", "Accuracy")
    }


@pytest.fixture
def boxes(tmp_path: Path) -> Path:
    """Write COCO files of two detectors for 15 images; the second one misses a box of each."""
    images = [{"id": i, "width": 60, "height": 40, "file_name": f"{i}.png"} for i in range(1, 16)]
    shapes = [[4, 4, 20, 20], [30, 10, 20, 20]]
    truths = [
        {"id": 10 * i + n, "image_id": i, "category_id": 1, "bbox": box, "area": 400, "iscrowd": 0}
        for i in range(1, 16)
        for n, box in enumerate(shapes)
    ]
    record = {"images": images, "categories": [{"id": 1, "name": "car"}], "annotations": truths}
    (tmp_path / "truths.json").write_text(json.dumps(record))
    for name, kept in (("all", shapes), ("fewer", shapes[:1])):
        found = [
            {"image_id": i, "category_id": 1, "bbox": box, "score": 0.9}
            for i in range(1, 16)
            for box in kept
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(found))
    return tmp_path


def valor(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "valor_cli", *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stderr


def test_page_shows_both_predictions_of_twelve_images_side_by_side(boxes: Path) -> None:
    for name in ("all", "fewer"):
        files = ["truths.json", f"{name}.json"]
        valor(boxes, "run", *files, "-m", "F1", "-q", "--set", "items=true", "-o", f"{name}-r.json")

    valor(boxes, "compare", "all-r.json", "fewer-r.json", "-o", "page.html")
    valor(boxes, "compare", "all-r.json", "fewer-r.json", "-o", "few.html", "--pictures", "2")

    page = (boxes / "page.html").read_text(encoding="utf-8")
    drawn = re.findall(r'<img alt="([^"]+)" src="data:image/', page)
    assert drawn == ["all-r", "fewer-r"] * 12
    assert (boxes / "few.html").read_text(encoding="utf-8").count("<img ") == 4
    assert "1.0000, found 2" in page
    assert "found 1, missed 1" in page
    assert page.count('<td data-name="true">2 car</td>') == 15


def test_page_says_why_items_are_not_drawn(boxes: Path) -> None:
    for name in ("all", "fewer"):
        files = ["truths.json", f"{name}.json"]
        valor(boxes, "run", *files, "-m", "F1", "-q", "--set", "items=true", "-o", f"{name}-r.json")
    (boxes / "fewer.json").unlink()

    valor(boxes, "compare", "all-r.json", "fewer-r.json", "-o", "page.html")

    page = (boxes / "page.html").read_text(encoding="utf-8")
    assert "<img " not in page
    assert "Items are not drawn: fewer-r.json: config.data.predictions: no such file" in page
