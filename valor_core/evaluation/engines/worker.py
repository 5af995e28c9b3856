"""Worker: carries out work on another process or machine, for engines of any kind.

An engine hands `start_worker` to whatever starts its workers, with the packed work, and sends
`count_partition` with each partition. The resources are opened once, before the first partition,
and closed when the process ends.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from multiprocessing import current_process
from multiprocessing.util import Finalize

from attrs import define, field

from valor_core.cancellation import Control
from valor_core.errors import EngineError, ValorError
from valor_core.evaluation.engines.engine import PartitionTask
from valor_core.evaluation.state import EvaluationState
from valor_core.packages import install, version_of
from valor_core.readers.partition import Partition
from valor_core.resources.opening import SINGLE_WORKER, OpenResources, Share, opened

MAIN_GUARD_HINT = 'Call it under `if __name__ == "__main__":`, or use engine: {mode: threads}.'
"""What to do with a script that starts processes when it is imported."""


@define
class Worker:
    """Work on this process, opened when the first partition comes; several threads may count.

    Parameters
    ----------
    packed : bytes
        The packed work.
    share : Share
        Which part of the resources' budgets it has.
    control : Control, optional
        How the run tells it to stop.
    name : str
        What errors call it.
    """

    packed: bytes
    share: Share = SINGLE_WORKER
    control: Control | None = None
    name: str = "this worker"
    _exits: ExitStack = field(factory=ExitStack, init=False)
    _open: tuple[PartitionTask, OpenResources] | None = field(default=None, init=False)
    _under_way: int = field(default=0, init=False)
    _is_over: bool = field(default=False, init=False)
    _opening: threading.RLock = field(factory=threading.RLock, init=False, repr=False)

    def count(self, partition: Partition) -> EvaluationState:
        """The tally of a partition.

        Raises
        ------
        EngineError
            If this process has other versions than the one that sent the work, or what was sent
            cannot be unpacked here.
        ValorError
            If the partition cannot be read or a resource not be opened.
        """
        work, resources = self._begin()
        try:
            return work(partition, resources)
        finally:
            with self._opening:
                self._under_way -= 1
                self._close_if_over()

    def close(self) -> None:
        """Close the resources, or let who counts last close them."""
        with self._opening:
            self._is_over = True
            self._close_if_over()

    def _begin(self) -> tuple[PartitionTask, OpenResources]:
        with self._opening:
            if self._is_over:
                raise EngineError(f"engine: expected work on {self.name}, it is over")
            if self._open is None:
                work = self._unpacked()
                check_versions(work, self.name)
                self._open = work, self._exits.enter_context(opened(work.resources, self.share))
                if work.journal is not None:
                    self._exits.callback(work.journal.close)
            self._under_way += 1
            return self._open

    def _close_if_over(self) -> None:
        if self._is_over and not self._under_way:
            self._open = None
            self._exits.close()

    def _unpacked(self) -> PartitionTask:
        try:
            return PartitionTask.unpacked(self.packed, self.control)
        except ValorError:
            raise
        except Exception as error:
            raise EngineError(
                f"engine: the work cannot be unpacked by {self.name}, "
                f"{type(error).__name__}: {error}",
                "Install there what is installed here; what a script defines has to be a module.",
            ) from error


def check_versions(
    work: PartitionTask, place: str = "this worker", found: Mapping[str, str | None] | None = None
) -> None:
    """Raise an `EngineError` unless a worker has the distributions of a work in its versions.

    The same versions count the same bits.

    Parameters
    ----------
    work : PartitionTask
        The work.
    place : str
        What errors call the worker.
    found : mapping of str to (str or None), optional
        The versions that it has; those of this process otherwise.
    """
    for name, wanted in work.versions.items():
        own = version_of(name) if found is None else found[name]
        if own != wanted:
            raise EngineError(
                f"engine: expected {name} {wanted} on {place} as where the run was started, "
                f"found {own or 'none'}",
                f"Install it there with: {install(f'{name}=={wanted}')}",
            )


def check_main_guard() -> None:
    """Raise an `EngineError` where a script starts workers that run it again, and so on.

    Engines that start processes call it before they do.
    """
    if getattr(current_process(), "_inheriting", False):
        raise EngineError(
            "engine: a worker process runs the script that started it again", MAIN_GUARD_HINT
        )


_worker: Worker | None = None


def start_worker(
    packed: bytes, share: Share = SINGLE_WORKER, control: Control | None = None
) -> None:
    """Make this process a worker; nothing is opened yet, so that errors belong to a partition."""
    global _worker
    if _worker is not None:
        _worker.close()
    _worker = Worker(packed, share, control)
    Finalize(None, _worker.close, exitpriority=10)


def count_partition(partition: Partition) -> EvaluationState:
    """The tally of a partition, counted by the worker that `start_worker` made of this process."""
    if _worker is None:
        raise EngineError(
            "engine: no work was started on this process",
            "Call valor_core.evaluation.engines.start_worker there first.",
        )
    return _worker.count(partition)
