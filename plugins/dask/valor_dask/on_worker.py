"""Tasks on the workers of a cluster, which count partitions and merge states."""

from __future__ import annotations

import asyncio
import pickle
import threading
import traceback
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from attrs import define, field, frozen
from distributed import Worker as DaskWorker
from distributed import WorkerPlugin, get_worker

from valor_core.errors import EngineError, PartitionError, ReadError, ValorError
from valor_core.evaluation import EvaluationState
from valor_core.evaluation.engines import Worker
from valor_core.packages import version_of
from valor_core.readers import Partition
from valor_core.resources import Share
from valor_dask.uids import shorten

_REPORT_EVERY = 0.2  # seconds between a worker's reports of scored items


@frozen
class Facts:
    """Identity and package versions of a worker.

    Parameters
    ----------
    number : str
        Unique id of the worker, never reused by a replacement.
    versions : mapping of str to (str or None)
        Installed versions by distribution; None if not installed.
    """

    number: str
    versions: Mapping[str, str | None]


def facts_of(names: Sequence[str], dask_worker: DaskWorker) -> Facts:
    """Return the id of the worker and its versions of the named distributions."""
    return Facts(dask_worker.id, {name: version_of(name) for name in names})


class Uncounted(Exception):
    """Error of a partition with its traceback as text, since pickling drops `__cause__`.

    Parameters
    ----------
    error : ValorError
        Error to raise in the client.
    trace : str
        Traceback on the worker.
    """

    def __init__(self, error: ValorError, trace: str) -> None:
        super().__init__(error, trace)
        self.error = error
        self.trace = trace


@define(eq=False)
class ClusterControl:
    """Cancellation and progress of a run on a worker.

    Parameters
    ----------
    worker : distributed.Worker
        Worker that sends events to the client.
    topic : str
        Topic of the events.
    """

    worker: DaskWorker
    topic: str
    stopped: str | None = None
    _unreported: int = field(default=0, init=False)
    _last: float = field(default=0.0, init=False)
    _counting: threading.Lock = field(factory=threading.Lock, init=False)

    def stop(self, reason: str) -> None:
        """Start no further item on this worker, and notify the client."""
        if self.stopped is None:
            self.stopped = reason
            self.worker.log_event(self.topic, {"stop": reason})

    def scored(self, count: int) -> None:
        """Report scored items to the client at limited rate."""
        with self._counting:
            self._unreported += count
            if monotonic() - self._last < _REPORT_EVERY:
                return
            scored, self._unreported, self._last = self._unreported, 0, monotonic()
        self.worker.log_event(self.topic, {"scored": scored})


class RunOnWorker(WorkerPlugin):
    """Worker plugin that holds a run; Dask also sets it up on workers that join later.

    Parameters
    ----------
    name : str
        Name of the run.
    packed : bytes
        Pickled work.
    shares : mapping of str to int
        Index of the budget share of each initial worker, by worker id.
    """

    def __init__(self, name: str, packed: bytes, shares: Mapping[str, int]) -> None:
        self.name = name
        self._packed = packed
        self._shares = shares

    def setup(self, worker: DaskWorker) -> None:
        """Prepare the worker; resources are opened before its first partition."""
        count = len(self._shares)
        share = Share(self._shares.get(worker.id, count), count)
        self.control = ClusterControl(worker, self.name)
        self.worker = Worker(self._packed, share, self.control, f"worker {worker.address}")

    async def teardown(self, worker: DaskWorker) -> None:
        """Stop the run and close its resources when the last partition has finished."""
        self.control.stopped = self.control.stopped or "the run is over"
        await asyncio.to_thread(self.worker.close)


async def stop(run: str, reason: str, dask_worker: DaskWorker) -> None:
    """Stop a run on this worker before its next item."""
    plugin = dask_worker.plugins.get(run)
    if isinstance(plugin, RunOnWorker):
        plugin.control.stopped = plugin.control.stopped or reason


def count(run: str, partition: Partition, missing: str) -> bytes:
    """Count a partition and return a pickled list of its state, empty if the run was stopped.

    States are sent as bytes, so that merging modifies copies and Dask can repeat a merge after a
    worker was lost.

    Parameters
    ----------
    run : str
        Name of the run.
    partition : Partition
        Partition to count.
    missing : str
        Treatment of a failed partition: ``stop`` or ``report``.
    """
    try:
        plugin = _plugin(run)
        if plugin.control.stopped:
            return pickle.dumps([])
        return _packed([shorten(_counted(plugin.worker, partition, missing))], partition)
    except ValorError as error:
        raise Uncounted(error, "".join(traceback.format_exception(error))) from error


def _plugin(run: str) -> RunOnWorker:
    plugin = get_worker().plugins.get(run)
    if not isinstance(plugin, RunOnWorker):
        raise EngineError(f"engine: expected the run {run} on this worker, it is over")
    return plugin


def _counted(worker: Worker, partition: Partition, missing: str) -> EvaluationState:
    try:
        return worker.count(partition)
    except (ReadError, PartitionError) as error:
        if missing == "stop":
            raise
        return EvaluationState(
            missing={partition.name: error.one_line.removeprefix(f"{partition.name}: ")}
        )


def _packed(states: list[EvaluationState], partition: Partition) -> bytes:
    try:
        return pickle.dumps(states, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise PartitionError(
            f"{partition.name}: what was counted cannot be sent, {type(error).__name__}: {error}"
        ) from error


def merge(packed: Sequence[bytes]) -> bytes:
    """Merge pickled lists of states into one: a merged state of all final ones, then the rest."""
    merged: EvaluationState | None = None
    unmerged: list[EvaluationState] = []
    for state in (state for few in packed for state in pickle.loads(few)):
        if not state.is_final or state.missing:
            unmerged.append(state)
        elif merged is None:
            merged = state
        else:
            merged.absorb(state)
    states: list[Any] = unmerged if merged is None else [merged, *unmerged]
    return pickle.dumps(states, protocol=pickle.HIGHEST_PROTOCOL)
