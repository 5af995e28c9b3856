"""Intervals have the same bits for any partitions, order, threads and processes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_classification.readers.arrays import from_arrays
from valor_detection import Objects
from valor_detection import from_arrays as images_from_arrays

from valor_core import Report, evaluate

METHODS = [{"groups": 20}, {"groups": 20, "resamples": 30}]
IDS = ["leaving out", "resamples"]
RANDOM = np.random.default_rng(3)
TRUE, SCORES = RANDOM.integers(0, 3, 160), RANDOM.dirichlet([1, 1, 1], 160).round(2)
CLASSIFICATION = ["Accuracy", {"name": "F1", "average": "macro"}, "mROCAUC", "BrierScore"]
WORKERS = [
    {"name": "local", "workers": 2, "mode": "threads"},
    {"name": "local", "workers": 2, "mode": "processes"},
]


def boxes(count: int) -> Any:
    corners = RANDOM.integers(0, 40, (count, 2))
    return np.hstack([corners, corners + RANDOM.integers(5, 20, (count, 2))]).astype(float)


TRUE_OBJECTS = [Objects(boxes=boxes(3), labels=RANDOM.integers(0, 2, 3)) for _ in range(48)]
FOUND = [
    Objects(
        boxes=np.asarray(each.boxes) + RANDOM.integers(0, 4, (3, 4)) * [-1, -1, 1, 1],
        labels=each.labels,
        scores=RANDOM.random(3).round(1),
    )
    for each in TRUE_OBJECTS
]


def classified(parts: int) -> list[Any]:
    rows = RANDOM.permutation(len(TRUE))
    return [from_arrays(TRUE[one], SCORES[one], uids=one) for one in np.array_split(rows, parts)]


def detected(parts: int) -> list[Any]:
    rows = RANDOM.permutation(len(FOUND))
    return [
        images_from_arrays([TRUE_OBJECTS[i] for i in one], [FOUND[i] for i in one], uids=one)
        for one in map(list, np.array_split(rows, parts))
    ]


DATA: dict[str, Any] = {
    "classification": (classified, CLASSIFICATION),
    "detection": (detected, ["mAP", "AP", "Recall"]),
}


def intervals(report: Report) -> Any:
    return [(one.type, one.parameters, one.details["confidence"]) for one in report.results]


@pytest.mark.parametrize("confidence", METHODS, ids=IDS)
@pytest.mark.parametrize("task", DATA)
def test_shuffled_items_in_any_number_of_partitions_have_the_same_intervals(
    task: str, confidence: Any
) -> None:
    make, metrics = DATA[task]
    whole, *others = (evaluate(make(n), metrics, confidence=confidence) for n in (1, 2, 16))

    assert whole.results[0].details["confidence"]["interval"]
    assert [intervals(one) for one in others] == [intervals(whole)] * 2


@pytest.mark.parametrize("confidence", METHODS, ids=IDS)
@pytest.mark.parametrize("task", DATA)
def test_threads_and_processes_give_the_same_intervals(task: str, confidence: Any) -> None:
    make, metrics = DATA[task]
    serial, *others = (
        evaluate(make(4), metrics, confidence=confidence, engine=engine)
        for engine in (None, *WORKERS)
    )

    assert [intervals(one) for one in others] == [intervals(serial)] * 2
