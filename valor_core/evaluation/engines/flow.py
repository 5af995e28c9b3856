"""Flow: partitions on their way through the threads or processes of this machine."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from itertools import islice
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from time import monotonic, process_time
from typing import Any, Protocol

from attrs import define, evolve, field, frozen

from valor_core.errors import EngineError, PartitionError, ValorError
from valor_core.evaluation.engines.ahead import ReadAhead
from valor_core.evaluation.engines.control import BY_THE_USER
from valor_core.evaluation.engines.engine import Work
from valor_core.evaluation.engines.worker import check_guarded, count_partition, start_worker
from valor_core.evaluation.resources.open_resources import Share
from valor_core.evaluation.tally import Tally
from valor_core.kernels.threads import thread_count
from valor_core.metrics.state import Resources
from valor_core.readers.partition import Partition

_MOST_ON_WINDOWS = 61  # processes that it can wait for at a time
_LOOK = 0.2  # seconds between two looks at how many items have been scored
_GRACE = 5.0  # seconds that processes under way have after an interrupt
_FREE = 0.5  # of a core, that a process which is started needs to gain something
_WORTH_A_PROCESS = 1.0  # seconds that this one would take for the rest; it starts in half of them


@frozen(eq=False)
class _SharedControl:
    """The control of a run as its worker processes have it."""

    event: Any
    counter: Any

    @property
    def stopped(self) -> str | None:
        return BY_THE_USER if self.event.is_set() else None

    def stop(self, reason: str) -> None:
        self.event.set()

    def scored(self, count: int) -> None:
        with self.counter.get_lock():
            self.counter.value += count


class _Places(Protocol):
    """Where partitions are counted."""

    @property
    def room(self) -> int:
        """How many partitions may be there at a time, counted or next."""

    @property
    def elsewhere(self) -> _SharedControl | None:
        """The control that those on other processes have."""

    def submit(self, partition: Partition) -> Future[Tally]:
        """Give a partition to one of them."""

    def look(self, counted: int, left: int) -> bool:
        """Look at how far the run is; whether to look again before something is finished."""


@define
class _Flow:
    """Partitions on their way through threads or processes, as many at a time as have room.

    Parameters
    ----------
    work : Work
        What is carried out.
    places : _Places
        Where.
    """

    work: Work
    places: _Places
    running: dict[Future[Tally], Partition] = field(factory=dict, init=False)
    _told: int = field(default=0, init=False)

    def tallies(self, partitions: Sequence[Partition]) -> Iterator[Tally]:
        """Tallies as they are finished; after an interrupt, those of what is under way."""
        waiting, begun = iter(partitions), 0
        finished: list[Tally] = []
        try:
            while True:
                try:
                    if not self.work.control.stopped:
                        counted = begun - len(self.running)
                        again = self.places.look(counted, len(partitions) - begun)
                        free = max(self.places.room - len(self.running), 0)
                        for partition in islice(waiting, free):
                            self.running[self.places.submit(partition)] = partition
                            begun += 1
                        finished = self._finished(monotonic() if again else None)
                except KeyboardInterrupt:
                    self.work.control.stop(BY_THE_USER)
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

    def _finished(self, until: float | None) -> list[Tally]:
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

    def _rest(self) -> Iterator[Tally]:
        """Tallies of what was under way when the run was stopped, for as long as is decent.

        Threads cannot be ended, so that they are waited for. Of processes that count on, nothing
        is lost but counts that the same command counts again.
        """
        until = None
        if self.places.elsewhere is not None:
            self.places.elsewhere.stop(BY_THE_USER)
            until = monotonic() + _GRACE
        for future in list(self.running):
            if future.cancel():
                del self.running[future]
        while finished := self._finished(until):
            yield from finished

    def _tell(self) -> None:
        """Pass on how many items have been scored elsewhere."""
        shared = self.places.elsewhere
        if shared is not None and shared.counter.value > self._told:
            told, self._told = self._told, shared.counter.value
            self.work.control.scored(self._told - told)


def _result(future: Future[Tally], partition: Partition) -> Tally:
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
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
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


@define
class _Threads:
    """Threads of this process."""

    work: Work
    resources: Resources
    workers: int
    executor: ThreadPoolExecutor = field(init=False)
    elsewhere: None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.executor = ThreadPoolExecutor(self.workers)

    @property
    def room(self) -> int:
        return self.workers + 1

    def submit(self, partition: Partition) -> Future[Tally]:
        return self.executor.submit(self.work, partition, self.resources)

    def look(self, counted: int, left: int) -> bool:
        return False

    def close(self) -> None:
        self.executor.shutdown(cancel_futures=True)


@define
class _Processes:
    """Processes of this machine, begun with their first partitions."""

    packed: bytes
    workers: int
    elsewhere: _SharedControl = field(init=False)
    _executor: ProcessPoolExecutor = field(init=False)
    _context: _Spawn = field(init=False)

    def __attrs_post_init__(self) -> None:
        if sys.platform == "win32":
            self.workers = min(self.workers, _MOST_ON_WINDOWS)
        self._context = _Spawn()
        self.elsewhere = _SharedControl(self._context.Event(), self._context.Value("q", 0))
        started = self._context.Value("q", 0)
        self._executor = ProcessPoolExecutor(
            self.workers,
            mp_context=self._context,
            initializer=_start,
            initargs=(self.packed, self.elsewhere, started, self.workers),
        )

    @property
    def room(self) -> int:
        return self.workers + 1

    def submit(self, partition: Partition) -> Future[Tally]:
        return self._executor.submit(count_partition, partition)

    def look(self, counted: int, left: int) -> bool:
        return False

    def close(self, *, idle: bool) -> None:
        """End the processes; those that have nothing to do may end by themselves."""
        try:
            if idle:
                self._executor.shutdown()
        finally:
            self._executor.shutdown(wait=False, cancel_futures=True)
            for process in self._context.made:
                if process.is_alive():
                    process.kill()
                    process.join()


@define
class _HereFirst:
    """A thread of this process that counts, and other processes from when they gain something.

    To start a process takes as long as many a run. This one counts on meanwhile, so that starting
    others costs no time. None is started for a rest that is soon counted here, nor while the cores
    are busy, as with tables, which several threads read ahead.
    """

    here: _Threads
    ahead: ReadAhead
    packed: bytes
    workers: int
    others: _Processes | None = field(default=None, init=False)
    _own: list[Future[Tally]] = field(factory=list, init=False)
    _since: float = field(factory=monotonic, init=False)
    _looked: tuple[float, float] | None = field(default=None, init=False)

    @property
    def room(self) -> int:
        return self.ahead.width + 1 if self.others is None else self.workers + 1

    @property
    def elsewhere(self) -> _SharedControl | None:
        return None if self.others is None else self.others.elsewhere

    def submit(self, partition: Partition) -> Future[Tally]:
        self._own = [future for future in self._own if not future.done()]
        if self.others is not None and self._own:
            return self.others.submit(partition)
        if self.others is None:
            self.ahead.begin(partition)
        self._own.append(self.here.submit(partition))
        return self._own[-1]

    def look(self, counted: int, left: int) -> bool:
        if self.others is None and left > 0 and self._has_free_core():
            passed = monotonic() - self._since
            if left * passed / max(counted, 1) > _WORTH_A_PROCESS:
                self.others = _Processes(self.packed, min(self.workers - 1, left))
        return self.others is None and left > 0

    def _has_free_core(self) -> bool:
        """Whether this process left a core to others since the look before; no at the first."""
        now = monotonic(), process_time()
        if self._looked is None or now[0] - self._looked[0] < _LOOK:
            self._looked = self._looked or now
            return False
        wall, busy = (new - old for new, old in zip(now, self._looked, strict=True))
        self._looked = now
        return busy < (thread_count() - _FREE) * wall

    def close(self, *, idle: bool) -> None:
        """End what was begun."""
        try:
            if self.others is not None:
                self.others.close(idle=idle)
        finally:
            self.ahead.close()
            self.here.close()


def count_in_threads(
    work: Work, partitions: Sequence[Partition], workers: int, resources: Resources
) -> Iterator[Tally]:
    """Tallies of partitions that threads of this process count.

    Parameters
    ----------
    work : Work
        What is carried out.
    partitions : sequence of Partition
        What is counted.
    workers : int
        How many threads there are.
    resources : mapping of str to object
        Opened resources, which the threads share.
    """
    threads = _Threads(work, resources, workers)
    try:
        yield from _Flow(work, threads).tallies(partitions)
    finally:
        threads.close()


def count_in_processes(
    work: Work, partitions: Sequence[Partition], workers: int, *, here_first: bool = False
) -> Iterator[Tally]:
    """Tallies of partitions that processes of this machine count.

    Parameters
    ----------
    work : Work
        What is carried out; it pickles.
    partitions : sequence of Partition
        What is counted.
    workers : int
        How many processes there are.
    here_first : bool
        Whether this process is one of them, and the only one until others gain something; for
        work that needs no resources, whose budgets all share from the beginning.
    """
    check_guarded()
    packed = work.packed()
    places: _Processes | _HereFirst
    if here_first:
        ahead = ReadAhead.of(work.reader, partitions)
        here = _Threads(evolve(work, reader=ahead) if ahead.width else work, {}, 1)
        places = _HereFirst(here, ahead, packed, workers)
    else:
        places = _Processes(packed, workers)
    flow, idle = _Flow(work, places), False
    try:
        yield from flow.tallies(partitions)
        idle = not flow.running
    finally:
        places.close(idle=idle)


def _start(packed: bytes, control: _SharedControl, started: Any, workers: int) -> None:
    """Make this process a worker with its share of the budgets."""
    for number in (signal.SIGINT, signal.SIGTERM):
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
