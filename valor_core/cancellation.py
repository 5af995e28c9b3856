"""Cancellation and progress shared by a run and its workers."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` wraps it in enums, which take long
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any, Protocol

from attrs import define, field

STOPPED_BY_USER = "stopped by the user"
"""Reason of a stop requested by the user."""

_EVERY = 0.1  # seconds between two calls of `on_progress`


class Control(Protocol):
    """Control shared by a run and its workers on other threads, processes or machines."""

    @property
    def stopped(self) -> str | None:
        """Reason of the stop, or None while the run continues."""

    def stop(self, reason: str) -> None:
        """Stop all workers before their next item."""

    def scored(self, count: int) -> None:
        """Report newly scored items of a metric that waits."""


@define(eq=False, repr=False)
class LocalControl:
    """Control of a run within this process.

    Parameters
    ----------
    on_progress : callable, optional
        Called with the number of items scored so far, at most a few times per second.

    Examples
    --------
    >>> control = LocalControl()
    >>> control.stop(STOPPED_BY_USER)
    >>> control.stopped
    'stopped by the user'
    """

    on_progress: Callable[[int], None] | None = None
    stopped: str | None = field(default=None, init=False)
    count: int = field(default=0, init=False)
    expected: int = field(default=0, init=False)
    usage: Callable[[], Mapping[str, Any]] = field(default=dict, init=False, repr=False)
    """Usage of the open resources of the run."""
    _last: float = field(default=0.0, init=False, repr=False)
    _counting: threading.Lock = field(factory=threading.Lock, init=False, repr=False)

    def stop(self, reason: str) -> None:
        """Stop before the next item; the first reason is kept."""
        self.stopped = self.stopped or reason

    def expect(self, count: int, usage: Callable[[], Mapping[str, Any]]) -> None:
        """Add the scores of a batch that is about to be scored, with the usage of its resources."""
        with self._counting:
            self.expected += count
        self.usage = usage

    def scored(self, count: int) -> None:
        """Count newly scored items, and report the progress from time to time."""
        with self._counting:
            self.count += count
            is_time = monotonic() - self._last > _EVERY
            if is_time:
                self._last = monotonic()
        # Called without the lock, since the callback may be slow and other threads keep counting.
        if is_time and self.on_progress is not None:
            self.on_progress(self.count)


STOP_SIGNALS = frozenset(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that stop a run; closing a terminal sends SIGHUP."""


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP until a block has finished or failed.

    Has no effect on other threads than the main one, which receives no signals.

    Examples
    --------
    >>> with defer_signals():
    ...     done = True
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    handlers = {
        number: _signal.signal(number, lambda number, frame: asked.append(number))
        for number in STOP_SIGNALS
        if _signal.getsignal(number) != _signal.SIG_IGN  # for example under nohup
    }
    try:
        yield
    finally:
        # Restored in reverse, since SIGINT's handler may raise after all others are restored.
        for number, handler in reversed(handlers.items()):
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if asked:
            signal.raise_signal(asked[0])
