"""Peak memory of an evaluation, and memory of the states of a stream."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from valor_classification.kernels import KERNELS
from valor_classification.readers.arrays import from_arrays

from valor_core import Evaluator, evaluate

ITEMS, LABELS = 100_000, 10
DEFAULT_SET = (
    *("Accuracy", "Precision", "Recall", "F1", "ROCAUC"),
    *("PrecisionRecallCurve", "ConfusionMatrix"),
)


def data() -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    generator = np.random.default_rng(5)
    truths = generator.integers(0, LABELS, ITEMS)
    scores = generator.random((ITEMS, LABELS), dtype=np.float32)
    return truths, scores


def peak(work: Callable[[], object]) -> int:
    """Most bytes that were allocated at a time, of NumPy and of Python."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(KERNELS.library is None, reason="the reference copies the scores")
def test_the_default_set_takes_no_more_than_the_data_again() -> None:
    truths, scores = data()

    def work() -> object:
        return evaluate(from_arrays(truths, scores), list(DEFAULT_SET))

    work()
    assert peak(work) < truths.nbytes + scores.nbytes


@pytest.mark.parametrize(("bins", "most"), [(None, 12.0), (100, 0.5)])
def test_a_stream_keeps_few_bytes_a_score(bins: int | None, most: float) -> None:
    metric = {"name": "ROCAUC"} | ({} if bins is None else {"bins": bins})
    step, batches = 1_000, 400
    with Evaluator([metric], task="classification") as evaluator:
        tracemalloc.start()
        try:
            for _ in range(batches):
                generator = np.random.default_rng(1)
                truths = generator.integers(0, LABELS, step)
                scores = generator.random((step, LABELS), dtype=np.float32)
                evaluator.update(from_arrays(truths, scores))
            del truths, scores
            kept = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
    assert kept < most * batches * step * LABELS
