"""Threads for kernels, which release the GIL."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")
Span = tuple[int, int]
"""First row, and one past the last row."""


def thread_count() -> int:
    """Return the number of threads for one computation: all cores, or one in a worker process.

    The other cores are busy with other worker processes.
    """
    # Only a worker has loaded the module; importing it takes longer than most computations.
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(tasks: Sequence[Callable[[], _T]]) -> list[_T]:
    """Run tasks in parallel, including on this thread, and return their results.

    If called from a task, runs all on that task's thread.

    Examples
    --------
    >>> in_threads([lambda: 1, lambda: 2])
    [1, 2]
    """
    if len(tasks) < 2 or thread_count() == 1 or hasattr(_here, "is_kept"):
        return [task() for task in tasks]
    call = _Call(tasks)
    helpers = min(thread_count(), len(tasks)) - 1
    for _ in range(helpers):
        _pool().put(call.help)
    _here.is_kept = True
    try:
        call.work()
    finally:
        del _here.is_kept
        call.close()
    return call.in_order()


class _Call(Generic[_T]):
    """Tasks of one call, which several threads process from a shared queue."""

    def __init__(self, tasks: Sequence[Callable[[], _T]]) -> None:
        self._waiting = deque(enumerate(tasks))
        self._results: dict[int, _T] = {}
        self._errors: list[BaseException] = []
        self._lock, self._left = threading.Lock(), threading.Semaphore(0)
        self._started, self._closed = 0, False

    def work(self) -> None:
        """Process the queue until it is empty or a task fails."""
        while True:
            try:
                index, task = self._waiting.popleft()
            except IndexError:
                return
            try:
                self._results[index] = task()
            except BaseException:
                self._waiting.clear()
                raise

    def help(self) -> None:
        """Process the queue on another thread, unless the call has ended."""
        with self._lock:
            if self._closed:
                return
            self._started += 1
        try:
            self.work()
        except BaseException as error:
            self._errors.append(error)
        finally:
            self._left.release()

    def close(self) -> None:
        """Wait for the helping threads; those that start later have no tasks left."""
        with self._lock:
            self._closed = True
        for _ in range(self._started):
            self._left.acquire()

    def in_order(self) -> list[_T]:
        """Return the results, or raise the error of another thread."""
        if self._errors:
            raise self._errors[0]
        return [self._results[index] for index in range(len(self._results))]


def map_spans(task: Callable[[int, int], _T], spans: Sequence[Span]) -> list[_T]:
    """Return the result of a task for each span of rows, computed in parallel.

    Examples
    --------
    >>> map_spans(lambda first, last: last - first, [(0, 3), (3, 5)])
    [3, 2]
    """
    return in_threads([partial(task, *span) for span in spans])


def spans_of_equal_cost(
    costs: NDArray[np.int64], least: int, most: int | None = None
) -> list[Span]:
    """Split rows into spans of similar cost.

    Parameters
    ----------
    costs : ndarray of int64, shape (n + 1,)
        Cumulative cost before each row, and the total cost.
    least : int
        Smallest cost of a span, if there are several.
    most : int, optional
        Largest number of spans. Defaults to one per thread.

    Examples
    --------
    >>> spans_of_equal_cost(np.array([0, 5, 6, 7, 12]), least=100)
    [(0, 4)]
    """
    rows = len(costs) - 1
    most = thread_count() if most is None else most
    count = int(min(most, (costs[-1] - costs[0]) // least)) if rows else 0
    if count < 2:
        return [(0, rows)]
    cuts = np.linspace(costs[0], costs[-1], count + 1)[1:-1]
    edges = [0, *np.searchsorted(costs, cuts).tolist(), rows]
    return [(first, last) for first, last in pairwise(edges) if first < last]


@cache
def _pool() -> SimpleQueue[Callable[[], None]]:
    """Return the queue of threads that are reused by all calls, which is cheaper than new ones.

    `concurrent.futures` reuses threads, too, but its import (with logging) takes 5 ms, longer than
    evaluating small data.
    """
    waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
    for number in range(thread_count() - 1):
        Thread(target=_serve, args=(waiting,), name=f"valor_{number}", daemon=True).start()
    return waiting


def _serve(waiting: SimpleQueue[Callable[[], None]]) -> None:
    _here.is_kept = True  # a task that waited for another one could deadlock
    while True:
        waiting.get()()


if hasattr(os, "register_at_fork"):
    # A forked process has none of these threads and would wait forever.
    os.register_at_fork(after_in_child=_pool.cache_clear)

_here = threading.local()
