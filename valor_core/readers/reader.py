"""Reading: sources split into partitions of whole datums, and what reads them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from attrs import frozen

from valor_core.errors import SchemaError, shown
from valor_core.readers.partition import Partition, fingerprint
from valor_core.schemas import Batch


@runtime_checkable
class Reader(Protocol):
    """Reads batches from somewhere; pickles."""

    def partitions(self) -> Sequence[Partition]:
        """The parts of the source, which can be read in any order and place."""

    def read(self, partition: Any) -> Iterable[Batch]:
        """The batches of one part, whose arrays are not written to afterwards."""


@frozen
class Position(Partition):
    """A partition that is one of several things in memory.

    Parameters
    ----------
    number : int
        Which of them.
    fingerprint : str
        What stands for its content, where that was asked for.
    """

    number: int
    fingerprint: str = ""

    @property
    def name(self) -> str:
        """``batch 3``."""
        return f"batch {self.number}"


@frozen(repr=False)
class InMemory:
    """Batches that are there already, each a partition of its own.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text, TextBatch
    >>> reader = InMemory.of([Text("q1", response="Paris")], TextBatch.of)
    >>> [partition.name for partition in reader.partitions()]
    ['batch 0']
    """

    batches: tuple[Batch, ...]
    _fingerprints: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Any, make: Callable[[Any], Batch], arrays: str | None = None) -> InMemory:
        """A batch, a sequence of batches, or a sequence of the objects of a task.

        Parameters
        ----------
        data : object
            Any of these.
        make : callable
            Function that makes a batch of items, such as `TextBatch.of`.
        arrays : str, optional
            Remedy for arrays and tables.

        Raises
        ------
        SchemaError
            If they are something else, with what makes a batch of it.
        """
        if isinstance(data, Batch):
            return cls((data,))
        _check_in_memory(data, arrays)
        if isinstance(data, Iterable) and not isinstance(data, (bytes, Mapping)):
            data = list(data)
            if data and all(isinstance(one, Batch) for one in data):
                return cls(_numbered_apart(data))
        return cls((make(data),))

    def partitions(self) -> Sequence[Position]:
        """One for each batch."""
        if self._fingerprints:
            return tuple(map(Position, range(len(self.batches)), self._fingerprints))
        return tuple(map(Position, range(len(self.batches))))

    def fingerprinted(self) -> InMemory:
        """The same, with partitions that are others when their batch is; it reads all data."""
        return InMemory(self.batches, tuple(map(fingerprint, self.batches)))

    def read(self, partition: Position) -> Iterator[Batch]:
        """The batch at a position."""
        yield self.batches[partition.number]


def batch_of(data: Any, make: Callable[[Any], Batch], arrays: str | None = None) -> Batch:
    """The batch of some objects of its task; the others are as in `InMemory.of`.

    Raises
    ------
    SchemaError
        If they are something else, with what makes a batch of it.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text, TextBatch
    >>> len(batch_of([Text("q1", response="Paris")], TextBatch.of))
    1
    """
    _check_in_memory(data, arrays)
    return make(data)


def _check_in_memory(data: Any, arrays: str | None) -> None:
    """Raise a `SchemaError` that helps on if data are what only a reader or a function takes."""
    if isinstance(data, (str, os.PathLike)):
        raise SchemaError(
            f"data: expected items or a batch, got {shown(os.fspath(data))}",
            f"Name what reads it: {{'reader': …, 'path': {os.fspath(data)!r}}}. "
            "See the readers with: valor list --readers",
        )
    if _is_of_arrays(data):
        raise SchemaError(f"data: expected items or a batch, got {type(data).__name__}", arrays)


def _is_of_arrays(data: Any) -> bool:
    """Whether some data are a table or an array of numbers, or several."""
    if isinstance(data, (list, tuple)):
        return len(data) > 0 and all(isinstance(one, list) or _is_of_arrays(one) for one in data)
    if hasattr(data, "columns"):
        return True
    return hasattr(data, "__array__") and getattr(getattr(data, "dtype", None), "kind", "O") != "O"


def _numbered_apart(batches: Iterable[Batch]) -> tuple[Batch, ...]:
    """Batches whose datums have no names, numbered through, whoever reads them first."""
    apart = []
    count = 0
    for batch in batches:
        renumbers = batch.datums.numbered and (count or not batch.datums.from_zero)
        apart.append(batch.renumber(count) if renumbers else batch)
        count += len(batch)
    return tuple(apart)
