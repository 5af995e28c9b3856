"""Waiting: all items of all metrics that are coroutines, gathered on one event loop.

How many items may be under way is said by the resources that the metrics use.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from time import monotonic
from typing import Any, Protocol, TypeVar

from valor_core.cancellation import STOPPED_BY_USER, Control
from valor_core.results.result import failure

_T = TypeVar("_T")

_starting = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None


def submit(coroutine: Coroutine[Any, Any, _T]) -> Future[_T]:
    """Begin a coroutine on the loop, from any thread but the loop's own.

    Examples
    --------
    >>> async def answer():
    ...     return 42
    >>> submit(answer()).result()
    42
    """
    return asyncio.run_coroutine_threadsafe(coroutine, _loop())


async def run_on_loop(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """What a coroutine returns, run on the loop and awaited on any other.

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
        # A forked process has the loop's memory, but not its thread.
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


UNDER_WAY = 64
"""Items of a metric that are under way at a time, where no resource says how many."""

_GRACE = 2.0  # seconds for what is under way when a run is stopped: it is paid for already
_LOOK = 0.05  # seconds between two looks whether the run was stopped


class AsyncScoring(Protocol):
    """Scoring of the items of a batch by one metric that is a coroutine."""

    @property
    def function(self) -> Any:
        """The coroutine function."""

    @property
    def scorer(self) -> Any:
        """The metric with its parameters."""

    @property
    def wanted(self) -> Any:
        """The resources by the names that the metric uses."""

    @property
    def resources(self) -> Any:
        """The open resources."""

    @property
    def names(self) -> Any:
        """Names of the open resources by the names that the metric uses."""

    @property
    def stopped(self) -> Any:
        """Why no further item is scored, or None."""

    def left(self) -> Iterator[tuple[int, Any]]:
        """The items to score, with their positions."""

    def note(self, place: int, item: Any, answer: Any) -> None:
        """Record the score of an item."""


@contextmanager
def scoring_in_background(jobs: Sequence[AsyncScoring], control: Control | None) -> Iterator[None]:
    """A block beside which jobs wait, and that ends when they do.

    Parameters
    ----------
    jobs : sequence of AsyncScoring
        Coroutines on the items of a batch.
    control : Control, optional
        Control of the run, which may be stopped; without it, an interrupt is raised.
    """
    future = submit(_together(jobs))
    try:
        yield
        _wait(future, control)
    except BaseException:
        future.cancel()
        raise


async def _together(jobs: Sequence[AsyncScoring]) -> None:
    """All items of all metrics that wait."""
    await asyncio.gather(*(_feed(job) for job in jobs))


async def _feed(job: AsyncScoring) -> None:
    """Score all items on the event loop, no more at a time than the resources allow."""
    limits = job.resources.limits(job.names.values()) or [asyncio.Semaphore(UNDER_WAY)]
    under_way: set[asyncio.Task[None]] = set()
    try:
        for place, item in job.left():
            await _acquire(limits)
            if job.stopped:
                _release(limits)
                continue
            task = asyncio.create_task(_score(job, place, item))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
            # Also of a task that is cancelled before its first step, which has no `finally` yet.
            task.add_done_callback(lambda _: _release(limits))
        while under_way:
            await asyncio.wait(under_way)
    finally:
        for task in under_way:
            task.cancel()


async def _score(job: AsyncScoring, place: int, item: Any) -> None:
    try:
        answer = await job.function(item, job.scorer.parameters, job.wanted)
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # what exits on the loop would end every other item
        answer = failure(error)
    job.note(place, item, answer)


async def _acquire(limits: Sequence[asyncio.Semaphore]) -> None:
    """All of some limits, or none of them where the wait is cancelled."""
    taken: list[asyncio.Semaphore] = []
    try:
        for limit in limits:
            await limit.acquire()
            taken.append(limit)
    except asyncio.CancelledError:
        _release(taken)
        raise


def _release(limits: Sequence[asyncio.Semaphore]) -> None:
    for limit in limits:
        limit.release()


def _wait(future: Future[None], control: Control | None) -> None:
    """Until all is scored, or what is under way has had its time after a stop."""
    until = math.inf
    while not future.done():
        try:
            wait([future], _LOOK)
            if control is not None and control.stopped and until == math.inf:
                until = monotonic() + _GRACE
            if monotonic() > until:
                future.cancel()
        except KeyboardInterrupt:
            until = _interrupted(control, until)
    if not future.cancelled():
        future.result()


def _interrupted(control: Control | None, until: float) -> float:
    """When to stop waiting: soon after the first interrupt, at once after the second."""
    if control is None:
        raise KeyboardInterrupt
    control.stop(STOPPED_BY_USER)
    return monotonic() + _GRACE if until == math.inf else 0.0
