"""Control: how those who count are told to stop, and tell how far they are."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` wraps it in enums, which take long
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

from attrs import define, field

STOPPED_BY_USER = "stopped by the user"
"""Why nothing more is counted, where somebody asked for that."""

_EVERY = 0.1  # seconds between two times that somebody is told how far the scoring is


class Control(Protocol):
    """What a run and those who count for it share, on other threads, processes or machines."""

    @property
    def stopped(self) -> str | None:
        """Why no further item is to be begun; None while the run goes on."""

    def stop(self, reason: str) -> None:
        """Tell everybody to begin no further item."""

    def scored(self, count: int) -> None:
        """Tell that some more items have been scored by a metric that waits."""


@define(eq=False, repr=False)
class LocalControl:
    """The control of a run whose work is done in this process.

    Parameters
    ----------
    told : callable, optional
        Called with the number of items scored so far, a few times a second at the most.

    Examples
    --------
    >>> control = LocalControl()
    >>> control.stop(STOPPED_BY_USER)
    >>> control.stopped
    'stopped by the user'
    """

    told: Callable[[int], None] | None = None
    stopped: str | None = field(default=None, init=False)
    count: int = field(default=0, init=False)
    _last: float = field(default=0.0, init=False, repr=False)
    _counting: threading.Lock = field(factory=threading.Lock, init=False, repr=False)

    def stop(self, reason: str) -> None:
        """Begin no further item; the first reason stays."""
        self.stopped = self.stopped or reason

    def scored(self, count: int) -> None:
        """Some more items have been scored."""
        with self._counting:
            self.count += count
            is_time = monotonic() - self._last > _EVERY
            if is_time:
                self._last = monotonic()
        # Outside of the lock: whoever is told may take long, and others count meanwhile.
        if is_time and self.told is not None:
            self.told(self.count)


STOP_SIGNALS = frozenset(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that stop a run; a terminal that is closed sends the last one."""


@contextmanager
def defer_signals() -> Iterator[None]:
    """A block that no signal to stop cuts in half; it is raised when the block ends or fails.

    On other threads than the main one, which no signal reaches, it is a plain block.

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
