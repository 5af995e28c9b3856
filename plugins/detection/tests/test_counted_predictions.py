"""Predictions beyond COCO's limit are not paired, and every number stays the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_detection import from_torchvision
from valor_detection.overlaps import counted_rows

from valor_core import Evaluator, Report, evaluate
from valor_core.schemas.detection import DetectionBatch


def crowded(seed: int, ties: bool) -> DetectionBatch:
    """Three images of two labels with up to 400 predictions, whose scores are coarse on request."""
    drawn = np.random.default_rng(seed)

    def boxes(count: int) -> Any:
        corners = drawn.random((count, 2)) * 200
        return np.hstack([corners, corners + 5 + drawn.random((count, 2)) * 40])

    def scores(count: int) -> Any:
        found = drawn.random(count)
        return np.round(found, 1) if ties else found

    sizes = [(60, 400), (10, 90), (30, 230)]
    truths = [{"boxes": boxes(n), "labels": drawn.integers(0, 2, n)} for n, _ in sizes]
    seen = [
        {"boxes": boxes(n), "labels": drawn.integers(0, 2, n), "scores": scores(n)}
        for _, n in sizes
    ]
    return from_torchvision(truths, seen)


def numbers(report: Report, *names: str) -> list[Any]:
    return [result.to_dict() for result in report if result.type in names]


COUNTED: list[Any] = [
    "COCOSummary",
    "mAP",
    {"name": "AP", "max_detections": 3},
    {"name": "AR", "max_detections": 1},
]
NAMES = ("COCOSummary", "mAP", "AP", "AR")


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_those_of_all_pairs(seed: int, ties: bool) -> None:
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
    for position in range(3):  # in order: equal scores count in that of the images
        evaluator.update(batch.select(np.array([position])))
    assert numbers(evaluator.compute(), *NAMES) == numbers(evaluate(batch, COUNTED), *NAMES)


def test_equal_scores_at_the_limit_all_count() -> None:
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
