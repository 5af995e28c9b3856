"""Partition: a part of a source, and what stands for it in the list of finished ones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from valor_core.errors import ReadError, shown


class Partition:
    """A part of a source: pickles, and holds whole datums with both sides.

    It has a `name`; the others need to be written only by one that files or data stand behind.

    Examples
    --------
    >>> from attrs import frozen
    >>> @frozen
    ... class Shelf(Partition):
    ...     number: int
    ...     @property
    ...     def name(self):
    ...         return f"shelf {self.number}"
    >>> identity(Shelf(3))
    'shelf 3'
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """What it is called in messages and in the list of finished partitions."""
        raise NotImplementedError

    @property
    def identity(self) -> str:
        """Its name, from whatever folder its files are named."""
        return self.name

    @property
    def paths(self) -> Iterable[Path]:
        """The files it is of; it is another one when the size or time of change of one is."""
        return ()

    @property
    def may_be_read_ahead(self) -> bool:
        """Whether another thread may read it before its turn.

        Up to five are in memory then, and a reader of several at a time shares nothing that only
        one thread may use.
        """
        return False

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits for its content, or nothing; it is another one when they are."""
        return ""


def identity(partition: Partition) -> str:
    """What stands in the list of finished partitions: its name, and the version of its data.

    Raises
    ------
    ReadError
        If a reader's partition is none.
    """
    if not isinstance(partition, Partition):
        raise ReadError(
            f"partitions: expected values of valor_core.readers.Partition, got {shown(partition)}",
            "Inherit from it: class Part(Partition).",
        )
    stats = [path.stat() for path in partition.paths if path.exists()]
    versions = [f"{stat.st_size}:{stat.st_mtime_ns}" for stat in stats]
    return " ".join(filter(None, [partition.identity, *versions, partition.fingerprint]))


def name_in(identity: str) -> str:
    """The name of the partition that an identity is of.

    Examples
    --------
    >>> name_in("a b.csv, rows 1 to 9 2048:1700000000000000000")
    'a b.csv, rows 1 to 9'
    >>> name_in("batch 3 4d7a8f0b1c2e3f405162738495a6b7c8")
    'batch 3'
    """
    return re.sub(r"( \d+:\d+)*( [0-9a-f]{32})?$", "", identity)
