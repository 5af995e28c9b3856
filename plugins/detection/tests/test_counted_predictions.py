"""Predictions beyond COCO's limit are not paired; every result stays the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from valor_detection import from_torchvision
from valor_detection.matching.candidate_pairs import counted_rows

from valor_core import Evaluator, Report, evaluate
from valor_core.schemas import Datums
from valor_core.schemas.detection import DetectionBatch


def crowded(seed: int, ties: bool) -> DetectionBatch:
    """Three images of two labels with up to 400 predictions; coarse scores on request."""
    drawn = np.random.default_rng(seed)

    def boxes(count: int) -> Any:
        corners = drawn.random((count, 2)) * 200
        return np.hstack([corners, corners + 5 + drawn.random((count, 2)) * 40])

    def scores(count: int) -> Any:
        found = drawn.random(count)
        return np.round(found, 1) if ties else found

    sizes = [(60, 400), (10, 90), (30, 230)]
    truths = [{"boxes": boxes(n), "labels": drawn.integers(0, 2, n)} for n, _ in sizes]
    predictions = [
        {"boxes": boxes(n), "labels": drawn.integers(0, 2, n), "scores": scores(n)}
        for _, n in sizes
    ]
    return from_torchvision(truths, predictions)


def masked(seed: int) -> DetectionBatch:
    """Two images of one label with rectangular masks, up to 140 predictions in one."""
    drawn = np.random.default_rng(seed)

    def objects(count: int, *more: str) -> dict[str, Any]:
        masks = np.zeros((count, 24, 24), bool)
        for mask, (top, left, height, width) in zip(
            masks, drawn.integers(0, 12, (count, 4)), strict=True
        ):
            mask[top : top + 2 + height, left : left + 2 + width] = True
        scores = {name: drawn.random(count).round(2) for name in more}
        return {"masks": masks, "labels": np.zeros(count, int), **scores}

    return from_torchvision(
        [objects(30), objects(6)], [objects(140, "scores"), objects(12, "scores")], uids=["b", "a"]
    )


def numbers(report: Report, *names: str) -> list[Any]:
    return [result.to_dict() for result in report if result.type in names]


COUNTED: list[Any] = [
    "COCOSummary",
    "mAP",
    {"name": "AP", "max_detections": 3},
    {"name": "AR", "max_detections": 1},
]
RULES = ("coco", "ranked", "valor")
NAMES = ("COCOSummary", "mAP", "AP", "AR")


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_results_equal_those_of_all_pairs(seed: int, ties: bool) -> None:
    batch = crowded(seed, ties)
    alone = evaluate(batch, COUNTED)
    together = evaluate(batch, [*COUNTED, "Counts"])
    assert numbers(alone, *NAMES) == numbers(together, *NAMES)
    for metric in COUNTED:
        name = metric if isinstance(metric, str) else metric["name"]
        assert numbers(evaluate(batch, [metric]), name) == numbers(together, name)


def test_numbers_do_not_depend_on_the_split() -> None:
    batch = crowded(7, ties=True)
    evaluator = Evaluator(COUNTED, "detection")
    for position in range(3):  # in order: equal scores rank by image
        evaluator.update(batch.select(np.array([position])))
    assert numbers(evaluator.compute(), *NAMES) == numbers(evaluate(batch, COUNTED), *NAMES)


def test_equal_scores_at_the_limit_are_all_included() -> None:
    batch = from_torchvision(
        [{"boxes": np.zeros((0, 4)), "labels": np.zeros(0, int)}],
        [
            {
                "boxes": np.tile([0.0, 0.0, 9.0, 9.0], (5, 1)),
                "labels": np.zeros(5, int),
                "scores": np.array([0.5, 0.9, 0.5, 0.1, 0.5]),
            }
        ],
    )
    kept = {limit: counted_rows(batch.predictions, limit) for limit in (1, 2, 4, 5)}
    lists = {limit: None if rows is None else rows.tolist() for limit, rows in kept.items()}
    assert lists == {1: [1], 2: [0, 1, 2, 4], 4: [0, 1, 2, 4], 5: None}


@pytest.mark.parametrize("seed", range(3))
def test_results_of_masks_equal_those_of_all_pairs(seed: int) -> None:
    batch = masked(seed)
    assert counted_rows(batch.predictions, 100) is not None
    alone, together = evaluate(batch, COUNTED), evaluate(batch, [*COUNTED, "Counts"])
    assert numbers(alone, *NAMES) == numbers(together, *NAMES)
    assert any(one.number for one in alone if one.type == "mAP")


@pytest.mark.parametrize("make", [masked, partial(crowded, ties=True)], ids=["masks", "boxes"])
def test_results_of_saved_and_merged_states_equal_those_of_all_pairs(
    make: Callable[[int], DetectionBatch], tmp_path: Path
) -> None:
    batch = make(5)
    parts = [Evaluator(COUNTED, "detection") for _ in range(len(batch))]
    for position, part in enumerate(parts):
        part.update(evolve(batch.select(np.array([position])), datums=Datums([position])))
    for number, part in enumerate(parts):
        part.save(tmp_path / f"{number}.npz")
    saved = Evaluator(COUNTED, "detection")
    saved.resume(tmp_path / "0.npz")
    for part in parts[:0:-1]:
        saved.merge(part)
        parts[0].merge(part)
    saved.save(tmp_path / "all.npz")
    again = Evaluator(COUNTED, "detection")
    again.resume(tmp_path / "all.npz")
    uids = evolve(batch, datums=Datums(list(range(len(batch)))))
    expected = numbers(evaluate(uids, [*COUNTED, "Counts"]), *NAMES)
    for one in (parts[0], saved, again):
        assert numbers(one.compute(), *NAMES) == expected


def test_warnings_equal_those_of_all_pairs() -> None:
    """The data have corners read as sizes, duplicates, and more ground truths than the limit."""
    drawn = np.random.default_rng(0)
    corners = drawn.integers(50, 400, (130, 2)).astype(float)
    boxes = np.hstack([corners, corners + 30])
    wrong = np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    true = {"boxes": np.vstack([boxes, boxes[:1]]), "labels": np.zeros(131, int)}
    for one, said in ((wrong, "corners (xyxy)"), (boxes, "more than 100 ground truths")):
        predictions = {"boxes": one, "labels": np.zeros(130, int), "scores": drawn.random(130)}
        batch = from_torchvision([true], [predictions])
        alone, together = evaluate(batch, ["mAP"]), evaluate(batch, ["mAP", "Counts"])
        assert alone.warnings == together.warnings
        whole = " ".join(map(str, evaluate(batch, ["COCOSummary"]).warnings))
        assert said in whole
        assert "label and the geometry of another one" in whole


def test_equal_scores_do_not_depend_on_the_order_of_images() -> None:
    drawn = np.random.default_rng(2)
    truths, predictions = [], []
    for _ in range(5):
        corners = drawn.random((6, 2)) * 90
        boxes = np.hstack([corners, corners + 20])
        truths.append({"boxes": boxes, "labels": np.zeros(6, int)})
        scores = drawn.integers(1, 3, 6) / 4
        moved = boxes + drawn.integers(0, 9, (6, 1))
        predictions.append({"boxes": moved, "labels": np.zeros(6, int), "scores": scores})
    uids = [12, 3, 20, 101, 7]
    metrics = [{"name": name, "matching": rule} for name in ("AP", "AR") for rule in RULES]
    found = set()
    for order in permutations(range(5)):
        parts = ([part[i] for i in order] for part in (truths, predictions, uids))
        true, predicted, names = parts
        evaluator = Evaluator(metrics, "detection")
        evaluator.update(from_torchvision(true[:2], predicted[:2], uids=names[:2]))
        evaluator.update(from_torchvision(true[2:], predicted[2:], uids=names[2:]))
        found.add(str(numbers(evaluator.compute(), "AP", "AR")))
    assert len(found) == 1
