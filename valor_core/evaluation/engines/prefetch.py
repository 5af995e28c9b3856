"""Reading ahead: the next partitions are read while one is counted."""

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
"""Partitions that are read at a time. More would wait for each other: all of them use Python."""


@define(repr=False)
class ReadAhead:
    """A reader that begins the next partitions on threads while one is counted.

    An error is raised when it is the partition's turn. Several threads read, since reading a table
    takes many times as long as counting it.

    Parameters
    ----------
    reader : Reader
        What reads.
    width : int
        How many partitions are read at a time; 0 for none before its turn.
    """

    reader: Reader
    width: int
    _begun: dict[int, Future[tuple[Batch | None, Iterator[Batch]]]] = field(
        factory=dict, init=False
    )
    _threads: ThreadPoolExecutor | None = field(default=None, init=False)

    @classmethod
    def of(cls, reader: Reader, partitions: Sequence[Partition]) -> ReadAhead:
        """One that begins as many of these partitions as there are cores, if all of them allow it.

        Parameters
        ----------
        reader : Reader
            What reads.
        partitions : sequence of Partition
            What it will read.
        """
        may_be = len(partitions) > 1 and all(one.may_be_read_ahead for one in partitions)
        return cls(reader, min(thread_count(), _MOST) if may_be else 0)

    def partitions(self) -> Sequence[Partition]:
        """Those of the reader."""
        return self.reader.partitions()

    def in_order(self, partitions: Sequence[Partition]) -> Iterator[Partition]:
        """The partitions, each when those that follow it are begun."""
        begun: deque[Partition] = deque()
        for partition in partitions:
            self._begin(partition)
            begun.append(partition)
            if len(begun) > self.width:
                yield begun.popleft()
        yield from begun

    def read(self, partition: Partition) -> Iterator[Batch]:
        """The batches of a partition."""
        begun = self._begun.pop(id(partition), None)
        first, rest = self._first_of(partition) if begun is None else begun.result()
        if first is not None:
            yield first
            yield from rest

    def close(self) -> None:
        """Let the threads end, which may be reading still."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        self._begun.clear()

    def _begin(self, partition: Partition) -> None:
        if not self.width:
            return
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # with logging: 5 ms

            self._threads = ThreadPoolExecutor(self.width)
        self._begun[id(partition)] = self._threads.submit(self._first_of, partition)

    def _first_of(self, partition: Partition) -> tuple[Batch | None, Iterator[Batch]]:
        batches = iter(self.reader.read(partition))
        return next(batches, None), batches
