"""Partitions of a source, and their identity in the list of finished partitions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Set
from functools import lru_cache
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from valor_core.errors import ReadError, not_defined, short_repr


def fingerprint(value: Any) -> str:
    """Return a checksum of the content of a batch, the same on every machine.

    Parameters
    ----------
    value : object
        An attrs value, an array, a list, a mapping, or an object with its content in its `repr`.

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


_SCALAR_TYPES = frozenset({str, int, float, bool, type(None)})


def _add(digest: Any, value: Any) -> None:
    """Add a value to the digest; values of different kinds never collide."""
    kind = type(value)
    if kind in _SCALAR_TYPES:  # the most frequent types, checked first
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
    """Return the fields of an attrs class, or None for another class."""
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
    """Picklable part of a source, with complete datums (both sides).

    A subclass implements `name`, and the other members if it reads files or data.

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
        """Name in messages and in the list of finished partitions."""
        raise not_defined(self, "name")

    @property
    def identity(self) -> str:
        """Name independent of the folder from which files are specified."""
        return self.name

    @property
    def paths(self) -> Iterable[Path]:
        """Files of the partition, whose identity includes their size and modification time."""
        return ()

    @property
    def may_be_read_ahead(self) -> bool:
        """True if another thread may read the partition in advance.

        Up to five partitions are then in memory, and the reader must be thread-safe.
        """
        return False

    @property
    def fingerprint(self) -> str:
        """Checksum of the content as 32 hexadecimal digits, or empty; changes with the content."""
        return ""


def identity(partition: Partition) -> str:
    """Return the name and the version of a partition's data for the list of finished partitions.

    Raises
    ------
    ReadError
        If the value is not a `Partition`.
    """
    if not isinstance(partition, Partition):
        raise ReadError(
            "partitions: expected values of valor_core.readers.Partition, "
            f"got {short_repr(partition)}",
            "Inherit from it: class Part(Partition).",
        )
    stats = [path.stat() for path in partition.paths if path.exists()]
    versions = [f"{stat.st_size}:{stat.st_mtime_ns}" for stat in stats]
    return " ".join(filter(None, [partition.identity, *versions, partition.fingerprint]))


def name_in(identity: str) -> str:
    """Return the name of a partition from its identity.

    Examples
    --------
    >>> name_in("a b.csv, rows 1 to 9 2048:1700000000000000000")
    'a b.csv, rows 1 to 9'
    >>> name_in("batch 3 4d7a8f0b1c2e3f405162738495a6b7c8")
    'batch 3'
    """
    # Saved states contain identities, so this pattern is a file format.
    return re.sub(r"( \d+:\d+)*( [0-9a-f]{32})?$", "", identity)
