"""The engine on this machine: serially, in threads or in processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import ExitStack
from itertools import islice
from multiprocessing.util import Finalize
from typing import Literal

from attrs import frozen

from valor_core.engines import Work
from valor_core.errors import EngineError
from valor_core.evaluation import Tally
from valor_core.parameters import Within, parameter, parameters
from valor_core.reading import Partition
from valor_core.resources import opened
from valor_core.state import Resources


@parameters
class LocalParameters:
    """Parameters of the local engine."""

    mode: Literal["auto", "serial", "threads", "processes"] = parameter(
        "auto",
        help="Where partitions are counted; auto is serial with one worker or one partition, "
        "else processes.",
    )
    workers: int | None = parameter(
        1, help="How many partitions are in flight; null is one for each core.", check=Within(1)
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
                    yield from _flow(executor, work, partitions, workers, resources)


def _flow(
    executor: Executor,
    work: Work,
    partitions: Sequence[Partition],
    workers: int,
    resources: Resources | None,
) -> Iterator[Tally]:
    """Tallies as they are finished, with no more partitions in flight than workers can take."""
    waiting = iter(partitions)
    running: set[Future[Tally]] = set()
    try:
        while True:
            for partition in islice(waiting, workers + 1 - len(running)):
                if resources is None:
                    running.add(executor.submit(_count, partition))
                else:
                    running.add(executor.submit(work, partition, resources))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
    finally:
        for future in running:
            future.cancel()


def _in_processes(work: Work, partitions: Sequence[Partition], workers: int) -> Iterator[Tally]:
    _refuse_main(work)
    before = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(work,),
    )
    try:
        yield from _flow(executor, work, partitions, workers, None)
        executor.shutdown()
    except BrokenProcessPool as error:
        raise EngineError(
            "engine: a worker process ended without an answer, it may have run out of memory",
            "Use fewer workers or smaller partitions.",
        ) from error
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
            child.join()


def _refuse_main(work: Work) -> None:
    for metric in work.evaluation.plan.metrics:
        if metric.spec.implementation.startswith("__main__:"):
            raise EngineError(
                f"{metric.spec.name}: a metric made in __main__ cannot run in other processes",
                "Move it to a module, or use engine: {mode: threads}.",
            )


_work: Work | None = None
_resources: Resources | None = None


def _start(work: Work) -> None:
    """Prepare a worker process: its work, and its own instance of every resource."""
    global _work, _resources
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exits = ExitStack()
    _work, _resources = work, exits.enter_context(opened(work.evaluation.resources))
    Finalize(None, exits.close, exitpriority=10)


def _count(partition: Partition) -> Tally:
    if _work is None or _resources is None:
        raise EngineError("engine: a worker process was not prepared")
    return _work(partition, _resources)
