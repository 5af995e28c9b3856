"""The engine on this machine: serially, in threads or in processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Literal

from attrs import evolve, frozen

from valor_core.evaluation.engines.ahead import ReadAhead
from valor_core.evaluation.engines.engine import Work
from valor_core.evaluation.resources.open_resources import opened
from valor_core.evaluation.tally import Tally
from valor_core.parameters.declaration import parameter, parameters
from valor_core.parameters.kinds import Within
from valor_core.readers.partition import Partition


@parameters
class LocalParameters:
    """Parameters of the local engine."""

    mode: Literal["auto", "serial", "threads", "processes"] = parameter(
        default="auto",
        help="Where partitions are counted, if there are several, and several workers; auto is "
        "this process, joined by others when the rest is worth it.",
    )
    workers: int | None = parameter(
        default=1,
        help="How many partitions are in flight; null is one for each core.",
        check=Within(1),
    )


@frozen
class LocalEngine:
    """Counts partitions on this machine.

    At most `workers` + 1 partitions are in flight, and four more of a table, which are read ahead.
    This bounds the memory whatever the source.
    Processes are spawned, so work starts from a clean interpreter on every platform.
    """

    parameters: LocalParameters

    def map(self, work: Work, partitions: Sequence[Partition]) -> Iterator[Tally]:
        """One tally for each partition, as they are finished."""
        workers = min(self.parameters.workers or os.cpu_count() or 1, max(len(partitions), 1))
        mode = "serial" if workers == 1 else self.parameters.mode
        if mode in ("auto", "processes"):
            from valor_core.evaluation.engines.flow import count_in_processes

            here_first = mode == "auto" and not work.resources
            yield from count_in_processes(work, partitions, workers, here_first=here_first)
            return
        with opened(work.resources) as resources:
            if mode == "serial":
                with closing(ReadAhead.of(work.reader, partitions)) as ahead:
                    work = evolve(work, reader=ahead) if ahead.width else work
                    for partition in ahead.in_turn(partitions):
                        if work.control.stopped:
                            return
                        yield work(partition, resources)
                return
            from valor_core.evaluation.engines.flow import count_in_threads

            yield from count_in_threads(work, partitions, workers, resources)
