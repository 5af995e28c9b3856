"""Event loop: one in a thread of its own, on which everything that waits is gathered.

A loop of one's own works wherever the caller is: in a script, in a notebook, inside a loop that
runs already, and on any number of threads at once.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

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


async def carried(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """What a coroutine returns, run on the loop and awaited on any other.

    Examples
    --------
    >>> async def where():
    ...     return threading.current_thread().name
    >>> asyncio.run(carried(where()))
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
