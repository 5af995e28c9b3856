"""A stream that fills the same arrays with every batch gets the results of separate arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_classification.readers.arrays import from_arrays

from valor_core import Evaluator, evaluate
from valor_core.schemas import Datums, Label
from valor_core.schemas.classification import ClassificationBatch, ScoreList

METRICS = ["ROCAUC", "AveragePrecision", "ROCCurve", "Accuracy", "ConfusionMatrix", "LogLoss"]
ROWS, WIDTH = 20, 3


@pytest.fixture
def batches() -> list[tuple[Any, Any]]:
    generator = np.random.default_rng(3)
    return [
        (generator.integers(0, WIDTH, ROWS), generator.random((ROWS, WIDTH), dtype=np.float32))
        for _ in range(3)
    ]


def whole(batches: list[tuple[Any, Any]]) -> Any:
    truths, scores = (np.concatenate(column) for column in zip(*batches, strict=True))
    return evaluate(from_arrays(truths, scores), METRICS).results


def test_a_matrix_that_is_used_again(batches: list[tuple[Any, Any]]) -> None:
    evaluator = Evaluator(METRICS, "classification")
    truths, scores = np.empty(ROWS, np.int64), np.empty((ROWS, WIDTH), np.float32)

    for new_truths, new_scores in batches:
        truths[:], scores[:] = new_truths, new_scores
        evaluator.update(from_arrays(truths, scores))
    scores[:] = 0

    assert evaluator.compute().results == whole(batches)


def test_a_list_that_is_used_again(batches: list[tuple[Any, Any]]) -> None:
    evaluator = Evaluator(METRICS, "classification")
    rows = np.repeat(np.arange(ROWS), WIDTH)
    truths, values = np.empty(ROWS, np.int64), np.empty(ROWS * WIDTH, np.float32)

    for new_truths, new_scores in batches:
        truths[:], values[:] = new_truths, new_scores.ravel()
        batch = ClassificationBatch(
            Datums.numbers(ROWS),
            [Label("class", str(code)) for code in range(WIDTH)],
            np.arange(ROWS),
            truths,
            ScoreList(rows, np.tile(np.arange(WIDTH), ROWS), values),
        )
        evaluator.update(batch)
    values[:] = 0

    assert evaluator.compute().results == whole(batches)


def test_a_column_of_uids_that_is_used_again(batches: list[tuple[Any, Any]]) -> None:
    evaluator = Evaluator(["Accuracy"], "classification")
    uids = np.arange(ROWS)

    for truths, scores in batches:
        evaluator.update(from_arrays(truths, scores, uids=uids))
        uids += ROWS

    assert evaluator.compute().counts["read"] == len(batches) * ROWS
