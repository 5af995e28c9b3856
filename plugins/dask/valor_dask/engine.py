"""Engine that counts and merges partitions on the workers of a Dask cluster."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any
from uuid import uuid4

from attrs import define, field, frozen
from distributed import Client, Future, KilledWorker
from distributed.client import ClosedClientError

from valor_core.errors import EngineError, ParameterError, PartitionError
from valor_core.evaluation import EvaluationState
from valor_core.evaluation.engines import (
    STOPPED_BY_USER,
    PartitionTask,
    check_versions,
    count_read_ahead,
    defer_signals,
)
from valor_core.readers import Partition
from valor_dask import on_worker
from valor_dask.cluster import connected
from valor_dask.on_worker import Facts, RunOnWorker, Uncounted
from valor_dask.parameters import DaskParameters
from valor_dask.tree import merged, trees
from valor_dask.uids import restore

Fetched = tuple[Future[bytes], bytes | BaseException]
"""Root of a tree, and its pickled states or an error."""

_WORTH_CLUSTER = 5.0  # seconds of work that justify starting a local cluster, which takes two
_POLL = 0.2  # seconds between checks for a stopped run
_GRACE = 5.0  # seconds for running partitions after an interrupt
_WORKER_TIMEOUT = 20.0  # seconds that a cluster may be without workers
_AHEAD = 4  # submitted partitions per thread


@frozen
class DaskEngine:
    """Engine that counts partitions and merges their states on a Dask cluster.

    Parameters
    ----------
    parameters : DaskParameters
        Cluster to use, and treatment of failed partitions.
    """

    parameters: DaskParameters

    def __attrs_post_init__(self) -> None:
        if self.parameters.scheduler is None:
            return
        for name in ("workers", "retries"):
            if getattr(self.parameters, name) is not None:
                raise ParameterError(
                    f"{name} is of a cluster on this machine, got it with a scheduler",
                    f"Leave out {name}, or leave out scheduler.",
                )

    def map(
        self, work: PartitionTask, partitions: Sequence[Partition]
    ) -> Iterator[EvaluationState]:
        """Yield states of one or more partitions as they finish."""
        if not partitions:
            return
        packed = work.packed()
        if self.parameters.scheduler is None and self.parameters.retries is None:
            workers = self.parameters.workers or os.cpu_count() or 1
            partitions = yield from count_read_ahead(work, partitions, workers, _WORTH_CLUSTER)
            if not partitions:
                return
        with (
            connected(self.parameters) as client,
            _registered(client, work, packed) as name,
        ):
            waiting = deque(trees(partitions))
            yield from _Run(client, work, name, self.parameters.missing, waiting).states()


@contextmanager
def _registered(client: Client, work: PartitionTask, packed: bytes) -> Iterator[str]:
    """Register the work on all workers for the block, and yield its name."""
    shares = _shares(client, work)
    name = f"valor-{uuid4().hex}"

    def receive(event: tuple[float, Mapping[str, Any]]) -> None:
        _, message = event
        if "scored" in message:
            work.control.scored(message["scored"])
        if "stop" in message:
            work.control.stop(message["stop"])

    try:
        with defer_signals():
            client.register_plugin(RunOnWorker(name, packed, shares))
            client.subscribe_topic(name, receive)
        yield name
    finally:
        with defer_signals():
            # In a thread with a timeout: a lost worker or scheduler may never reply.
            _in_thread(lambda: _unregister(client, name)).join(_GRACE)


def _unregister(client: Client, name: str) -> None:
    """Close the resources of a run on the workers."""
    client.unsubscribe_topic(name)
    client.unregister_worker_plugin(name)


def _in_thread(call: Callable[[], object]) -> Thread:
    """Call the cluster in a daemon thread and ignore errors."""

    def call_quietly() -> None:
        with suppress(Exception):
            call()

    thread = Thread(target=call_quietly, daemon=True)
    thread.start()
    return thread


def _outcome(future: Future[bytes]) -> bytes | BaseException:
    try:
        return future.result()
    except BaseException as error:  # raised later, in the thread of the run
        return error


def _shares(client: Client, work: PartitionTask) -> dict[str, int]:
    """Check the versions of all workers and number them, for their shares of a budget."""
    names = list(work.versions)
    answers = client.run(on_worker.facts_of, names, on_error="return")
    found: dict[str, int] = {}
    for address in sorted(answers):
        facts = answers[address]
        if not isinstance(facts, Facts):
            raise EngineError(
                f"engine: expected worker {address} to have valor-dask, {type(facts).__name__}: "
                f"{facts}",
                "Install there what is installed here.",
            )
        check_versions(work, f"worker {address}", facts.versions)
        found[facts.number] = len(found)
    return found


@define
class _Run:
    """Client side of a run.

    Parameters
    ----------
    client : Client
        Connection to the scheduler.
    work : PartitionTask
        The evaluation and its reader.
    name : str
        Name of the run on the workers.
    missing : str
        Treatment of failed partitions: ``stop`` or ``report``.
    waiting : deque of sequences of Partition
        Trees of partitions that are not submitted yet.
    """

    client: Client
    work: PartitionTask
    name: str
    missing: str
    waiting: deque[Sequence[Partition]]
    _suspect: deque[Sequence[Partition]] = field(factory=deque, init=False)
    _is_alone: bool = field(default=False, init=False)
    _running: dict[Future[bytes], Sequence[Partition]] = field(factory=dict, init=False)
    _fetched: SimpleQueue[tuple[Future[bytes], bytes | BaseException]] = field(
        factory=SimpleQueue, init=False
    )
    _ready: deque[EvaluationState] = field(factory=deque, init=False)
    _last_seen: float = field(factory=monotonic, init=False)
    _partitions: dict[str, Partition] = field(factory=dict, init=False)
    _address: str = field(init=False)

    @_address.default
    def _find_address(self) -> str:
        # A client that has lost its scheduler forgets the address.
        return str(self.client.scheduler_info()["address"])

    def states(self) -> Iterator[EvaluationState]:
        """Yield states as trees finish; after an interrupt, those of running trees."""
        threads = sum(self.client.nthreads().values())
        try:
            while self.work.control.stopped is None and self._is_under_way:
                try:
                    self._submit_trees(threads * _AHEAD)
                    self._poll()
                except KeyboardInterrupt:
                    self.work.control.stop(STOPPED_BY_USER)
                except ClosedClientError as error:
                    raise self._lost_scheduler() from error
                yield from self._drained()
            if self.work.control.stopped is not None:
                yield from self._remaining(self.work.control.stopped)
        finally:
            with defer_signals(), suppress(OSError, ClosedClientError):
                self.client.cancel(list(self._running))

    @property
    def _is_under_way(self) -> bool:
        return bool(self.waiting or self._suspect or self._running)

    def _drained(self) -> Iterator[EvaluationState]:
        while self._ready:
            yield self._ready.popleft()

    def _submit_trees(self, most: int) -> None:
        """Submit up to `most` partitions; trees suspected of killing workers run alone."""
        with defer_signals():
            if self._running and (self._suspect or self._is_alone):
                return
            self._is_alone = bool(self._suspect)
            if self._is_alone:
                self._submit(self._suspect.popleft())
                return
            while self.waiting and sum(map(len, self._running.values())) < most:
                self._submit(self.waiting.popleft())

    def _submit(self, tree: Sequence[Partition]) -> None:
        leaves = [self._counted(partition) for partition in tree]
        root = merged(leaves, self._merged)
        self._running[root] = tree
        root.add_done_callback(self._fetch)

    def _counted(self, partition: Partition) -> Future[bytes]:
        key = f"valor_count-{uuid4().hex}"
        self._partitions[key] = partition
        return self.client.submit(
            on_worker.count, self.name, partition, self.missing, key=key, pure=False
        )

    def _merged(self, few: Sequence[Future[bytes]]) -> Future[bytes]:
        key = f"valor_merge-{uuid4().hex}"
        return self.client.submit(on_worker.merge, list(few), key=key, pure=False)

    def _fetch(self, future: Future[bytes]) -> None:
        """Fetch the states of a finished tree in a thread.

        If their worker has died, they are counted again, which may take forever. Meanwhile, the
        run keeps checking for a stop and for lost workers.
        """
        _in_thread(lambda: self._fetched.put((future, _outcome(future))))

    def _poll(self) -> None:
        """Receive the states of the next fetched tree, or check the workers after a timeout."""
        try:
            future, outcome = self._fetched.get(timeout=_POLL)
        except Empty:
            self._check_workers()
            return
        with defer_signals():
            tree = self._running.pop(future, None)
            if tree is not None:
                self._ready.extend(self._unpacked(outcome, tree))

    def _check_workers(self) -> None:
        """Raise an `EngineError` if the cluster has had no workers for too long."""
        if monotonic() - self._last_seen < _WORKER_TIMEOUT / 4:
            return
        with suppress(OSError):  # a lost scheduler raises an error for the results
            if self.client.nthreads():
                self._last_seen = monotonic()
            elif monotonic() - self._last_seen > _WORKER_TIMEOUT:
                names = sorted({partition.name for partition in chain(*self._running.values())})
                raise EngineError(
                    f"engine: expected workers at {self._address}, all are gone; in flight were "
                    f"{', '.join(names)}",
                    f"Start one with: dask worker {self._address}",
                )

    def _lost_scheduler(self) -> EngineError:
        return EngineError(
            f"engine: the scheduler at {self._address} is gone",
            "Start it again, then run the same command.",
        )

    def _unpacked(
        self, outcome: bytes | BaseException, tree: Sequence[Partition]
    ) -> list[EvaluationState]:
        """Unpickle the states of a tree, or convert its error."""
        try:
            if isinstance(outcome, BaseException):
                raise outcome
            return list(map(restore, pickle.loads(outcome)))
        except (CancelledError, OSError) as error:  # connection lost; others are in Uncounted
            raise self._lost_scheduler() from error
        except Uncounted as error:
            raise error.error from _Trace(error.trace)
        except KilledWorker as error:
            return self._killed(tree, error)
        except Exception as error:
            names = tree[0].name if len(tree) == 1 else f"{tree[0].name} to {tree[-1].name}"
            raise EngineError(
                f"engine: expected states of {names} from the cluster, "
                f"got {type(error).__name__}: {error}"
            ) from error

    def _killed(self, tree: Sequence[Partition], error: KilledWorker) -> list[EvaluationState]:
        """Retry partitions whose workers died, or report them.

        Dask blames all tasks queued on a dead worker, so each is first retried alone.
        """
        guilty = self._partitions.get(str(error.task))
        if not self._is_alone or (guilty is not None and len(tree) > 1):
            self._suspect.append(tree if guilty is None else [guilty])
            rest = [] if guilty is None else [one for one in tree if one is not guilty]
            if rest:
                self.waiting.appendleft(rest)
            return []
        times, last = error.allowed_failures + 1, error.last_worker.address
        did = "merged" if guilty is None else "counted"
        why = (
            f"worker {last} died while it {did} it"
            if times == 1
            else f"{times} workers died while they {did} it, the last was {last}"
        )
        if self.missing == "stop":
            raise PartitionError(
                f"{tree[0].name}: {why}",
                "It may be short of memory: use smaller partitions, or fewer workers on a machine.",
            ) from error
        return [EvaluationState(missing={partition.name: why for partition in tree})]

    def _remaining(self, reason: str) -> Iterator[EvaluationState]:
        """Stop the workers, and yield states that finish within the grace period."""
        stop = partial(self.client.run, on_worker.stop, self.name, reason)
        _in_thread(lambda: stop(wait=False, on_error="ignore"))
        until = monotonic() + _GRACE
        while self._running and monotonic() < until:
            self._poll()
            yield from self._drained()


class _Trace(Exception):
    """Traceback of an error on a worker."""

    def __init__(self, trace: str) -> None:
        super().__init__(trace)
        self.trace = trace

    def __str__(self) -> str:
        return f'\n"""\n{self.trace}"""'
