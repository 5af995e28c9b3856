"""Results under the protocol ``coco`` equal pycocotools bit by bit.

Data sets are small, random and rich in edge cases: equal scores and IoUs, crowds, areas at the
bounds of the ranges and different from those of the boxes, more than 100 predictions, images and
labels on one side only or on none.

pycocotools treats a ground truth with id 0 as unmatched, so its match counts as a false positive;
here ids begin at 1.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from cases import for_each
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from valor_detection.matching import candidate_pairs, interpolated, protocols
from valor_detection.matching.table import Table
from valor_detection.parameters.fields import COCO_AREAS, COCO_IOUS

from valor_core.schemas import Datums, Label
from valor_core.schemas.detection import DetectionBatch, PredictedObjects, TrueObjects
from valor_core.schemas.geometry import Shapes

from .support import results_of

MOST = (1, 10, 100)
Annotations = list[dict[str, Any]]


class CocoData:
    """A random data set in COCO's format."""

    def __init__(self, seed: int, ignored: float = 0.0) -> None:
        self.rng = np.random.default_rng(seed)
        self.ignored = ignored
        self.grid = self.rng.choice([0.1, 1, 5, 20])
        self.images = [int(i) for i in self.rng.permutation(50)[: self.rng.integers(1, 6)] + 1]
        self.categories = [int(i) for i in self.rng.permutation(9)[: self.rng.integers(1, 4)] + 1]
        self.truths = [self.truth(i + 1) for i in range(self.rng.integers(0, 30))]
        crowded = self.rng.random() < 0.2
        count = int(self.rng.integers(1, 400 if crowded else 60))
        self.results = [self.prediction() for _ in range(count)]

    def box(self) -> list[float]:
        corner = self.rng.integers(0, 150, 2) // self.grid * self.grid
        sides = (self.rng.integers(0, 120, 2) // self.grid + self.rng.integers(0, 2)) * self.grid
        return [float(value) for value in (*corner, *sides)]

    def truth(self, number: int) -> dict[str, Any]:
        box = self.box()
        flag = {"ignored": int(self.rng.random() < self.ignored)} if self.ignored else {}
        return flag | {
            "id": number,
            "image_id": int(self.rng.choice(self.images)),
            "category_id": int(self.rng.choice(self.categories)),
            "bbox": box,
            "area": float(self.rng.choice([box[2] * box[3], box[2] * box[3] * 0.8, 1024, 9216])),
            "iscrowd": int(self.rng.random() < 0.15),
        }

    def prediction(self) -> dict[str, Any]:
        if not self.truths or self.rng.random() < 0.4:
            where = {
                "image_id": int(self.rng.choice(self.images)),
                "category_id": int(self.rng.choice(self.categories)),
                "bbox": self.box(),
            }
        else:
            near = self.truths[self.rng.integers(len(self.truths))]
            moved = self.rng.integers(-1, 2, 4) * self.grid * (self.rng.random() < 0.6)
            box = np.array(near["bbox"]) + moved
            where = {name: near[name] for name in ("image_id", "category_id")}
            where["bbox"] = [float(v) for v in (*box[:2], *np.abs(box[2:]))]
        return where | {"score": float(self.rng.integers(0, 20)) / 20}

    @property
    def batch(self) -> DetectionBatch:
        """Return the same data as columns."""
        images, categories = sorted(self.images), sorted(self.categories)
        truths = sorted(self.truths, key=lambda one: images.index(one["image_id"]))
        results = sorted(self.results, key=lambda one: images.index(one["image_id"]))
        shapes = Shapes(boxes(results))
        return DetectionBatch(
            Datums(images),
            [Label("class", str(category)) for category in categories],
            TrueObjects(
                datums=codes(truths, "image_id", images),
                labels=codes(truths, "category_id", categories),
                shapes=Shapes(boxes(truths)),
                crowd=[one["iscrowd"] for one in truths],
                ignored=[bool(one.get("ignored")) for one in truths],
                areas=[one["area"] for one in truths],
            ),
            PredictedObjects(
                datums=codes(results, "image_id", images),
                labels=codes(results, "category_id", categories),
                shapes=shapes,
                scores=[one["score"] for one in results],
                areas=shapes.areas,
            ),
            label_ids=categories,
        )

    @property
    def theirs(self) -> Any:
        """Return an accumulated and summarized COCOeval of pycocotools."""
        evaluation = self.evaluated()
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation.summarize()
        return evaluation

    def evaluated(self, ranges: Mapping[str, Sequence[float | None]] | None = None) -> Any:
        """Return an accumulated COCOeval of pycocotools, with other area ranges on request."""
        with contextlib.redirect_stdout(io.StringIO()):
            coco = COCO()
            coco.dataset = {
                "images": [{"id": i, "width": 300, "height": 300} for i in self.images],
                "categories": [{"id": i, "name": str(i)} for i in self.categories],
                "annotations": [dict(one) for one in self.truths],
            }
            coco.createIndex()
            found = coco.loadRes([dict(one) for one in self.results])
            evaluation = IgnoringCOCOeval(coco, found, "bbox")
            if ranges is not None:
                bounds = [
                    [low, math.inf if high is None else high] for low, high in ranges.values()
                ]
                evaluation.params.areaRng, evaluation.params.areaRngLbl = bounds, [*ranges]
            evaluation.evaluate()
            evaluation.accumulate()
        return evaluation


class IgnoringCOCOeval(COCOeval):
    """COCOeval that keeps the flag of ignored objects.

    pycocotools overwrites ``ignore`` with ``iscrowd``, except for key points.
    """

    def _prepare(self) -> None:
        super()._prepare()
        for truth in (truth for cell in self._gts.values() for truth in cell):
            truth["ignore"] = truth["ignore"] or truth.get("ignored", 0)


def boxes(annotations: Annotations) -> Any:
    return np.array([one["bbox"] for one in annotations], dtype=float).reshape(-1, 4)


def codes(annotations: Annotations, name: str, values: Sequence[int]) -> Any:
    return np.array([values.index(one[name]) for one in annotations], dtype=np.int64)


def table_of(data: CocoData) -> Table:
    state = candidate_pairs.request(COCO_IOUS, protocols.COCO).open()
    state.update(data.batch)
    table: Table = state.table
    return table


def mean(values: Any) -> float | None:
    """Mean as in ``COCOeval.summarize``."""
    there = values[values > -1]
    return float(np.mean(there)) if there.size else None


@for_each("seed", range(150))
def test_curves_equal_pycocotools_bit_by_bit(seed: int) -> None:
    data = CocoData(seed)
    table, theirs = table_of(data), data.theirs.eval

    for area, (low, high) in enumerate(COCO_AREAS.values()):
        for most, count in enumerate(MOST):
            ours = interpolated.curves(table, protocols.COCO, (low, high), count)
            assert np.array_equal(ours.precisions, theirs["precision"][..., area, most])
            assert np.array_equal(ours.scores, theirs["scores"][..., area, most])
            assert np.array_equal(ours.recalls, theirs["recall"][..., area, most])


@for_each("seed", range(60))
def test_curves_with_ignored_objects_equal_pycocotools_bit_by_bit(seed: int) -> None:
    data = CocoData(3000 + seed, ignored=0.25)
    table, theirs = table_of(data), data.theirs.eval

    for area, bounds in enumerate(COCO_AREAS.values()):
        ours = interpolated.curves(table, protocols.COCO, bounds, 100)
        assert np.array_equal(ours.precisions, theirs["precision"][..., area, 2])
        assert np.array_equal(ours.recalls, theirs["recall"][..., area, 2])


@for_each("seed", range(60))
def test_summary_equals_pycocotools_bit_by_bit(seed: int) -> None:
    data = CocoData(1000 + seed)
    summary = results_of(data.batch, "COCOSummary").value

    wanted = [None if number == -1 else float(number) for number in data.theirs.stats]
    assert list(summary.values()) == wanted


@for_each("seed", range(60))
def test_metrics_equal_pycocotools_bit_by_bit(seed: int) -> None:
    data = CocoData(2000 + seed)
    theirs = data.theirs.eval
    ranges = {"area_ranges": COCO_AREAS}
    results = results_of(
        data.batch,
        {"name": "AP", "iou_thresholds": COCO_IOUS} | ranges,
        {"name": "APAveragedOverIOUs"} | ranges,
        {"name": "mAP", "iou_thresholds": COCO_IOUS} | ranges,
        {"name": "mAPAveragedOverIOUs"} | ranges,
        *(
            {"name": name, "max_detections": most} | ranges
            for name in ("AR", "mAR")
            for most in MOST
        ),
    )

    labels = {str(number): place for place, number in enumerate(sorted(data.categories))}
    areas = list(COCO_AREAS)
    for result in results:
        at = result.parameters
        ious = [COCO_IOUS.index(at["iou_threshold"])] if "iou_threshold" in at else list(range(10))
        name = "recall" if "AR" in result.type else "precision"
        values = theirs[name][ious][..., areas.index(at["area_range"]), :]
        values = values[..., MOST.index(at.get("max_detections", 100))]
        if "label" in at:
            values = values[..., [labels[at["label"]]]]
        assert result.to_dict()["value"] == mean(values), (result.type, at)
