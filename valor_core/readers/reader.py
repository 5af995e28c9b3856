"""Readers: sources split into partitions of complete datums."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from attrs import field, frozen

from valor_core.errors import SchemaError, short_repr
from valor_core.readers.partition import Partition, fingerprint
from valor_core.schemas import Batch


@runtime_checkable
class Reader(Protocol):
    """Picklable source of batches."""

    def partitions(self) -> Sequence[Partition]:
        """Return the parts of the source, which can be read in any order and process."""

    def read(self, partition: Any) -> Iterable[Batch]:
        """Yield the batches of one part, whose arrays are not modified afterwards."""


@frozen
class Position(Partition):
    """Partition of a sequence in memory.

    Parameters
    ----------
    number : int
        Position in the sequence.
    fingerprint : str
        Checksum of the content, if requested.
    """

    number: int
    fingerprint: str = ""

    @property
    def name(self) -> str:
        """Name for messages, ``batch 3``."""
        return f"batch {self.number}"


@frozen(repr=False)
class InMemory:
    """Batches in memory, each a separate partition.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text, TextBatch
    >>> reader = InMemory.of([Text("q1", response="Paris")], TextBatch.of)
    >>> [partition.name for partition in reader.partitions()]
    ['batch 0']
    """

    batches: tuple[Batch, ...]
    _fingerprints: tuple[str, ...] = field(default=(), alias="fingerprints")

    @classmethod
    def of(cls, data: Any, make: Callable[[Any], Batch], arrays: str | None = None) -> InMemory:
        """Read a batch, a sequence of batches, or a sequence of items.

        Parameters
        ----------
        data : object
            Batch, batches or items.
        make : callable
            Function that converts items to a batch, such as `TextBatch.of`.
        arrays : str, optional
            Remedy for arrays and tables.

        Raises
        ------
        SchemaError
            If the data has another type; the remedy says how to make a batch.
        """
        if isinstance(data, Batch):
            return cls((data,))
        _check_in_memory(data, arrays)
        if isinstance(data, Iterable) and not isinstance(data, (bytes, Mapping)):
            data = list(data)
            if data and all(isinstance(one, Batch) for one in data):
                return cls(_renumbered(data))
        return cls((make(data),))

    def partitions(self) -> Sequence[Position]:
        """Return a partition for each batch."""
        if self._fingerprints:
            return tuple(map(Position, range(len(self.batches)), self._fingerprints))
        return tuple(map(Position, range(len(self.batches))))

    def fingerprinted(self) -> InMemory:
        """Return the same batches, with partitions identified by a hash of their data."""
        return InMemory(self.batches, tuple(map(fingerprint, self.batches)))

    def read(self, partition: Position) -> Iterator[Batch]:
        """Yield the batch of a partition."""
        yield self.batches[partition.number]


def batch_of(data: Any, make: Callable[[Any], Batch], arrays: str | None = None) -> Batch:
    """Convert items to a batch, with parameters as in `InMemory.of`.

    Raises
    ------
    SchemaError
        If the data has another type; the remedy says how to make a batch.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text, TextBatch
    >>> len(batch_of([Text("q1", response="Paris")], TextBatch.of))
    1
    """
    _check_in_memory(data, arrays)
    return make(data)


def _check_in_memory(data: Any, arrays: str | None) -> None:
    """Raise a `SchemaError` with a remedy for data that needs a reader or a function."""
    if isinstance(data, (str, os.PathLike)):
        raise SchemaError(
            f"data: expected items or a batch, got {short_repr(os.fspath(data))}",
            f"Specify a reader: {{'reader': …, 'path': {os.fspath(data)!r}}}. "
            "See the readers with: valor list --readers",
        )
    if _is_of_arrays(data):
        raise SchemaError(f"data: expected items or a batch, got {type(data).__name__}", arrays)


def _is_of_arrays(data: Any) -> bool:
    """Return whether data is a table, an array of numbers or a list of these."""
    if isinstance(data, (list, tuple)):
        return len(data) > 0 and all(isinstance(one, list) or _is_of_arrays(one) for one in data)
    if hasattr(data, "columns"):
        return True
    return hasattr(data, "__array__") and getattr(getattr(data, "dtype", None), "kind", "O") != "O"


def _renumbered(batches: Iterable[Batch]) -> tuple[Batch, ...]:
    """Renumber batches without uids consecutively, so that their order of reading is irrelevant."""
    renumbered = []
    count = 0
    for batch in batches:
        renumbers = batch.datums.numbered and (count or not batch.datums.from_zero)
        renumbered.append(batch.renumber(count) if renumbers else batch)
        count += len(batch)
    return tuple(renumbered)
