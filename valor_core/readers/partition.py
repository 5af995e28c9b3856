"""Partition: a part of a source, and what stands for it in the list of finished ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Set
from functools import lru_cache
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from valor_core.errors import ReadError, shown


def fingerprint(value: Any) -> str:
    """What stands for the content of a batch: equal where all of it is, on any machine.

    Parameters
    ----------
    value : object
        An attrs value, an array, a list, a table, or what has a `repr` of its content.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> from valor_core.schemas.text.batch import Text
    >>> fingerprint(Text("q1", response="Rome")) == fingerprint(Text("q1", response="Rome"))
    True
    >>> fingerprint(Text("q1", response="Rome")) == fingerprint(Text("q1", response="Paris"))
    False
    """
    from hashlib import blake2b  # loads OpenSSL, 3 ms that few runs need

    digest = blake2b(digest_size=16)
    _add(digest, value)
    return digest.hexdigest()


_PLAIN = frozenset({str, int, float, bool, type(None)})


def _add(digest: Any, value: Any) -> None:
    """Add a value, each kind of it told from every other."""
    kind = type(value)
    if kind in _PLAIN:  # most values are, and it takes long to find out that they are nothing else
        _add_plain(digest, value)
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(f"array {value.dtype.str} {value.shape} ".encode())
        digest.update(np.ascontiguousarray(value).view(np.uint8).data)
    elif isinstance(value, Mapping):
        _add_table(digest, "table", value)
    elif (names := _names(kind)) is not None:  # type: ignore[arg-type]
        _add_table(digest, kind.__name__, {name: getattr(value, name) for name in names})
    elif isinstance(value, (list, tuple, np.ndarray)):
        _add_list(digest, "list", value)
    elif isinstance(value, Set):
        _add_list(digest, "set", sorted(map(repr, value)))
    else:
        _add_plain(digest, value)


def _add_plain(digest: Any, value: Any) -> None:
    digest.update(f"{type(value).__name__} {value!r} ".encode(errors="surrogatepass"))


@lru_cache(maxsize=256)
def _names(kind: type) -> tuple[str, ...] | None:
    """What an attrs class is made of, or None for another class."""
    if not attrs.has(kind):
        return None
    return tuple(field.name for field in attrs.fields(kind) if field.init)


def _add_list(digest: Any, kind: str, items: Collection[Any]) -> None:
    digest.update(f"{kind} {len(items)} ".encode())
    for item in items:
        _add(digest, item)


def _add_table(digest: Any, kind: str, table: Mapping[str, Any]) -> None:
    digest.update(f"{kind} {len(table)} ".encode())
    for key in table:
        _add(digest, key)
        _add(digest, table[key])


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
