"""The engine on this machine: serially, in threads or in processes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from time import monotonic, process_time
from typing import Literal

from attrs import define, evolve, field, frozen

from valor_core.errors import ValorWarning
from valor_core.evaluation.engines.engine import PartitionTask
from valor_core.evaluation.engines.prefetch import ReadAhead
from valor_core.evaluation.state import EvaluationState
from valor_core.kernels.threads import thread_count
from valor_core.parameters.declaration import parameter, parameters
from valor_core.parameters.kinds import Within
from valor_core.readers.partition import Partition
from valor_core.resources.opening import opened

_WORTH_PROCESSES = 1.0
"""Seconds that the rest of a run takes at the least where processes, which start in half of
them, gain something."""
_FREE = 0.5
"""Part of a core that this process leaves unused where others gain something."""
_LOOK = 0.2
"""Seconds between two looks at the processor."""


@parameters
class LocalParameters:
    """Parameters of the local engine."""

    mode: Literal["auto", "serial", "threads", "processes"] = parameter(
        default="auto",
        help="Where several workers count; auto begins in this process, and goes on in others when "
        "that gains something. One worker, or one part, is always counted in this process.",
    )
    workers: int | None = parameter(
        default=1,
        help="How many partitions are in flight; null is one for each core.",
        check=Within(1),
    )


@frozen(repr=False)
class LocalEngine:
    """Counts partitions on this machine.

    At most `workers` + 1 partitions are in flight, and four more of a table, which are read ahead.
    This bounds the memory whatever the source. Processes are spawned, so work starts from a clean
    interpreter on every platform.
    """

    parameters: LocalParameters

    def map(
        self, work: PartitionTask, partitions: Sequence[Partition]
    ) -> Iterator[EvaluationState]:
        """One state for each partition, as they are finished."""
        workers = min(self.parameters.workers or os.cpu_count() or 1, max(len(partitions), 1))
        mode = "serial" if workers == 1 else self.parameters.mode
        if mode == "threads":
            from valor_core.evaluation.engines.pools import count_in_threads

            with opened(work.resources) as resources:
                yield from count_in_threads(work, partitions, workers, resources)
            return
        if mode == "auto" and not work.resources:
            work.packed()  # what cannot travel is refused however long the run takes
            partitions = yield from _count_here(work, partitions, _Pace(len(partitions), workers))
        elif mode == "serial":
            partitions = yield from _count_here(work, partitions)
        if partitions:
            from valor_core.evaluation.engines.pools import count_in_processes

            yield from count_in_processes(work, partitions, workers)


@define(repr=False)
class _Pace:
    """How fast a run goes in this process, and whether others would gain something.

    To start processes takes as long as many a run, and they gain nothing where this one keeps all
    cores busy, as it does where threads read tables ahead.
    """

    count: int
    workers: int = 2
    worth: float = field(factory=lambda: _WORTH_PROCESSES)
    _since: float = field(factory=monotonic, init=False)
    _looked: tuple[float, float] | None = field(default=None, init=False)

    def gains_by_others(self, counted: int) -> bool:
        """Whether other processes would gain something, after so many partitions."""
        rest = (monotonic() - self._since) / counted * (self.count - counted)
        return rest > self.worth and self._leaves_a_core()

    def report(self) -> None:
        """Warn that no other process was started, if the run took long enough to ask for some."""
        if monotonic() - self._since > self.worth:
            warnings.warn(
                f"engine: {self.workers} workers would gain nothing here, so none was started\n"
                "This process kept the cores busy: leave out workers",
                ValorWarning,
                stacklevel=2,
            )

    def _leaves_a_core(self) -> bool:
        """Whether a core was left unused since the look before; no at the first."""
        now = monotonic(), process_time()
        if self._looked is None or now[0] - self._looked[0] < _LOOK:
            self._looked = self._looked or now
            return False
        wall, busy = (new - old for new, old in zip(now, self._looked, strict=True))
        self._looked = now
        return busy < (thread_count() - _FREE) * wall


def _count_here(
    work: PartitionTask, partitions: Sequence[Partition], pace: _Pace | None = None
) -> Generator[EvaluationState, None, Sequence[Partition]]:
    """Tallies of this process, one after the other; then what is left for others."""
    with (
        opened(work.resources) as resources,
        closing(ReadAhead.of(work.reader, partitions)) as ahead,
    ):
        work = evolve(work, reader=ahead) if ahead.width else work
        for counted, partition in enumerate(ahead.in_order(partitions), 1):
            if work.control.stopped:
                break
            yield work(partition, resources)
            if pace is not None and pace.gains_by_others(counted):
                return partitions[counted:]
    if pace is not None and work.control.stopped is None:
        pace.report()
    return ()


def count_read_ahead(
    work: PartitionTask, partitions: Sequence[Partition], workers: int, worth: float
) -> Generator[EvaluationState, None, Sequence[Partition]]:
    """Count partitions that threads may read ahead with all cores, in this process.

    Parameters
    ----------
    work : PartitionTask
        What is carried out; nothing is counted here if it needs resources.
    partitions : sequence of Partition
        What has to be counted.
    workers : int
        Workers that would be started.
    worth : float
        Seconds that the rest takes at the least where starting them gains something.

    Returns
    -------
    sequence of Partition
        What is left for the workers.
    """
    if work.resources or not all(one.may_be_read_ahead for one in partitions):
        return partitions
    return (yield from _count_here(work, partitions, _Pace(len(partitions), workers, worth)))
