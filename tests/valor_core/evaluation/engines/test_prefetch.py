from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field, frozen

from valor_core import Evaluator
from valor_core.errors import ReadError, SchemaError, ValorWarning
from valor_core.evaluation.engines import PartitionTask, local
from valor_core.evaluation.engines import prefetch as ahead
from valor_core.evaluation.engines.local import LocalEngine, LocalParameters
from valor_core.readers import Partition
from valor_core.schemas.text.batch import Text, TextBatch

LAB = Path(__file__).parents[3] / "plugins" / "lab"


@pytest.fixture(autouse=True)
def two_threads(install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    install("valor-lab", "lab", LAB)
    monkeypatch.setattr(ahead, "thread_count", lambda: 2)


@frozen
class Part(Partition):
    number: int
    may_be_read_ahead: bool = True

    @property
    def name(self) -> str:
        return f"part {self.number}"


@define
class Parts:
    """Partitions of two batches of an item each; notes what is begun, and on which thread."""

    count: int
    may_be_read_ahead: bool = True
    broken: int | None = None
    meeting: threading.Barrier | None = None
    begun: list[int] = field(factory=list)
    threads: set[str] = field(factory=set)

    def partitions(self) -> Sequence[Part]:
        return [Part(number, self.may_be_read_ahead) for number in range(self.count)]

    def read(self, partition: Part) -> Iterator[TextBatch]:
        self.begun.append(partition.number)
        self.threads.add(threading.current_thread().name)
        if self.meeting is not None:
            self.meeting.wait(timeout=60)
        if partition.number == self.broken:
            raise SchemaError("item 'x': expected a response", "Give it one.")
        for half in ("a", "b"):
            yield TextBatch.of([Text(f"{partition.number}{half}", response="x")])


def states(reader: Parts) -> Iterator[Any]:
    work = PartitionTask(Evaluator(["lab.LongShare"]).evaluation, reader)
    return LocalEngine(LocalParameters()).map(work, reader.partitions())


def test_two_partitions_are_read_at_a_time() -> None:
    # Each waits for another one that is being read.
    reader = Parts(4, meeting=threading.Barrier(2))

    counted = list(states(reader))

    assert [state.done for state in counted] == [[f"part {number}"] for number in range(4)]
    assert [state.read for state in counted] == [2, 2, 2, 2]


def test_at_most_one_partition_more_than_threads_is_prefetched() -> None:
    reader = Parts(20)
    for taken, _ in enumerate(states(reader), 1):
        assert len(reader.begun) <= taken + 2


def test_error_is_raised_when_its_partition_is_read() -> None:
    found = states(Parts(5, broken=2))

    assert [next(found).done, next(found).done] == [["part 0"], ["part 1"]]
    with pytest.raises(ReadError, match=r"^part 2: item 'x': expected a response"):
        next(found)


@pytest.mark.parametrize("reader", [Parts(4, may_be_read_ahead=False), Parts(1)])
def test_single_or_unsuitable_partition_is_not_prefetched(reader: Parts) -> None:
    list(states(reader))

    assert reader.threads == {threading.current_thread().name}


def test_processes_help_if_a_core_is_unused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks = [0.0, 0.0]
    monkeypatch.setattr(local, "monotonic", lambda: clocks[0])
    monkeypatch.setattr(local, "process_time", lambda: clocks[1])
    monkeypatch.setattr(local, "thread_count", lambda: 2)
    pace = local._Pace(count=10)
    pace._since = 0.0

    def needs_processes(wall: float, busy: float, counted: int) -> bool:
        clocks[:] = wall, busy
        return pace.needs_processes(counted)

    # The first look and one soon after it tell nothing.
    assert not needs_processes(1.0, 1.0, counted=1)
    assert not needs_processes(1.1, 1.0, counted=2)
    assert not needs_processes(2.0, 2.75, counted=3)  # 1.75 cores of 2 are busy
    assert needs_processes(3.0, 4.0, counted=4)  # 1.25 are, and the rest takes 4.5 seconds
    assert not needs_processes(4.0, 4.0, counted=9)  # the rest takes 0.44 seconds


def test_unstarted_workers_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "_WORTH_PROCESSES", 0.0)
    monkeypatch.setattr(local._Pace, "needs_processes", lambda self, counted: False)
    work = PartitionTask(Evaluator(["lab.LongShare"]).evaluation, Parts(3))
    engine = LocalEngine(LocalParameters(workers=2))

    with pytest.warns(ValorWarning, match="2 workers would not be faster, so none was started"):
        assert len(list(engine.map(work, work.reader.partitions()))) == 3
