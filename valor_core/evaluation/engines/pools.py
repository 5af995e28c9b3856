"""Run partitions on a thread or process pool."""

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

_MOST_ON_WINDOWS = 61  # limit of `WaitForMultipleObjects`, less two handles of the pool
_INTERVAL = 0.2  # seconds between two progress reports
_GRACE = 5.0  # seconds that running partitions have after a stop


@frozen(eq=False)
class _SharedControl:
    """Control of a run shared with its worker processes."""

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
    """Run of partitions on a pool, with a limit on submitted partitions.

    Parameters
    ----------
    work : PartitionTask
        Task to run.
    submit : callable
        Submits a partition to the pool.
    workers : int
        Number of workers.
    shared : _SharedControl, optional
        Control shared with worker processes.
    """

    work: PartitionTask
    submit: Callable[[Partition], Future[EvaluationState]]
    workers: int
    shared: _SharedControl | None = None
    running: dict[Future[EvaluationState], Partition] = field(factory=dict, init=False)
    _reported: int = field(default=0, init=False)

    def states(self, partitions: Sequence[Partition]) -> Iterator[EvaluationState]:
        """Yield states as partitions finish; after a stop, those of the running partitions."""
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
                "engine: a worker process crashed, it may have run out of memory; "
                f"running partitions: {names}",
                "Use fewer workers or smaller partitions; in a script, call it under "
                '`if __name__ == "__main__":`.',
            ) from error
        finally:
            for future in self.running:
                future.cancel()

    def _finished(self, until: float | None) -> list[EvaluationState]:
        """Wait for the next finished partitions; return no states after the time `until`."""
        while self.running:
            self._report_scored()
            done = wait(self.running, _INTERVAL, return_when=FIRST_COMPLETED).done
            if done:
                found = [_result(future, self.running[future]) for future in done]
                self.running = {one: part for one, part in self.running.items() if one not in done}
                return found
            if until is not None and monotonic() > until:
                return []
        return []

    def _rest(self) -> Iterator[EvaluationState]:
        """Yield states of the partitions that were running at a stop.

        Wait up to 5 s for processes: a resumed run counts their partitions again. Threads cannot
        be killed, so wait until they finish.
        """
        until = None
        if self.shared is not None:
            self.shared.stop(STOPPED_BY_USER)
            until = monotonic() + _GRACE
        for future in list(self.running):
            if future.cancel():
                del self.running[future]
        while finished := self._finished(until):
            yield from finished

    def _report_scored(self) -> None:
        """Report items scored in worker processes."""
        if self.shared is not None and self.shared.counter.value > self._reported:
            before, self._reported = self._reported, self.shared.counter.value
            self.work.control.scored(self._reported - before)


def _result(future: Future[EvaluationState], partition: Partition) -> EvaluationState:
    try:
        return future.result()
    except (ValorError, BrokenProcessPool):
        raise
    except Exception as error:  # the state or error of a worker may not pickle
        raise PartitionError(f"{partition.name}: {type(error).__name__}: {error}") from error


class _Worker(SpawnProcess):
    """Process that starts with SIGINT and SIGTERM blocked; the run stops it with its control.

    A terminal sends Ctrl-C to all processes, and some systems SIGTERM. A starting process would
    die from it and break the pool. The child inherits the mask; this process receives blocked
    signals after the start.
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
    """Spawn context that keeps its processes, so that a run can kill them."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """Create a process without starting it."""
        process = _Worker(*arguments, **options)
        self.made.append(process)
        return process


def count_in_threads(
    work: PartitionTask, partitions: Sequence[Partition], workers: int, resources: Resources
) -> Iterator[EvaluationState]:
    """Count partitions in threads of this process.

    Parameters
    ----------
    work : PartitionTask
        Task to run.
    partitions : sequence of Partition
        Partitions to count.
    workers : int
        Number of threads.
    resources : mapping of str to object
        Opened resources, shared by the threads.
    """
    executor = ThreadPoolExecutor(workers)
    run = _PoolRun(work, lambda partition: executor.submit(work, partition, resources), workers)
    try:
        yield from run.states(partitions)
    finally:
        executor.shutdown(cancel_futures=True)


def count_in_processes(
    work: PartitionTask, partitions: Sequence[Partition], workers: int
) -> Iterator[EvaluationState]:
    """Count partitions in spawned processes.

    Parameters
    ----------
    work : PartitionTask
        Task to run. Must be picklable.
    partitions : sequence of Partition
        Partitions to count.
    workers : int
        Number of processes.
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
    run = _PoolRun(
        work, lambda partition: executor.submit(count_partition, partition), workers, control
    )
    try:
        yield from run.states(partitions)
        # Waiting for partitions that still run after a stop would hang.
        executor.shutdown(wait=not run.running)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in context.made:
            if process.is_alive():
                process.kill()
                process.join()


def _start(packed: bytes, control: _SharedControl, started: Any, workers: int) -> None:
    """Make this process a worker with its share of the limits."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    with started.get_lock():
        number = started.value
        started.value += 1
    start_worker(packed, Share(number, workers), control)


def _exit_with_parent() -> None:
    """Exit when the parent process ends, even if it was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
