"""Score items by coroutine metrics concurrently on one event loop.

The resources of a metric limit how many of its items run at a time.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from heapq import merge
from operator import itemgetter
from time import monotonic
from typing import Any, Protocol, TypeVar

from valor_core.cancellation import STOPPED_BY_USER, Control
from valor_core.results.result import failure

_T = TypeVar("_T")

_starting = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None


def submit(coroutine: Coroutine[Any, Any, _T]) -> Future[_T]:
    """Schedule a coroutine on the shared event loop, from any other thread.

    Examples
    --------
    >>> async def answer():
    ...     return 42
    >>> submit(answer()).result()
    42
    """
    return asyncio.run_coroutine_threadsafe(coroutine, _loop())


async def run_on_loop(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine on the shared event loop and await its result on the current one.

    Examples
    --------
    >>> async def where():
    ...     return threading.current_thread().name
    >>> asyncio.run(run_on_loop(where()))
    'valor-waits'
    """
    if _running is not None and asyncio.get_running_loop() is _running[1]:
        return await coroutine
    return await asyncio.wrap_future(submit(coroutine))


def _loop() -> asyncio.AbstractEventLoop:
    global _running
    with _starting:
        # A forked process inherits the loop but not its thread.
        if _running is None or _running[0] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(loop,), name="valor-waits", daemon=True).start()
            _running = os.getpid(), loop
        return _running[1]


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    while not loop.is_closed():
        try:
            loop.run_forever()
        except BaseException:
            continue


DEFAULT_WIDTH = 64
"""Concurrent items of a metric without a resource that limits them."""

_GRACE = 2.0  # seconds for pending items when a run is stopped: their calls are already paid
_POLL = 0.05  # seconds between two checks whether the run was stopped


class AsyncScoring(Protocol):
    """Scoring of a batch by one coroutine metric."""

    @property
    def function(self) -> Any:
        """Coroutine function."""

    @property
    def scorer(self) -> Any:
        """Metric with its parameters."""

    @property
    def requested(self) -> Any:
        """Resources by the names that the metric uses."""

    @property
    def resources(self) -> Any:
        """Open resources."""

    @property
    def names(self) -> Any:
        """Names of the open resources by the names that the metric uses."""

    @property
    def stopped(self) -> Any:
        """Reason why no further item is scored, or None."""

    def unscored(self) -> Iterator[tuple[int, Any]]:
        """Yield the items to score with their positions."""

    def record(self, position: int, item: Any, value: Any) -> None:
        """Record the score of an item."""


_Job = TypeVar("_Job", bound=AsyncScoring)


@contextmanager
def scoring_in_background(jobs: Sequence[AsyncScoring], control: Control | None) -> Iterator[None]:
    """Score items on the event loop while a block runs, and wait for them at its end.

    Parameters
    ----------
    jobs : sequence of AsyncScoring
        Coroutine metrics with the items of a batch.
    control : Control, optional
        Control of the run. Without it, an interrupt raises `KeyboardInterrupt`.
    """
    future = submit(_score_all(jobs))
    try:
        yield
        _wait(future, control)
    except BaseException:
        future.cancel()
        raise


async def _score_all(jobs: Sequence[AsyncScoring]) -> None:
    """Score all items by all metrics."""
    feeds: dict[tuple[int, ...], tuple[list[AsyncScoring], Sequence[asyncio.Semaphore]]] = {}
    for job in jobs:
        limits = job.resources.limits(job.names.values()) or [asyncio.Semaphore(DEFAULT_WIDTH)]
        feeds.setdefault(tuple(map(id, limits)), ([], limits))[0].append(job)
    await asyncio.gather(*(_feed(*feed) for feed in feeds.values()))


def by_item(jobs: Sequence[_Job]) -> Iterator[tuple[_Job, int, Any]]:
    """Yield the unscored items with their positions, each for all metrics before the next item."""

    def positioned(job: _Job) -> Iterator[tuple[int, _Job, Any]]:
        return ((position, job, item) for position, item in job.unscored())

    for position, job, item in merge(*map(positioned, jobs), key=itemgetter(0)):
        yield job, position, item


async def _feed(jobs: Sequence[AsyncScoring], limits: Sequence[asyncio.Semaphore]) -> None:
    """Score the items of metrics with at most as many at a time as their resources allow.

    Metrics of the same resources score one item after another, so that a budget that ends early is
    spent on complete items.
    """
    pending: set[asyncio.Task[None]] = set()
    try:
        for job, position, item in by_item(jobs):
            await _acquire(limits)
            if job.stopped:
                _release(limits)
                continue
            task = asyncio.create_task(_score(job, position, item))
            pending.add(task)
            task.add_done_callback(pending.discard)
            # A callback, since a task cancelled before its first step runs no `finally`.
            task.add_done_callback(lambda _: _release(limits))
        while pending:
            await asyncio.wait(pending)
    finally:
        for task in pending:
            task.cancel()


async def _score(job: AsyncScoring, position: int, item: Any) -> None:
    try:
        value = await job.function(item, job.scorer.parameters, job.requested)
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # SystemExit on the loop would end all other items
        value = failure(error)
    job.record(position, item, value)


async def _acquire(limits: Sequence[asyncio.Semaphore]) -> None:
    """Acquire all limits, or none if the task is cancelled."""
    acquired: list[asyncio.Semaphore] = []
    try:
        for limit in limits:
            await limit.acquire()
            acquired.append(limit)
    except asyncio.CancelledError:
        _release(acquired)
        raise


def _release(limits: Sequence[asyncio.Semaphore]) -> None:
    for limit in limits:
        limit.release()


def _wait(future: Future[None], control: Control | None) -> None:
    """Wait until all items are scored, or until the grace period after a stop ends."""
    until = math.inf
    while not future.done():
        try:
            wait([future], _POLL)
            if control is not None and control.stopped and until == math.inf:
                until = monotonic() + _GRACE
            if monotonic() > until:
                future.cancel()
        except KeyboardInterrupt:
            until = _interrupted(control, until)
    if not future.cancelled():
        future.result()


def _interrupted(control: Control | None, until: float) -> float:
    """Return when to stop waiting: a grace period after the first interrupt, now after the second.

    The first lets items finish whose calls are already paid; the second is an impatient user.
    """
    if control is None:
        raise KeyboardInterrupt
    control.stop(STOPPED_BY_USER)
    return monotonic() + _GRACE if until == math.inf else 0.0
