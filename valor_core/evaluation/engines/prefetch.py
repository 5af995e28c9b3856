"""Prefetching: threads read the next partitions while one is counted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from attrs import define, field

from valor_core.kernels.threads import thread_count
from valor_core.readers.partition import Partition
from valor_core.readers.reader import Reader
from valor_core.schemas import Batch

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_MOST: Final = 4
"""Most partitions to read at a time. More threads would compete for the GIL."""


@define(repr=False)
class ReadAhead:
    """Reader that prefetches the next partitions on threads while one is counted.

    Errors are raised when their partition is read. Several threads read because reading a table
    takes much longer than counting it.

    Parameters
    ----------
    reader : Reader
        Underlying reader.
    width : int
        Number of partitions to prefetch; 0 disables prefetching.
    """

    reader: Reader
    width: int
    _started: dict[int, Future[tuple[Batch | None, Iterator[Batch]]]] = field(
        factory=dict, init=False
    )
    _threads: ThreadPoolExecutor | None = field(default=None, init=False)

    @classmethod
    def of(cls, reader: Reader, partitions: Sequence[Partition]) -> ReadAhead:
        """Create a prefetching reader if all partitions allow it.

        Parameters
        ----------
        reader : Reader
            Underlying reader.
        partitions : sequence of Partition
            Partitions to read. A single one is not prefetched: nothing is counted meanwhile.
        """
        allowed = len(partitions) > 1 and all(one.may_be_read_ahead for one in partitions)
        return cls(reader, min(thread_count(), _MOST) if allowed else 0)

    def partitions(self) -> Sequence[Partition]:
        """Return the partitions of the underlying reader."""
        return self.reader.partitions()

    def in_order(self, partitions: Sequence[Partition]) -> Iterator[Partition]:
        """Yield the partitions in order, after prefetching of the next ones has started."""
        started: deque[Partition] = deque()
        for partition in partitions:
            self._start(partition)
            started.append(partition)
            if len(started) > self.width:
                yield started.popleft()
        yield from started

    def read(self, partition: Partition) -> Iterator[Batch]:
        """Yield the batches of a partition."""
        started = self._started.pop(id(partition), None)
        first, rest = self._read_first(partition) if started is None else started.result()
        if first is not None:
            yield first
            yield from rest

    def close(self) -> None:
        """Shut down the threads without waiting for their reads."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        self._started.clear()

    def _start(self, partition: Partition) -> None:
        if not self.width:
            return
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # with logging: 5 ms

            self._threads = ThreadPoolExecutor(self.width)
        self._started[id(partition)] = self._threads.submit(self._read_first, partition)

    def _read_first(self, partition: Partition) -> tuple[Batch | None, Iterator[Batch]]:
        batches = iter(self.reader.read(partition))
        return next(batches, None), batches
