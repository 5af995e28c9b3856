from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_classification.readers.arrays import from_arrays

from valor_core import Evaluator, Registry, Report, Result
from valor_core.errors import SchemaError
from valor_core.evaluation import Evaluation, EvaluationState, Plan
from valor_core.evaluation.batch_buffer import _FULL, _MOST, BatchBuffer
from valor_core.parameters import NoParameters
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.schemas.text import Text, TextBatch
from valor_core.specs import MetricSpec, Range
from valor_core.states import State, StateRequest

METRICS = [
    {"name": "Accuracy", "score_thresholds": [None, 0.5]},
    {"name": "F1", "average": "none"},
    {"name": "DetailedPrecisionRecallCurve", "max_examples": 2},
    "ROCAUC",
    "ConfusionMatrix",
]
ROWS = 40


class PickyState(State):
    """Counts items and refuses some batches, as a stranger's state may."""

    def __init__(self) -> None:
        self.count = 0

    def update(self, batch: Any) -> None:
        if len(batch) == 2:
            raise SchemaError("scores: expected no batch of 2")
        self.count += len(batch)

    def merge(self, other: PickyState) -> None:
        self.count += other.count


class Picky:
    def __init__(self, parameters: NoParameters) -> None:
        self.parameters = parameters

    def needs(self) -> tuple[StateRequest, ...]:
        return (StateRequest(PickyState),)

    def compute(self, state: PickyState) -> Iterator[Result]:
        yield Result(value=state.count)


