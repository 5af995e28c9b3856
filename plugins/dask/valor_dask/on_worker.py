"""What runs on the workers of a cluster: partitions are counted, and tallies are merged."""

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
from valor_core.scoring import Share
from valor_dask.uids import shorten

_TELL_EVERY = 0.2  # seconds between two times that a worker tells how many items it has scored


@frozen
class Facts:
    """What a worker tells of itself before the work is sent.

    Parameters
    ----------
    number : str
        The worker's own name, which no worker that comes in its place has.
    versions : mapping of str to (str or None)
        The versions of some distributions that it has.
    """

    number: str
    versions: Mapping[str, str | None]


def tell(names: Sequence[str], dask_worker: DaskWorker) -> Facts:
    """What the worker that runs this tells of itself."""
    return Facts(dask_worker.id, {name: version_of(name) for name in names})


class Uncounted(Exception):
    """Why a partition cannot be counted, as it travels: a cause would be left behind.

    Parameters
    ----------
    error : ValorError
        What is raised where the run was started.
    trace : str
        Where on the worker it comes from.
    """

    def __init__(self, error: ValorError, trace: str) -> None:
        super().__init__(error, trace)
        self.error = error
        self.trace = trace


@define(eq=False)
class ClusterControl:
    """The control of a run as a worker has it.

    Parameters
    ----------
    worker : distributed.Worker
        What passes on how many items were scored.
    topic : str
        Under which name.
    """

    worker: DaskWorker
    topic: str
    stopped: str | None = None
    _untold: int = field(default=0, init=False)
    _last: float = field(default=0.0, init=False)
    _counting: threading.Lock = field(factory=threading.Lock, init=False)

    def stop(self, reason: str) -> None:
        """Begin no further item here, and tell the run."""
        if self.stopped is None:
            self.stopped = reason
            self.worker.log_event(self.topic, {"stop": reason})

    def scored(self, count: int) -> None:
        """Some more items have been scored."""
        with self._counting:
            self._untold += count
            if monotonic() - self._last < _TELL_EVERY:
                return
            told, self._untold, self._last = self._untold, 0, monotonic()
        self.worker.log_event(self.topic, {"scored": told})


class RunOnWorker(WorkerPlugin):
    """A run on one worker; Dask sets it up on each, also on those that come later.

    Parameters
    ----------
    name : str
        Name of the run.
    packed : bytes
        The work.
    shares : mapping of str to int
        Which part of a budget each worker has that was there in the beginning.
    """

    def __init__(self, name: str, packed: bytes, shares: Mapping[str, int]) -> None:
        self.name = name
        self._packed = packed
        self._shares = shares

    def setup(self, worker: DaskWorker) -> None:
        """Get ready; what the work needs is opened before the first partition."""
        count = len(self._shares)
        share = Share(self._shares.get(worker.id, count), count)
        self.control = ClusterControl(worker, self.name)
        self.worker = Worker(self._packed, share, self.control, f"worker {worker.address}")

    async def teardown(self, worker: DaskWorker) -> None:
        """Close what was opened, once nobody counts any more."""
        self.control.stopped = self.control.stopped or "the run is over"
        await asyncio.to_thread(self.worker.close)


async def stop(run: str, reason: str, dask_worker: DaskWorker) -> None:
    """Tell the run on a worker to begin no further item."""
    plugin = dask_worker.plugins.get(run)
    if isinstance(plugin, RunOnWorker):
        plugin.control.stopped = plugin.control.stopped or reason


def count(run: str, partition: Partition, missing: str) -> bytes:
    """The packed tallies of a partition: one, or none where the run was stopped before.

    Tallies travel as bytes: whoever merges them writes to copies, so that Dask may merge once
    more after a worker was lost.

    Parameters
    ----------
    run : str
        Name of the run.
    partition : Partition
        What to count.
    missing : str
        What becomes of one that cannot be counted: ``stop`` or ``report``.
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


def _packed(tallies: list[EvaluationState], partition: Partition) -> bytes:
    try:
        return pickle.dumps(tallies, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise PartitionError(
            f"{partition.name}: what was counted cannot be sent, {type(error).__name__}: {error}"
        ) from error


def merge(packed: Sequence[bytes]) -> bytes:
    """The packed tallies of some partitions: those that are final as one, the others alone."""
    whole: EvaluationState | None = None
    alone: list[EvaluationState] = []
    for tally in (tally for few in packed for tally in pickle.loads(few)):
        if not tally.is_final or tally.missing:
            alone.append(tally)
        elif whole is None:
            whole = tally
        else:
            whole.take(tally)
    tallies: list[Any] = alone if whole is None else [whole, *alone]
    return pickle.dumps(tallies, protocol=pickle.HIGHEST_PROTOCOL)
