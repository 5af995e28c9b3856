"""Worker that counts partitions in another process, for any engine.

An engine calls `start_worker` with the packed task and the worker's `Share` in each process, then
`count_partition` for each partition. Resources are opened before the first partition and closed
when the process ends.
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
"""Remedy for scripts that start processes on import."""


@define
class Worker:
    """Worker of this process. Thread-safe; opens resources at the first partition.

    Parameters
    ----------
    packed : bytes
        Packed `PartitionTask`.
    share : Share, optional
        Share of the resources' budgets. Required if a resource divides one.
    control : Control, optional
        Cancellation and progress of the run.
    name : str
        Name used in errors.
    """

    packed: bytes
    share: Share | None = None
    control: Control | None = None
    name: str = "this worker"
    _exits: ExitStack = field(factory=ExitStack, init=False)
    _open: tuple[PartitionTask, OpenResources] | None = field(default=None, init=False)
    _running: int = field(default=0, init=False)
    _is_closed: bool = field(default=False, init=False)
    _opening: threading.RLock = field(factory=threading.RLock, init=False, repr=False)

    def count(self, partition: Partition) -> EvaluationState:
        """Count a partition.

        Raises
        ------
        EngineError
            If package versions differ from those of the run, or the task cannot be unpacked.
        ValorError
            If the partition cannot be read or a resource cannot be opened.
        """
        work, resources = self._begin()
        try:
            return work(partition, resources)
        finally:
            with self._opening:
                self._running -= 1
                self._close_if_idle()

    def close(self) -> None:
        """Close the resources once no thread is counting."""
        with self._opening:
            self._is_closed = True
            self._close_if_idle()

    def _begin(self) -> tuple[PartitionTask, OpenResources]:
        with self._opening:
            if self._is_closed:
                raise EngineError(f"engine: {self.name} is closed")
            if self._open is None:
                work = self._unpacked()
                check_versions(work, self.name)
                share = _whole(work) if self.share is None else self.share
                self._open = work, self._exits.enter_context(opened(work.resources, share))
                if work.journal is not None:
                    self._exits.callback(work.journal.close)
            self._running += 1
            return self._open

    def _close_if_idle(self) -> None:
        if self._is_closed and not self._running:
            self._open = None
            self._exits.close()

    def _unpacked(self) -> PartitionTask:
        try:
            return PartitionTask.unpacked(self.packed, self.control)
        except ValorError:
            raise
        except Exception as error:
            raise EngineError(
                f"engine: {self.name} cannot unpack the evaluation, "
                f"{type(error).__name__}: {error}",
                "Install the same packages there, and move definitions of a script to a module.",
            ) from error


def _whole(work: PartitionTask) -> Share:
    """Return the share of a single worker; raise an `EngineError` if there is a budget."""
    for resource in work.resources:
        for budget in resource.spec.divided:
            if getattr(resource.parameters, budget) is not None:
                raise EngineError(
                    f"engine: expected the worker's share of {resource.name}.{budget}, found none; "
                    "each worker would spend all of it",
                    "Start each worker with: start_worker(packed, Share(number, workers))",
                )
    return SINGLE_WORKER


def check_versions(
    work: PartitionTask, place: str = "this worker", found: Mapping[str, str | None] | None = None
) -> None:
    """Raise an `EngineError` unless a worker has the same package versions as the run.

    Other versions may give other results.

    Parameters
    ----------
    work : PartitionTask
        Task with the versions of the run.
    place : str
        Name of the worker in errors.
    found : mapping of str to (str or None), optional
        Versions of the worker. Defaults to those of this process.
    """
    for name, expected in work.versions.items():
        installed = version_of(name) if found is None else found[name]
        if installed != expected:
            raise EngineError(
                f"engine: expected {name} {expected} on {place} as where the run was started, "
                f"found {installed or 'none'}",
                f"Install it there with: {install(f'{name}=={expected}')}",
            )


def check_main_guard() -> None:
    """Raise an `EngineError` if a worker process is importing the script that started it.

    Call it before starting processes.
    """
    if getattr(current_process(), "_inheriting", False):
        raise EngineError(
            "engine: a worker process runs the script that started it again", MAIN_GUARD_HINT
        )


_worker: Worker | None = None


def start_worker(packed: bytes, share: Share | None = None, control: Control | None = None) -> None:
    """Make this process a worker. Resources open later, so errors name a partition.

    Parameters
    ----------
    packed : bytes
        Packed `PartitionTask`.
    share : Share, optional
        Index of this worker and number of workers. Without it, a run whose resources divide a
        budget raises an `EngineError`.
    control : Control, optional
        Cancellation and progress of the run.
    """
    global _worker
    if _worker is not None:
        _worker.close()
    _worker = Worker(packed, share, control)
    # Positive priority: close resources before multiprocessing closes its queues.
    Finalize(None, _worker.close, exitpriority=10)


def count_partition(partition: Partition) -> EvaluationState:
    """Count a partition with the worker that `start_worker` made of this process."""
    if _worker is None:
        raise EngineError(
            "engine: no worker was started in this process",
            "Call valor_core.evaluation.engines.start_worker first.",
        )
    return _worker.count(partition)
