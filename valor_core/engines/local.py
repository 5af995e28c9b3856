"""The engine on this machine: serially, in threads or in processes."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import ExitStack
from itertools import islice
from multiprocessing import current_process, parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.util import Finalize
from typing import Any, Literal

from attrs import frozen

from valor_core.engines import Work
from valor_core.errors import EngineError, PartitionError, ValorError
from valor_core.parameters import Within, parameter, parameters
from valor_core.reading import Partition
from valor_core.resources import opened
from valor_core.state import Resources
from valor_core.tally import Tally

_MOST_ON_WINDOWS = 61  # processes that it can wait for at a time
_ELSEWHERE = "Move it to a module, or use engine: {mode: threads}."
_GUARD = 'Call it under `if __name__ == "__main__":`, or use engine: {mode: threads}.'


@parameters
class LocalParameters:
    """Parameters of the local engine."""

    mode: Literal["auto", "serial", "threads", "processes"] = parameter(
        default="auto",
        help="Where partitions are counted; auto is serial with one worker or one partition, "
        "else processes.",
    )
    workers: int | None = parameter(
        default=1,
        help="How many partitions are in flight; null is one for each core.",
        check=Within(1),
    )


@frozen
class LocalEngine:
    """Counts partitions on this machine.

    At most `workers` + 1 partitions are in flight, which bounds the memory whatever the source.
    Processes are spawned, so work starts from a clean interpreter on every platform.
    """

    parameters: LocalParameters
    parameters_class = LocalParameters

    def map(self, work: Work, partitions: Sequence[Partition]) -> Iterator[Tally]:
        """One tally for each partition, as they are finished."""
        workers = min(self.parameters.workers or os.cpu_count() or 1, max(len(partitions), 1))
        mode = self.parameters.mode
        if mode == "auto":
            mode = "serial" if workers == 1 else "processes"
        if mode == "processes":
            yield from _in_processes(work, partitions, workers)
            return
        with opened(work.evaluation.resources) as resources:
            if mode == "serial":
                for partition in partitions:
                    yield work(partition, resources)
            else:
                with ThreadPoolExecutor(workers) as executor:
                    yield from _flow(
                        lambda partition: executor.submit(work, partition, resources),
                        partitions,
                        workers,
                    )


def _flow(
    submit: Callable[[Partition], Future[Tally]], partitions: Sequence[Partition], workers: int
) -> Iterator[Tally]:
    """Tallies as they are finished, with no more partitions in flight than workers can take."""
    waiting = iter(partitions)
    running: dict[Future[Tally], Partition] = {}
    try:
        while True:
            for partition in islice(waiting, workers + 1 - len(running)):
                running[submit(partition)] = partition
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield _result(future, running[future])
                del running[future]
    except BrokenProcessPool as error:
        names = ", ".join(sorted(partition.name for partition in running.values()))
        raise EngineError(
            "engine: a worker process ended without an answer, it may have run out of memory; "
            f"in flight were {names}",
            "Use fewer workers or smaller partitions; in a script, call it under "
            '`if __name__ == "__main__":`.',
        ) from error
    finally:
        for future in running:
            future.cancel()


def _result(future: Future[Tally], partition: Partition) -> Tally:
    try:
        return future.result()
    except (ValorError, BrokenProcessPool):
        raise
    except Exception as error:  # what a worker counted or raised may not pickle
        raise PartitionError(f"{partition.name}: {type(error).__name__}: {error}") from error


class _Spawn(SpawnContext):
    """Starts processes afresh and remembers them, so that a run can end its own."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """A process, not started yet."""
        process = SpawnProcess(*arguments, **options)
        self.made.append(process)
        return process


def _in_processes(work: Work, partitions: Sequence[Partition], workers: int) -> Iterator[Tally]:
    if sys.platform == "win32":
        workers = min(workers, _MOST_ON_WINDOWS)
    if getattr(current_process(), "_inheriting", False):
        raise EngineError("engine: a worker process runs the script that started it again", _GUARD)
    context = _Spawn()
    executor = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_start, initargs=(_pickled(work),)
    )
    try:
        yield from _flow(lambda partition: executor.submit(_count, partition), partitions, workers)
        executor.shutdown()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in context.made:
            if process.is_alive():
                process.terminate()
                process.join()


def _pickled(work: Work) -> bytes:
    for metric in work.evaluation.plan.metrics:
        if metric.spec.implementation.startswith("__main__:"):
            raise EngineError(
                f"{metric.spec.name}: a metric made in __main__ cannot run in other processes",
                _ELSEWHERE,
            )
    try:
        return pickle.dumps(work)
    except Exception as error:
        raise EngineError(
            f"engine: the work cannot be sent to other processes, {type(error).__name__}: {error}",
            _ELSEWHERE,
        ) from error


_pickled_work = b""
_work: Work | None = None
_resources: Resources = {}


def _start(pickled: bytes) -> None:
    """Prepare a worker process; `_count` unpacks its work, since it can answer with an error."""
    global _pickled_work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    _pickled_work = pickled


def _end_with_the_run() -> None:
    """End this worker when the process that started it is gone, even if that one was killed."""
    run = parent_process()
    if run is not None:
        run.join()
        os._exit(1)


def _count(partition: Partition) -> Tally:
    """Count a partition in a worker process, which has its own instance of every resource."""
    global _work, _resources
    if _work is None:
        exits = ExitStack()
        work: Work = pickle.loads(_pickled_work)
        _resources = exits.enter_context(opened(work.evaluation.resources))
        Finalize(None, exits.close, exitpriority=10)
        _work = work
    return _work(partition, _resources)
