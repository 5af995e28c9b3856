"""Flow: partitions on their way through the threads or processes of this machine."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from itertools import islice
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from time import monotonic
from typing import Any

from attrs import define, field, frozen

from valor_core.cancellation import STOP_SIGNALS, STOPPED_BY_USER
from valor_core.errors import EngineError, PartitionError, ValorError
from valor_core.evaluation.engines.engine import PartitionTask
from valor_core.evaluation.engines.worker import check_main_guard, count_partition, start_worker
from valor_core.evaluation.state import EvaluationState
from valor_core.readers.partition import Partition
from valor_core.resources.opening import Share
from valor_core.states.state import Resources

_MOST_ON_WINDOWS = 61  # processes that it can wait for at a time
_LOOK = 0.2  # seconds between two looks at how many items have been scored
_GRACE = 5.0  # seconds that processes under way have after an interrupt


@frozen(eq=False)
class _SharedControl:
    """The control of a run as its worker processes have it."""

    event: Any
    counter: Any

    @property
    def stopped(self) -> str | None:
        return STOPPED_BY_USER if self.event.is_set() else None

    def stop(self, reason: str) -> None:
        self.event.set()

    def scored(self, count: int) -> None:
        with self.counter.get_lock():
            self.counter.value += count


@define
class _PoolRun:
    """Partitions on their way through workers, no more at a time than these can take.

    Parameters
    ----------
    work : PartitionTask
        What is carried out.
    submit : callable
        Gives a partition to a worker.
    workers : int
        How many there are.
    elsewhere : _SharedControl, optional
        The control that workers on other processes have.
    """

    work: PartitionTask
    submit: Callable[[Partition], Future[EvaluationState]]
    workers: int
    elsewhere: _SharedControl | None = None
    running: dict[Future[EvaluationState], Partition] = field(factory=dict, init=False)
    _told: int = field(default=0, init=False)

    def states(self, partitions: Sequence[Partition]) -> Iterator[EvaluationState]:
        """Tallies as they are finished; after an interrupt, those of what is under way."""
        waiting = iter(partitions)
        finished: list[EvaluationState] = []
        try:
            while True:
                try:
                    if not self.work.control.stopped:
                        for partition in islice(waiting, self.workers + 1 - len(self.running)):
                            self.running[self.submit(partition)] = partition
                        finished = self._finished(None)
                except KeyboardInterrupt:
                    self.work.control.stop(STOPPED_BY_USER)
                if self.work.control.stopped:
                    yield from self._rest()
                    return
                yield from finished
                if not finished and not self.running:
                    return
        except BrokenProcessPool as error:
            names = ", ".join(sorted(partition.name for partition in self.running.values()))
            raise EngineError(
                "engine: a worker process ended without an answer, it may have run out of memory; "
                f"in flight were {names}",
                "Use fewer workers or smaller partitions; in a script, call it under "
                '`if __name__ == "__main__":`.',
            ) from error
        finally:
            for future in self.running:
                future.cancel()

    def _finished(self, until: float | None) -> list[EvaluationState]:
        """The tallies of what is finished next, or of nothing if that takes too long."""
        while self.running:
            self._tell()
            done = wait(self.running, _LOOK, return_when=FIRST_COMPLETED).done
            if done:
                found = [_result(future, self.running[future]) for future in done]
                self.running = {one: part for one, part in self.running.items() if one not in done}
                return found
            if until is not None and monotonic() > until:
                return []
        return []

    def _rest(self) -> Iterator[EvaluationState]:
        """Tallies of what was under way when the run was stopped, for as long as is decent.

        Threads cannot be ended, so that they are waited for. Of processes that count on, nothing
        is lost but counts that the same command counts again.
        """
        until = None
        if self.elsewhere is not None:
            self.elsewhere.stop(STOPPED_BY_USER)
            until = monotonic() + _GRACE
        for future in list(self.running):
            if future.cancel():
                del self.running[future]
        while finished := self._finished(until):
            yield from finished

    def _tell(self) -> None:
        """Pass on how many items have been scored elsewhere."""
        if self.elsewhere is not None and self.elsewhere.counter.value > self._told:
            told, self._told = self._told, self.elsewhere.counter.value
            self.work.control.scored(self._told - told)


def _result(future: Future[EvaluationState], partition: Partition) -> EvaluationState:
    try:
        return future.result()
    except (ValorError, BrokenProcessPool):
        raise
    except Exception as error:  # what a worker counted or raised may not pickle
        raise PartitionError(f"{partition.name}: {type(error).__name__}: {error}") from error


class _Worker(SpawnProcess):
    """A process that no signal reaches from its first moment on: the run tells it to stop.

    A terminal sends Ctrl-C to all processes, and some systems SIGTERM. One that is being started
    would die of it, and with it the pool. What is blocked here stays so in the new process, and
    reaches this one when it is started.
    """

    def start(self) -> None:
        if not hasattr(signal, "pthread_sigmask"):
            super().start()
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Spawn(SpawnContext):
    """Starts processes afresh and remembers them, so that a run can end its own."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """A process, not started yet."""
        process = _Worker(*arguments, **options)
        self.made.append(process)
        return process


def count_in_threads(
    work: PartitionTask, partitions: Sequence[Partition], workers: int, resources: Resources
) -> Iterator[EvaluationState]:
    """Tallies of partitions that threads of this process count.

    Parameters
    ----------
    work : PartitionTask
        What is carried out.
    partitions : sequence of Partition
        What is counted.
    workers : int
        How many threads there are.
    resources : mapping of str to object
        Opened resources, which the threads share.
    """
    executor = ThreadPoolExecutor(workers)
    flow = _PoolRun(work, lambda partition: executor.submit(work, partition, resources), workers)
    try:
        yield from flow.states(partitions)
    finally:
        executor.shutdown(cancel_futures=True)


def count_in_processes(
    work: PartitionTask, partitions: Sequence[Partition], workers: int
) -> Iterator[EvaluationState]:
    """Tallies of partitions that processes of this machine count.

    Parameters
    ----------
    work : PartitionTask
        What is carried out; it pickles.
    partitions : sequence of Partition
        What is counted.
    workers : int
        How many processes there are.
    """
    if sys.platform == "win32":
        workers = min(workers, _MOST_ON_WINDOWS)
    check_main_guard()
    context = _Spawn()
    control = _SharedControl(context.Event(), context.Value("q", 0))
    executor = ProcessPoolExecutor(
        workers,
        mp_context=context,
        initializer=_start,
        initargs=(work.packed(), control, context.Value("q", 0), workers),
    )
    flow = _PoolRun(
        work, lambda partition: executor.submit(count_partition, partition), workers, control
    )
    try:
        yield from flow.states(partitions)
        executor.shutdown(wait=not flow.running)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in context.made:
            if process.is_alive():
                process.kill()
                process.join()


def _start(packed: bytes, control: _SharedControl, started: Any, workers: int) -> None:
    """Make this process a worker with its share of the budgets."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    with started.get_lock():
        number = started.value
        started.value += 1
    start_worker(packed, Share(number, workers), control)


def _end_with_the_run() -> None:
    """End this worker when the process that started it is gone, even if that one was killed."""
    run = parent_process()
    if run is not None:
        run.join()
        os._exit(1)
