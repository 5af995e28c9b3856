"""Fingerprints: whether data in memory are the same as at another time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from functools import lru_cache
from typing import Any

import attrs
import numpy as np


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
