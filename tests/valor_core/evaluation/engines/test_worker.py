from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any

import pytest
from attrs import evolve

import valor_core
from valor_core import evaluate
from valor_core.errors import EngineError
from valor_core.evaluation import Evaluator
from valor_core.evaluation.engines import (
    PartitionTask,
    Worker,
    check_versions,
    count_partition,
    start_worker,
)
from valor_core.evaluation.engines import worker as workers
from valor_core.parameters import parameter, parameters
from valor_core.readers import reader_of
from valor_core.resources import Share
from valor_core.resources.bound import BoundResource
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.specs import ResourceSpec


@parameters
class Budget:
    """Parameters of a judge."""

    calls: int | None = parameter(default=None, help="Most calls.")


ITEMS = [Text(f"q{i}", response="cat " * i) for i in range(1, 5)]


@pytest.fixture
def work(mylab: Any) -> Iterator[PartitionTask]:
    with Evaluator(["mylab.KnownWords"]) as evaluator:
        reader = reader_of([TextBatch.of([one]) for one in ITEMS], "text", evaluator.registry)
        yield PartitionTask(evaluator.evaluation, reader, evaluator.versions)


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_worker", None)


def test_worker_opens_resources_and_counts_partitions(work: PartitionTask) -> None:
    start_worker(work.packed())

    states = [count_partition(partition) for partition in work.reader.partitions()]

    assert [state.read for state in states] == [1, 1, 1, 1]
    assert [len(state.done) for state in states] == [1, 1, 1, 1]


def test_worker_without_share_rejects_divided_budget(work: PartitionTask) -> None:
    spec = ResourceSpec(
        name="mylab.judge",
        summary="A judge",
        parameters=Budget,
        implementation="builtins:repr",
        divided=("calls",),
    )

    def packed(calls: int | None) -> bytes:
        judge = BoundResource(spec, Budget(calls=calls), names=("judge",))
        bound = evolve(work.evaluation, resources=(*work.resources, judge))
        return evolve(work, evaluation=bound).packed()

    (first, *_) = work.reader.partitions()

    with pytest.raises(EngineError, match=r"expected the worker's share of judge\.calls"):
        Worker(packed(100)).count(first)
    assert Worker(packed(100), Share(1, 2)).count(first).read == 1
    assert Worker(packed(None)).count(first).read == 1


def test_worker_that_was_not_started_raises_error() -> None:
    with pytest.raises(EngineError, match="engine: no worker was started in this process"):
        count_partition(None)  # type: ignore[arg-type]


def test_worker_with_other_versions_is_rejected(
    work: PartitionTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(work.packed())
    monkeypatch.setattr(workers, "version_of", lambda name: "0.0")

    with pytest.raises(
        EngineError,
        match=r"engine: expected valor-core 0\.1\.0 on this worker as where the run was",
    ):
        worker.count(work.reader.partitions()[0])


def test_unpickling_error_has_remedy() -> None:
    with pytest.raises(
        EngineError, match="engine: this worker cannot unpack the evaluation, UnpicklingError"
    ):
        Worker(b"garbage").count(None)  # type: ignore[arg-type]


def test_metric_from_main_is_not_packed() -> None:
    @valor_core.metric("here.Zero", task="text")
    def zero(item: Any) -> float:
        return 0.0

    with Evaluator([zero]) as evaluator:
        work = PartitionTask(evaluator.evaluation, reader_of(ITEMS, "text", evaluator.registry))
        with pytest.raises(
            EngineError,
            match="evaluation cannot be sent to other processes, PicklingError:",
        ):
            work.packed()


def test_shares_of_limit_add_up() -> None:
    for whole in range(20):
        for of in range(1, 7):
            assert sum(Share(number, of).part(whole) for number in range(of + 2)) == whole


class PoolEngine:
    """An engine of a stranger."""

    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def map(self, work: PartitionTask, partitions: Any) -> Iterator[Any]:
        with ThreadPoolExecutor(1, initializer=start_worker, initargs=(work.packed(),)) as pool:
            for future in as_completed([pool.submit(count_partition, one) for one in partitions]):
                yield future.result()


def run_with(monkeypatch: pytest.MonkeyPatch, change: Any) -> valor_core.Report:
    class Changed(PoolEngine):
        def map(self, work: PartitionTask, partitions: Any) -> Iterator[Any]:
            yield from change(list(super().map(work, partitions)))

    with monkeypatch.context() as patched:
        patched.setattr("valor_core.specs.spec.EngineSpec.load", lambda spec: Changed)
        return evaluate([TextBatch.of([one]) for one in ITEMS], "mylab.KnownWords", engine="local")


@pytest.mark.usefixtures("mylab")
def test_merged_states_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    def merged(states: list[Any]) -> list[Any]:
        first, *others = states
        for other in others:
            first.absorb(other)
        return [first]

    whole = run_with(monkeypatch, merged)

    assert whole.results == run_with(monkeypatch, reversed).results
    assert whole.counts["read"] == 4


@pytest.mark.usefixtures("mylab")
def test_repeated_or_missing_partition_raises_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(
        EngineError, match="engine: expected each partition once, batch 0 was counted twice"
    ):
        run_with(monkeypatch, lambda states: [*states, states[0]])
    with pytest.raises(
        EngineError, match=r"a state of each partition, found none of batch \d \(an"
    ):
        run_with(monkeypatch, lambda states: states[:2])


@pytest.mark.usefixtures("mylab")
def test_worker_closes_resources_after_last_thread(
    work: PartitionTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    counting, go_on = threading.Event(), threading.Event()

    @contextmanager
    def opened(resources: Any, share: Any) -> Iterator[dict[str, Any]]:
        said.append("open")
        yield {}
        said.append("close")

    def slow(self: PartitionTask, partition: Any, resources: Any) -> str:
        counting.set()
        go_on.wait()
        said.append("counted")
        return "tally"

    monkeypatch.setattr(workers, "opened", opened)
    monkeypatch.setattr(PartitionTask, "__call__", slow)
    worker = Worker(work.packed())
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(worker.count, None) for _ in range(2)]  # type: ignore[arg-type]
        counting.wait()
        worker.close()
        assert said == ["open"]
        go_on.set()
        outcomes = [one.exception() or one.result() for one in both]

    assert "tally" in outcomes
    assert said[0] == "open"
    assert said[-1] == "close"
    assert said.count("open") == said.count("close") == 1
    with pytest.raises(EngineError, match="engine: this worker is closed"):
        worker.count(None)  # type: ignore[arg-type]


def test_version_error_names_worker(work: PartitionTask) -> None:
    found = dict.fromkeys(work.versions, "0.0")

    with pytest.raises(
        EngineError, match=r"engine: expected valor-core 0\.1\.0 on worker 7 as where the run was"
    ):
        check_versions(work, "worker 7", found)