PICKY = MetricSpec(
    name="mylab.Picky",
    task="classification",
    summary="Number of items.",
    parameters=NoParameters,
    implementation=f"{__name__}:Picky",
    higher_is_better=None,
    range=Range(0, None),
    references=(),
)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Items of every batch that any evaluator counts."""
    lengths: list[int] = []
    count = Evaluation.update

    def update(self: Evaluation, state: Any, batch: Any, resources: Any) -> None:
        lengths.append(len(batch))
        count(self, state, batch, resources)

    monkeypatch.setattr(Evaluation, "update", update)
    return lengths


@cache
def arrays() -> tuple[Any, Any]:
    generator = np.random.default_rng(7)
    return generator.integers(0, 3, ROWS), generator.integers(0, 5, (ROWS, 3)) / 4


def matrices(rows: slice, **options: Any) -> ClassificationBatch:
    truths, scores = arrays()
    return from_arrays(truths[rows], scores[rows], **options)


def named(rows: slice) -> ClassificationBatch:
    return matrices(rows, uids=[f"img_{i}" for i in range(ROWS)[rows]])


def of_two_types(rows: slice) -> ClassificationBatch:
    truths, scores = arrays()
    kind = np.float32 if rows.start % 2 else np.float64
    return from_arrays(truths[rows], scores[rows].astype(kind))


def indicators(rows: slice) -> ClassificationBatch:
    _, scores = arrays()
    return from_arrays((scores > 0.5).astype(int)[rows], scores[rows])


def objects(rows: slice) -> ClassificationBatch:
    """Lists, whose labels are numbered in another order from batch to batch."""
    truths, scores = arrays()
    return ClassificationBatch.of(
        Classification(
            i, f"class {truths[i]}", {f"class {c}": scores[i, c] for c in range(3) if (i + c) % 4}
        )
        for i in range(ROWS)[rows]
    )


@pytest.mark.parametrize("made", [matrices, named, of_two_types, indicators, objects])
@given(cuts=st.sets(st.integers(0, ROWS)))
def test_small_batches_give_same_results(
    made: Callable[[slice], ClassificationBatch], cuts: set[int]
) -> None:
    parts = Evaluator(METRICS, "classification")
    for first, last in pairwise([0, *sorted(cuts), ROWS]):
        parts.update(made(slice(first, last)))

    assert parts.compute() == whole_of(made)


@cache
def whole_of(made: Callable[[slice], ClassificationBatch]) -> Report:
    evaluator = Evaluator(METRICS, "classification")
    evaluator.update(made(slice(0, ROWS)))
    return evaluator.compute()


def test_small_batches_are_joined(counted: list[int]) -> None:
    evaluator = Evaluator(METRICS, "classification")
    for row in range(ROWS):
        evaluator.update(matrices(slice(row, row + 1)))

    assert counted == []
    assert evaluator.compute().counts["read"] == ROWS
    assert counted == [ROWS]


def test_buffered_batch_is_copied() -> None:
    truths, scores = (array.copy() for array in arrays())
    evaluator, wanted = Evaluator(METRICS, "classification"), Evaluator(METRICS, "classification")
    wanted.update(from_arrays(truths, scores))
    true, predicted = truths[:10].copy(), scores[:10].copy()
    for start in range(0, ROWS, 10):
        true[:], predicted[:] = truths[start : start + 10], scores[start : start + 10]
        evaluator.update(from_arrays(true, predicted))

    assert evaluator.compute() == wanted.compute()


def test_buffer_is_bounded(counted: list[int]) -> None:
    evaluator = Evaluator(["Accuracy"], "classification")
    batch = from_arrays(np.zeros(2000, int), np.ones((2000, 10)))
    most = -(-_FULL // batch.nbytes)
    for _ in range(3 * most):
        evaluator.update(batch)

    assert counted == [most * 2000] * 3


def test_large_batch_is_counted_after_buffer(counted: list[int]) -> None:
    evaluator = Evaluator(["Accuracy"], "classification")
    thin = matrices(slice(0, 4))
    large = from_arrays(np.zeros(90_000, int), np.ones((90_000, 2)))
    for batch in (thin, large, thin):
        evaluator.update(batch)

    assert counted == [4, 90_000]
    assert evaluator.compute().counts["read"] == 90_008


def test_filtered_batches_are_not_buffered(counted: list[int]) -> None:
    evaluator = Evaluator(["Accuracy"], "classification", filter="uid == 'img_3'")
    evaluator.update(named(slice(0, 5)))

    assert counted == [5]


def test_batches_with_metadata_are_sliced(counted: list[int]) -> None:
    evaluator = Evaluator(["Accuracy"], "classification", slices=["weather"])
    for weather in ("sun", "rain"):
        evaluator.update(matrices(slice(0, 2), metadata={"weather": [weather] * 2}))

    assert counted == [2, 2]
    assert [one[0].slice for one in evaluator.compute().slices] == [
        {"weather": "rain"},
        {"weather": "sun"},
    ]


def test_repeated_item_is_reported_by_compute() -> None:
    evaluator = Evaluator(["Accuracy"], "classification")
    large = from_arrays(
        np.zeros(90_000, int), np.ones((90_000, 2)), uids=[f"big_{i}" for i in range(90_000)]
    )
    for batch in (named(slice(0, 3)), named(slice(2, 4)), large, named(slice(4, 5))):
        evaluator.update(batch)

    assert evaluator.state.read == 90_006
    for _ in range(2):
        with pytest.raises(
            SchemaError, match="item 'img_2': expected each uid once, found it 2 times"
        ):
            evaluator.compute()


def test_repeated_item_in_buffer_is_found() -> None:
    evaluator = Evaluator(["Accuracy"], "classification")
    for _ in range(2):
        evaluator.update(named(slice(0, 1)))

    with pytest.raises(SchemaError, match="item 'img_0': expected each uid once, found it 2 times"):
        evaluator.compute()


def test_uids_of_buffer_are_joined(counted: list[int]) -> None:
    evaluator = Evaluator(["Accuracy"], "classification")
    for row in range(ROWS):
        evaluator.update(named(slice(row, row + 1)))

    assert [uids.dtype.kind for uids in evaluator.state.uids] == ["S"]
    assert len(evaluator.state.uids[0]) == ROWS
    assert counted == [ROWS]


def test_batches_that_state_may_reject_are_not_buffered() -> None:
    # `Picky` does not say that it refuses nothing.
    evaluator = Evaluator([PICKY], registry=Registry())
    evaluator.update(matrices(slice(0, 3)))
    with pytest.raises(SchemaError, match="scores: expected no batch of 2"):
        evaluator.update(matrices(slice(0, 2)))
    evaluator.update(matrices(slice(0, 4)))

    assert evaluator.compute()["Picky"].value == 7


def waiting(rows: slice) -> Evaluator:
    evaluator = Evaluator(METRICS, "classification")
    evaluator.update(named(rows))
    return evaluator


def test_copy_includes_buffer() -> None:
    evaluator = waiting(slice(0, ROWS))

    for same in (pickle.loads(pickle.dumps(evaluator)), deepcopy(evaluator)):
        assert same.compute() == evaluator.compute()


def test_copy_continues_to_count() -> None:
    evaluator = waiting(slice(0, 15))
    evaluator.compute()

    for same in (pickle.loads(pickle.dumps(evaluator)), deepcopy(evaluator)):
        same.update(named(slice(15, ROWS)))
        assert same.compute() == waiting(slice(0, ROWS)).compute()
    assert evaluator.compute() == waiting(slice(0, 15)).compute()


def test_merge_includes_both_buffers() -> None:
    one, other = waiting(slice(0, 15)), waiting(slice(15, ROWS))
    one.merge(other)

    assert one.compute() == waiting(slice(0, ROWS)).compute()
    assert other.compute() == waiting(slice(15, ROWS)).compute()


def test_saved_state_includes_buffer(tmp_path: Path) -> None:
    waiting(slice(0, 15)).save(tmp_path / "state.npz")
    evaluator = waiting(slice(15, ROWS))
    evaluator.resume(tmp_path / "state.npz")

    assert evaluator.compute() == waiting(slice(0, ROWS)).compute()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
def test_buffer_is_counted_once_after_interrupt(
    stop: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluator = waiting(slice(0, ROWS))

    def update(*arguments: Any) -> None:
        raise stop

    with monkeypatch.context() as patch:
        patch.setattr(Evaluation, "update", update)
        with pytest.raises(stop):
            evaluator.compute()

    assert evaluator.compute() == waiting(slice(0, ROWS)).compute()


@pytest.mark.usefixtures("interruptible")
def test_interrupt_is_deferred_while_counts_are_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evaluator = waiting(slice(0, ROWS))
    take = EvaluationState.absorb

    def interrupted(self: EvaluationState, other: EvaluationState) -> None:
        signal.raise_signal(signal.SIGINT)
        take(self, other)

    with monkeypatch.context() as patch:
        patch.setattr(EvaluationState, "absorb", interrupted)
        with pytest.raises(KeyboardInterrupt):
            evaluator.compute()

    assert evaluator.compute() == waiting(slice(0, ROWS)).compute()


def test_threads_can_update_one_evaluator() -> None:
    evaluator = Evaluator(["Accuracy", "Counts"], "classification")
    large = from_arrays(np.zeros(40_000, int), np.ones((40_000, 2)))

    def work(number: int) -> None:
        for turn in range(100):
            evaluator.update(large if turn % 50 == 49 else matrices(slice(0, 4)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert evaluator.compute().counts["read"] == 4 * (98 * 4 + 2 * 40_000)


def test_report_during_updates_covers_complete_batches() -> None:
    evaluator = Evaluator(["Counts"], "classification", slices=["weather"])
    batch = matrices(slice(0, 4), metadata={"weather": ["sun", "rain"] * 2})

    def work(_: int) -> None:
        for _ in range(50):
            evaluator.update(batch)

    with ThreadPoolExecutor(2) as pool:
        working = [pool.submit(work, number) for number in range(2)]
        reports = [evaluator.compute() for _ in range(10)]
        for one in working:
            one.result()

    for report in (*reports, evaluator.compute()):
        assert report.counts["read"] % 4 == 0
        assert sum(map(counted_in, report.results)) == report.counts["read"] * 3
        for part in report.slices:
            assert sum(map(counted_in, part)) == report.counts["read"] * 3 / 2


def counted_in(result: Result) -> int:
    """Items that were counted for a label."""
    return sum(result.value.values()) if isinstance(result.value, dict) else 0


def test_mutual_merge_does_not_deadlock() -> None:
    one, other = waiting(slice(0, 15)), waiting(slice(15, ROWS))

    with ThreadPoolExecutor(2) as pool:
        merges = [pool.submit(one.merge, other), pool.submit(other.merge, one)]
        for merge in merges:
            merge.result(timeout=60)

    # Whichever was first, the second one got both.
    assert sorted([one.state.read, other.state.read]) in ([ROWS, ROWS + 15], [ROWS, 2 * ROWS - 15])


def test_batches_without_scores_fill_buffer(counted: list[int]) -> None:
    evaluator = Evaluator(["Accuracy"], "classification")
    for uid in range(2 * _MOST):
        evaluator.update([Classification(uid, "dog")])

    assert counted == [_MOST, _MOST]


def test_batch_of_another_task_is_not_buffered() -> None:
    evaluator = Evaluator(["Accuracy"], "classification")

    with pytest.raises(
        SchemaError, match="data: expected a batch of classification, got one of text"
    ):
        evaluator.update(TextBatch.of([Text("q1")]))


def test_unjoinable_batch_is_not_buffered() -> None:
    evaluation = Evaluation("text", Plan((), ()))

    assert not BatchBuffer().try_add(TextBatch.of([Text("q1")]), evaluation)
