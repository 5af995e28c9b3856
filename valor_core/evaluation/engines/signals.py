"""Interrupts: what a signal to stop must not cut in half."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` wraps it in enums, which take long
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STOP_SIGNALS = frozenset(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that stop a run; a terminal that is closed sends the last one."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A block that no signal to stop cuts in half; it is raised when the block ends or fails.

    On other threads than the main one, which no signal reaches, it is a plain block.

    Examples
    --------
    >>> with uninterrupted():
    ...     done = True
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    handlers = {
        number: _signal.signal(number, lambda number, frame: asked.append(number))
        for number in STOP_SIGNALS
        if _signal.getsignal(number) != _signal.SIG_IGN  # as under nohup
    }
    try:
        yield
    finally:
        # The handler of SIGINT may raise, so that it comes back when all else is as before.
        for number, handler in reversed(handlers.items()):
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if asked:
            signal.raise_signal(asked[0])
