"""Threads: for kernels, which release the interpreter while they run."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_T = TypeVar("_T")
Span = tuple[int, int]
"""First row, and the one behind the last."""


def thread_count() -> int:
    """Threads that one piece of work may use: all cores; one in a worker process.

    The cores of a worker process are busy with its peers.
    """
    # A worker has the module loaded; to load it takes others longer than most of their work.
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(tasks: Sequence[Callable[[], _T]]) -> list[_T]:
    """Answers of some tasks, which run side by side, on this thread too.

    Called from a task, it runs all on that task's thread.

    Examples
    --------
    >>> in_threads([lambda: 1, lambda: 2])
    [1, 2]
    """
    if len(tasks) < 2 or thread_count() == 1 or hasattr(_here, "is_kept"):
        return [task() for task in tasks]
    from concurrent.futures import wait

    # Threads take the next task when they are done with one, so that one long task holds up no
    # other. To pop from a deque and to set a key of a dictionary need no lock.
    answers: dict[int, _T] = {}
    waiting = deque(enumerate(tasks))
    others = [
        _pool().submit(_work, waiting, answers) for _ in range(min(thread_count(), len(tasks)) - 1)
    ]
    _here.is_kept = True
    try:
        _work(waiting, answers)
    finally:
        del _here.is_kept
        # Threads that have not begun are called off. The others are waited for, also where a task
        # has failed: they may write into arrays of the caller.
        started = [other for other in others if not other.cancel()]
        wait(started)
    for other in started:
        other.result()
    return [answers[place] for place in range(len(tasks))]


def _work(waiting: deque[tuple[int, Callable[[], _T]]], answers: dict[int, _T]) -> None:
    """Do what waits, until nothing does or something fails."""
    while True:
        try:
            place, task = waiting.popleft()
        except IndexError:
            return
        try:
            answers[place] = task()
        except BaseException:
            waiting.clear()
            raise


def over(task: Callable[[int, int], _T], spans: Sequence[Span]) -> list[_T]:
    """What a task answers for each span of rows, side by side.

    Examples
    --------
    >>> over(lambda first, last: last - first, [(0, 3), (3, 5)])
    [3, 2]
    """
    return in_threads([partial(task, *span) for span in spans])


def shares(costs: NDArray[np.int64], least: int, most: int | None = None) -> list[Span]:
    """Spans of rows that cost about the same.

    Parameters
    ----------
    costs : ndarray of int64, shape (n + 1,)
        Cost of all rows before each one, and of all.
    least : int
        Cost that a span has at the least, if there are several.
    most : int, optional
        Most spans; one for each thread unless given.

    Examples
    --------
    >>> shares(np.array([0, 5, 6, 7, 12]), least=100)
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
def _pool() -> ThreadPoolExecutor:
    """Threads kept from one call to the next, which costs less than starting them."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(thread_count() - 1, "valor", initializer=_keep)


if hasattr(os, "register_at_fork"):
    # A copy of this process has none of its threads, and would wait for them without end.
    os.register_at_fork(after_in_child=_pool.cache_clear)

_here = threading.local()


def _keep() -> None:
    """Mark this thread: a task on it that waited for another one might wait for itself."""
    _here.is_kept = True
