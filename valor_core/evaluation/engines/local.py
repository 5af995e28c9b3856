"""Local engine: counts serially, in threads or in processes."""

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
"""Remaining seconds of a run above which starting processes (about 0.5 s) pays off."""
_FREE = 0.5
"""Unused share of a core above which another process would help."""
_INTERVAL = 0.2
"""Minimum seconds between two measurements of the processor time."""


@parameters
class LocalParameters:
    """Parameters of the local engine."""

    mode: Literal["auto", "serial", "threads", "processes"] = parameter(
        default="auto",
        help="How several workers run. auto starts in this process and switches to others if that "
        "is faster. A single worker or partition always runs in this process.",
    )
    workers: int | None = parameter(
        default=1,
        help="Number of workers. null: one per core.",
        check=Within(1),
    )


@frozen(repr=False)
class LocalEngine:
    """Engine that counts partitions on this machine.

    To bound memory, at most `workers` + 1 partitions are in progress, plus four that are read
    ahead from tables. Processes are spawned, so each starts with a new interpreter on every
    platform.
    """

    parameters: LocalParameters

    def map(
        self, work: PartitionTask, partitions: Sequence[Partition]
    ) -> Iterator[EvaluationState]:
        """Yield one state per partition as they finish."""
        workers = min(self.parameters.workers or os.cpu_count() or 1, max(len(partitions), 1))
        mode = "serial" if workers == 1 else self.parameters.mode
        if mode == "threads":
            from valor_core.evaluation.engines.pools import count_in_threads

            with opened(work.resources) as resources:
                yield from count_in_threads(work, partitions, workers, resources)
            return
        if mode == "auto" and not work.resources:
            work.packed()  # fail early if the task cannot be pickled
            partitions = yield from _count_here(work, partitions, _Pace(len(partitions), workers))
        elif mode == "serial":
            partitions = yield from _count_here(work, partitions)
        if partitions:
            from valor_core.evaluation.engines.pools import count_in_processes

            yield from count_in_processes(work, partitions, workers)


@define(repr=False)
class _Pace:
    """Speed of a run in this process, used to decide whether to start other processes.

    Starting processes takes longer than many runs. It does not help if this process already uses
    all cores, for example while threads read tables ahead.
    """

    count: int
    workers: int = 2
    worth: float = field(factory=lambda: _WORTH_PROCESSES)
    _since: float = field(factory=monotonic, init=False)
    _measured: tuple[float, float] | None = field(default=None, init=False)

    def needs_processes(self, counted: int) -> bool:
        """Return True if starting processes now would be faster."""
        rest = (monotonic() - self._since) / counted * (self.count - counted)
        return rest > self.worth and self._has_free_core()

    def report(self) -> None:
        """Warn that no process was started if the run was long enough for it."""
        if monotonic() - self._since > self.worth:
            warnings.warn(
                f"engine: {self.workers} workers would not be faster, so none was started\n"
                "This process already uses all cores: remove workers",
                ValorWarning,
                stacklevel=2,
            )

    def _has_free_core(self) -> bool:
        """Return True if a core was unused since the last measurement; False at first."""
        now = monotonic(), process_time()
        if self._measured is None or now[0] - self._measured[0] < _INTERVAL:
            self._measured = self._measured or now
            return False
        wall, busy = (new - old for new, old in zip(now, self._measured, strict=True))
        self._measured = now
        return busy < (thread_count() - _FREE) * wall


def _count_here(
    work: PartitionTask, partitions: Sequence[Partition], pace: _Pace | None = None
) -> Generator[EvaluationState, None, Sequence[Partition]]:
    """Count partitions in this process; return those left for other processes."""
    with (
        opened(work.resources) as resources,
        closing(ReadAhead.of(work.reader, partitions)) as ahead,
    ):
        work = evolve(work, reader=ahead) if ahead.width else work
        for counted, partition in enumerate(ahead.in_order(partitions), 1):
            if work.control.stopped:
                break
            yield work(partition, resources)
            if pace is not None and pace.needs_processes(counted):
                return partitions[counted:]
    if pace is not None and work.control.stopped is None:
        pace.report()
    return ()


def count_read_ahead(
    work: PartitionTask, partitions: Sequence[Partition], workers: int, worth: float
) -> Generator[EvaluationState, None, Sequence[Partition]]:
    """Count partitions in this process while threads read ahead.

    Parameters
    ----------
    work : PartitionTask
        Task to run. If it needs resources, nothing is counted here.
    partitions : sequence of Partition
        Partitions to count.
    workers : int
        Number of workers that would be started otherwise.
    worth : float
        Remaining seconds above which starting workers pays off.

    Returns
    -------
    sequence of Partition
        Partitions left for the workers.
    """
    if work.resources or not all(one.may_be_read_ahead for one in partitions):
        return partitions
    return (yield from _count_here(work, partitions, _Pace(len(partitions), workers, worth)))
