"""Progress line of a run: finished and remaining items, time left, and spent budgets."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

from attrs import define, field

from valor_cli.program import streams
from valor_core.resources.bound import BoundResource

_WINDOW = 60.0
"""Seconds over which the speed is measured."""
_LEAST = 2.0
"""Seconds before the time left is estimated."""
_FIRST, _EVERY = 15.0, 30.0
"""Seconds until the first line of a log, and between further lines."""
_LIMIT = "max_"

Show = Callable[[str, "float | None"], None]
"""Function that shows a text and the finished share of the run, None if it is unknown."""


@define(eq=False)
class ProgressLine:
    """Callback for the progress of a run.

    Parameters
    ----------
    show : callable
        Shows the line.
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> times = iter([0.0, 10.0])
    >>> line = ProgressLine(lambda text, share: print(text), lambda: next(times))
    >>> line(0, 4, 0)
    0 items, 0 of 4 parts
    >>> line(1, 4, 500)
    500 items, 1 of 4 parts, about 30 s left
    """

    show: Show
    clock: Callable[[], float] = monotonic
    _limits: dict[str, dict[str, float]] = field(factory=dict, init=False)
    _samples: deque[tuple[float, float]] = field(factory=deque, init=False)
    _scored: tuple[int, int] | None = field(default=None, init=False)
    _usage: Mapping[str, Mapping[str, Any]] = field(factory=dict, init=False)

    def limit(self, resources: Iterable[BoundResource]) -> None:
        """Read the budgets of resources: their divided parameters such as ``max_calls``."""
        for resource in resources:
            named = {one: getattr(resource.parameters, one) for one in resource.spec.divided}
            self._limits[resource.name] = {
                name.removeprefix(_LIMIT): limit
                for name, limit in named.items()
                if name.startswith(_LIMIT) and limit is not None
            }

    def on_scored(self, scored: int, read: int, usage: Mapping[str, Mapping[str, Any]]) -> None:
        """Store the numbers of scored and read items, and the usage of resources."""
        self._scored, self._usage = (scored, read), usage
        if any(facts.get("calls") == 0 for facts in usage.values()):
            self._samples.clear()  # items of an earlier run say nothing about the speed

    def __call__(self, finished: int, partitions: int, read: int) -> None:
        """Show the progress of partitions or, if items are scored one by one, of items."""
        done, total = self._scored or (0, 0)
        if partitions == 1 and 0 < total >= done:  # other processes count no items to score
            text = f"{done:,} of {total:,} items"
            text += f", {total - done:,} to go" if done < total else ""
        else:
            done, total = finished, partitions
            text = f"{read:,} items"
            text += f", {finished:,} of {partitions:,} parts" if partitions > 1 else ""
        parts = [text, *self._time_left(done, total), *self._spent()]
        self.show(", ".join(parts), done / total if total else None)

    def _time_left(self, done: int, total: int) -> Iterator[str]:
        now = self.clock()
        self._samples.append((now, done))
        while now - self._samples[0][0] > _WINDOW:
            self._samples.popleft()
        since, before = self._samples[0]
        if now - since >= _LEAST and before < done < total:
            yield f"about {duration((total - done) * (now - since) / (done - before))} left"

    def _spent(self) -> Iterator[str]:
        for name, facts in self._usage.items():
            limits = self._limits.get(name, {})
            used = {one: facts[one] for one in ("calls", "cost") if one in facts}
            if "tokens" in limits:
                used["tokens"] = sum(facts.get(f"{one}_tokens", 0) for one in _TOKENS)
            for one, number in used.items():
                most = f" of {_number(limits[one])}" if one in limits else ""
                yield f"{_number(number)}{most} {one}"


_TOKENS = ("prompt", "completion")


def _number(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.4g}"


def duration(seconds: float) -> str:
    """Format a duration.

    Examples
    --------
    >>> duration(0.4), duration(75), duration(7300)
    ('1 s', '2 min', '2 h 2 min')
    """
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = -(-int(seconds) // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@define(eq=False)
class LogLines:
    """Lines of progress in a log, at most one every 30 seconds.

    Parameters
    ----------
    clock : callable
        Returns the time in seconds.
    """

    clock: Callable[[], float] = monotonic
    _next: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._next = self.clock() + _FIRST

    def __call__(self, text: str, share: float | None) -> None:
        """Print a line if the time has come."""
        if self.clock() >= self._next:
            self._next = self.clock() + _EVERY
            streams.talk(text)


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Context with the progress of a run: one line of a terminal, or sparse lines of a log."""
    if not sys.stderr.isatty():
        yield ProgressLine(LogLines())
        return
    from valor_report.terminal import progress

    with progress() as show:
        yield ProgressLine(show)
