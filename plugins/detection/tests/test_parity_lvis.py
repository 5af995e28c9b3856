"""Results under the protocol ``lvis`` equal lvis-api bit by bit.

lvis-api matches no ground truth with id 0; here ids begin at 1. It does not read ``iscrowd``, which
LVIS does not have.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_detection.matching import candidate_pairs, interpolated
from valor_detection.matching.protocols import LVIS
from valor_detection.parameters.coco import CocoParameters
from valor_detection.parameters.fields import COCO_AREAS, COCO_IOUS
from valor_detection.readers.coco import CocoReader

from valor_core import evaluate
from valor_core.schemas.detection import DetectionBatch

from .lvis_api import lvis_numbers

SIZE = 150


class LvisData:
    """A random data set in LVIS's format, and results.

    Small and rich in edge cases: equal scores and IoUs; labels not verified in an image or not
    annotated exhaustively; ignored objects; areas that are 0, at the bounds of the ranges, or not
    those of the boxes; more than 300 predictions in an image; images and labels on one side only.
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.grid = float(self.rng.choice([1, 5, 20]))
        is_crowded = self.rng.random() < 0.02
        # Few predictions of a crowded image match, so that those beyond the limit matter.
        self.share_near = 0.02 if is_crowded else 0.6
        image_ids = self.rng.permutation(20)[: 1 if is_crowded else self.rng.integers(1, 3)] + 1
        self.categories = [
            {"id": int(i), "name": f"c{i}", "frequency": str(self.rng.choice(list("rcf")))}
            for i in self.rng.permutation(9)[: self.rng.integers(1, 4)] + 1
        ]
        self.images = [
            {
                "id": int(i),
                "height": SIZE,
                "width": SIZE,
                "neg_category_ids": self.some_categories(0.4),
                "not_exhaustive_category_ids": self.some_categories(0.2),
            }
            for i in image_ids
        ]
        self.truths = [self.truth(i + 1) for i in range(self.rng.integers(0, 12))]
        count = int(self.rng.integers(310, 500) if is_crowded else self.rng.integers(1, 20))
        self.results = [self.prediction() for _ in range(count)]

    def some_categories(self, share: float) -> list[int]:
        # 99 is the id of no category.
        ids = [99, *(one["id"] for one in self.categories)]
        return [number for number in ids if self.rng.random() < share]

    def box(self) -> list[float]:
        corner = self.rng.integers(0, 100, 2) // self.grid * self.grid
        sides = self.rng.integers(0, 120, 2) // self.grid * self.grid
        sides += self.grid * (self.rng.random(2) < 0.8)
        return [float(value) for value in (*corner, *sides)]

    def at_random(self) -> dict[str, Any]:
        return {
            "image_id": self.images[self.rng.integers(len(self.images))]["id"],
            "category_id": self.categories[self.rng.integers(len(self.categories))]["id"],
        }

    def truth(self, number: int) -> dict[str, Any]:
        box = self.box()
        area = box[2] * box[3]
        areas = area, area, 0.8 * area, 0.0, 1024.0, 9216.0
        found = {
            **self.at_random(),
            "id": number,
            "bbox": box,
            "area": areas[self.rng.integers(len(areas))],
            "segmentation": [outline(box)],
        }
        return found | ({"ignore": 1} if self.rng.random() < 0.1 else {})

    def prediction(self) -> dict[str, Any]:
        where, box = self.at_random(), np.array(self.box())
        if self.truths and self.rng.random() < self.share_near:
            near = self.truths[self.rng.integers(len(self.truths))]
            where = {name: near[name] for name in where}
            moved = self.rng.integers(-1, 2, 4) * self.grid * (self.rng.random() < 0.6)
            box = np.array(near["bbox"]) + moved
        box = [float(value) for value in (*box[:2], *np.abs(box[2:]))]
        score = float(self.rng.integers(0, 20)) / 20
        return {**where, "bbox": box, "segmentation": [outline(box)], "score": score}

    @property
    def data_set(self) -> dict[str, Any]:
        return {"images": self.images, "annotations": self.truths, "categories": self.categories}


def outline(box: list[float]) -> list[float]:
    x, y, width, height = box
    return [x, y, x, y + height, x + width, y + height, x + width, y]


@pytest.fixture
def files(tmp_path: Path) -> Any:
    """Write a data set and results, and return the data argument of `evaluate`."""

    def write(data: LvisData, iou_type: str) -> dict[str, Any]:
        for name, content in (("gt", data.data_set), ("dt", data.results)):
            (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        paths = {"groundtruths": tmp_path / "gt.json", "predictions": tmp_path / "dt.json"}
        return {**paths, "iou_type": iou_type}

    return write


def batch_of(chosen: dict[str, Any]) -> DetectionBatch:
    reader = CocoReader(CocoParameters(**chosen), "detection")
    (partition,) = reader.partitions()
    (batch,) = reader.read(partition)
    return batch


@for_each("seed", range(1000))
def test_summary_of_boxes_equals_lvis_api_bit_by_bit(seed: int, files: Any) -> None:
    data = LvisData(seed)
    report = evaluate(batch_of(files(data, "bbox")), ["LVISSummary"])

    assert report["LVISSummary"].value == lvis_numbers(data.data_set, data.results)[1]


@for_each("seed", range(150))
def test_summary_of_masks_equals_lvis_api_bit_by_bit(seed: int, files: Any) -> None:
    data = LvisData(1000 + seed)
    report = evaluate(batch_of(files(data, "segm")), ["LVISSummary"])

    assert report["LVISSummary"].value == lvis_numbers(data.data_set, data.results, "segm")[1]


@for_each("seed", range(100))
def test_curves_equal_lvis_api_bit_by_bit(seed: int, files: Any) -> None:
    data = LvisData(2000 + seed)
    state = candidate_pairs.request(COCO_IOUS, LVIS).open()
    state.update(batch_of(files(data, "bbox")))
    theirs = lvis_numbers(data.data_set, data.results)[0].eval

    for area, bounds in enumerate(COCO_AREAS.values()):
        ours = interpolated.curves(state.table, LVIS, bounds, 300)
        assert np.array_equal(ours.precisions, theirs["precision"][..., area])
        assert np.array_equal(ours.recalls, theirs["recall"][..., area])


@for_each("seed", range(60))
def test_metrics_equal_lvis_api_bit_by_bit(seed: int, files: Any) -> None:
    data = LvisData(3000 + seed)
    theirs = lvis_numbers(data.data_set, data.results)[0].eval
    chosen = {"matching": "lvis", "area_ranges": COCO_AREAS}
    report = evaluate(
        batch_of(files(data, "bbox")),
        [
            {"name": "AP", "iou_thresholds": COCO_IOUS} | chosen,
            {"name": "mAPAveragedOverIOUs"} | chosen,
            {"name": "AR"} | chosen,
            {"name": "mAR"} | chosen,
        ],
    )

    codes = {str(one["name"]): code for code, one in enumerate(by_id(data.categories))}
    for result in report:
        at = result.parameters
        name = "recall" if "AR" in result.type else "precision"
        values = theirs[name][..., list(COCO_AREAS).index(str(at["area_range"]))]
        if "iou_threshold" in at:
            values = values[[COCO_IOUS.index(float(at["iou_threshold"]))]]
        if "label" in at:
            values = values[..., [codes[str(at["label"])]]]
        there = values[values > -1]
        assert result.to_dict()["value"] == (np.mean(there) if there.size else None), at


def by_id(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(records, key=lambda one: int(one["id"]))
