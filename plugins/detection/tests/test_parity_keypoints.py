"""Keypoints: numbers equal to those of pycocotools bit by bit."""

from __future__ import annotations

import contextlib
import copy
import io
from typing import Any

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from valor_detection import coco as facade
from valor_detection.coco_json.keypoints import boxes_of_points

from valor_core import evaluate
from valor_core.schemas import Label
from valor_core.schemas.datum import Datum, Datums
from valor_core.schemas.detection import DetectionBatch, PredictedObjects, TrueObjects
from valor_core.schemas.geometry import Keypoints, Shapes

NAMES = ("AP", "AP50", "AP75", "AP_medium", "AP_large")
NUMBERS = (*NAMES, *(name.replace("AP", "AR") for name in NAMES))
POINTS = 17


class Poses:
    """A random data set of poses in COCO's format, with ties, crowds and unlabelled objects."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.categories = list(range(1, int(self.rng.integers(2, 4))))
        self.images = [int(i) for i in self.rng.permutation(9)[: self.rng.integers(1, 4)] + 1]
        self.size = float(self.rng.choice([60, 150, 300]))
        count = int(self.rng.integers(0, 8))
        self.truths = [self.truth(number) for number in range(1, count + 1)]
        many = 30 if self.rng.random() < 0.1 else 8
        self.results = [self.result() for _ in range(int(self.rng.integers(1, many)))]

    def where(self) -> dict[str, Any]:
        return {
            "image_id": int(self.rng.choice(self.images)),
            "category_id": int(self.rng.choice(self.categories)),
        }

    def points(self) -> Any:
        spread = self.rng.choice([0.25, 1.0])
        return (self.rng.random((POINTS, 2)) * self.size * spread).round(1)

    def truth(self, number: int) -> dict[str, Any]:
        visible = self.rng.integers(0, 3, POINTS) * (self.rng.random() < 0.8)
        points = np.column_stack([self.points(), visible])
        given = int(np.count_nonzero(visible))
        if self.rng.random() < 0.1:  # files whose count contradicts their points
            given = int(self.rng.integers(0, 2))
        box = (self.rng.random(4) * self.size).round(1)
        return self.where() | {
            "id": number,
            "keypoints": points.ravel().tolist(),
            "num_keypoints": given,
            "bbox": box.tolist(),
            "area": float(round(box[2] * box[3] * 0.6, 2)),
            "iscrowd": int(self.rng.random() < 0.15),
        }

    def result(self) -> dict[str, Any]:
        points, where = self.points(), self.where()
        if self.truths and self.rng.random() < 0.8:
            near = self.truths[int(self.rng.integers(len(self.truths)))]
            where = {name: near[name] for name in where}
            noise = self.rng.choice([0.0, 0.01, 0.03, 0.1]) * self.size
            points = np.array(near["keypoints"]).reshape(-1, 3)[:, :2]
            points = (points + self.rng.normal(size=points.shape) * noise).round(1)
        with_confidence = np.column_stack([points, np.ones(POINTS)])
        return where | {
            "keypoints": with_confidence.ravel().tolist(),
            "score": int(self.rng.integers(0, 5)) / 4,
        }

    def data_set(self) -> dict[str, Any]:
        return {
            "info": {},
            "images": [{"id": i, "height": 200, "width": 200} for i in self.images],
            "categories": [{"id": i, "name": f"category {i}"} for i in self.categories],
            "annotations": copy.deepcopy(self.truths),
        }

    @property
    def batch(self) -> DetectionBatch:
        images, categories = sorted(self.images), sorted(self.categories)

        def columns(listed: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
            listed = sorted(listed, key=lambda one: one["image_id"])
            points = np.array([one["keypoints"] for one in listed]).reshape(-1, 3)
            keypoints = Keypoints(points, np.arange(len(listed) + 1) * POINTS)
            return listed, {
                "datums": [images.index(one["image_id"]) for one in listed],
                "labels": [categories.index(one["category_id"]) for one in listed],
                "keypoints": keypoints,
            }

        truths, true = columns(self.truths)
        given = [one["num_keypoints"] for one in truths]
        points = true["keypoints"]
        results, predicted = columns(self.results)
        around = boxes_of_points(predicted["keypoints"])
        return DetectionBatch(
            Datums.of(Datum(i) for i in images),
            [Label("class", f"category {number}") for number in categories],
            TrueObjects(
                **true | {"keypoints": Keypoints(points.points, points.rows, given)},
                shapes=Shapes(np.array([one["bbox"] for one in truths]).reshape(-1, 4)),
                crowd=[bool(one["iscrowd"]) for one in truths],
                areas=[one["area"] for one in truths],
            ),
            PredictedObjects(
                **predicted,
                shapes=Shapes(around),
                scores=[one["score"] for one in results],
                areas=around[:, 2] * around[:, 3],
            ),
            label_ids=categories,
        )


def run(module: Any, data_set: dict[str, Any], results: list[dict[str, Any]]) -> Any:
    """Evaluate with the classes of pycocotools or those that replace them."""
    with contextlib.redirect_stdout(io.StringIO()):
        truths = module.COCO()
        truths.dataset = copy.deepcopy(data_set)
        truths.createIndex()
        found = truths.loadRes(copy.deepcopy(results))
        evaluation = module.COCOeval(truths, found, "keypoints")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


class Pycocotools:
    COCO, COCOeval = COCO, COCOeval


def assert_equal(ours: Any, theirs: Any) -> None:
    for name in ("precision", "recall", "scores"):
        assert ours.eval[name].tobytes() == theirs.eval[name].tobytes(), name
    assert ours.stats.tobytes() == theirs.stats.tobytes()


@pytest.mark.parametrize("block", range(10))
def test_numbers_of_random_sets_equal_pycocotools(block: int) -> None:
    """1,000 random sets: the summary as a metric, and the curves of the replaced classes."""
    for seed in range(100 * block, 100 * block + 100):
        poses = Poses(seed)
        theirs = run(Pycocotools, poses.data_set(), poses.results)
        assert_equal(run(facade, poses.data_set(), poses.results), theirs)
        value = evaluate(poses.batch, ["KeypointSummary"], "detection")["KeypointSummary"].value
        assert tuple(value) == NUMBERS
        found = [-1.0 if value[name] is None else value[name] for name in NUMBERS]
        assert found == theirs.stats.tolist(), seed


@pytest.mark.parametrize("seed", range(20))
def test_results_of_images_equal_pycocotools(seed: int) -> None:
    poses = Poses(seed)
    ours, theirs = (
        run(module, poses.data_set(), poses.results) for module in (facade, Pycocotools)
    )
    for image in poses.images:
        for category in poses.categories:
            expected = theirs.computeOks(image, category)
            found = ours.computeOks(image, category)
            assert np.asarray(found).tobytes() == np.asarray(expected).tobytes()
    pairs = list(zip(ours.evalImgs, theirs.evalImgs, strict=True))
    assert any(one for one, _ in pairs)
    for mine, other in pairs:
        assert (mine is None) == (other is None)
        for name in () if mine is None else ("dtIds", "gtIds", "dtScores", "gtIgnore"):
            assert np.array_equal(mine[name], other[name]), name
        for name in () if mine is None else ("dtMatches", "gtMatches", "dtIgnore"):
            assert np.array_equal(mine[name], other[name]), name


def test_custom_sigmas_equal_pycocotools() -> None:
    poses = Poses(11)
    sigmas = np.linspace(0.02, 0.3, POINTS)
    stats = []
    for module in (facade, Pycocotools):
        with contextlib.redirect_stdout(io.StringIO()):
            truths = module.COCO()
            truths.dataset = poses.data_set()
            truths.createIndex()
            found = truths.loadRes(copy.deepcopy(poses.results))
            evaluation = module.COCOeval(truths, found, "keypoints")
            evaluation.params.kpt_oks_sigmas = sigmas
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        stats.append(evaluation.stats.tolist())
    assert stats[0] == stats[1]
    metric = {"name": "KeypointSummary", "sigmas": sigmas.tolist()}
    value = evaluate(poses.batch, [metric], "detection")["KeypointSummary"].value
    assert [-1.0 if one is None else one for one in value.values()] == stats[0]


def test_means_over_thresholds_equal_pycocotools() -> None:
    poses = Poses(11)
    theirs = run(Pycocotools, poses.data_set(), poses.results).stats
    assert theirs[0] > 0
    chosen = {"name": "mAPAveragedOverIOUs", "matching": "keypoints"}
    report = evaluate(poses.batch, [chosen], "detection")
    assert report["mAPAveragedOverIOUs"].value == theirs[0]


def test_boxes_of_results_with_keypoints_alone_equal_pycocotools() -> None:
    poses = Poses(3)
    stats = []
    for module in (facade, Pycocotools):
        with contextlib.redirect_stdout(io.StringIO()):
            truths = module.COCO()
            truths.dataset = poses.data_set()
            truths.createIndex()
            found = truths.loadRes(copy.deepcopy(poses.results))
            evaluation = module.COCOeval(truths, found, "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        stats.append(evaluation.stats.tolist())
        records = [
            {name: one[name] for name in ("id", "bbox", "area", "keypoints")}
            for one in found.anns.values()
        ]
        stats.append([[*map(float, one["bbox"]), float(one["area"])] for one in records])
    assert stats[:2] == stats[2:]
