"""Installed: the entry points that distributions announce, read again after a change."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import metadata
from typing import Any

from attrs import frozen


@frozen
class Announced:
    """One entry point of one distribution."""

    group: str
    name: str
    value: str
    distribution: str
    version: str


def entry_points(group: str) -> tuple[Announced, ...]:
    """The entry points of a group, of all installed distributions.

    Reading the metadata of a large environment takes milliseconds. What was found is kept until
    the search path changes, or a folder on it: installing and removing a distribution does that.

    Parameters
    ----------
    group : str
        Name of the group.

    Examples
    --------
    >>> "core" in [announced.name for announced in entry_points("valor.plugins")]
    True
    """
    return _found(group, tuple([(path, _changed(path)) for path in sys.path]), (*sys.meta_path,))


def _changed(folder: str) -> int | None:
    """When a folder changed last, in nanoseconds."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return None


@lru_cache(maxsize=4)
def _found(group: str, folders: Any, finders: Any) -> tuple[Announced, ...]:
    return tuple(_announced(group))


def _announced(group: str) -> Iterator[Announced]:
    """What the distributions announce in a group; of two of one name, the first counts.

    Most announce nothing of the sort, and a look for the word is enough to tell.
    """
    names = set()
    for each in metadata.distributions():
        name = getattr(each, "_normalized_name", None) or each.name
        if name not in names and group in (each.read_text("entry_points.txt") or ""):
            facts = each.metadata  # read anew whenever it is asked for
            for entry in each.entry_points:
                if entry.group == group:
                    yield Announced(group, entry.name, entry.value, facts["Name"], facts["Version"])
        names.add(name)


def unmet(distribution: str, needed: str = "valor-core") -> str | None:
    """What a distribution asks of another that the installed one is not.

    It says so where the package ``packaging``, which can tell, is there.

    Parameters
    ----------
    distribution : str
        Whose metadata are read.
    needed : str
        What it asks for.

    Returns
    -------
    str or None
        For instance ``"needs valor-core>=9.0, installed is 0.1.0"``.

    Examples
    --------
    >>> unmet("valor-core", "numpy") is None
    True
    """
    try:
        from packaging.requirements import Requirement

        wanted = [Requirement(line) for line in metadata.requires(distribution) or ()]
        version = metadata.version(needed)
    except (ImportError, ValueError):
        return None
    for one in wanted:
        is_asked = one.marker is None or one.marker.evaluate({"extra": ""})
        if one.name == needed and is_asked and not one.specifier.contains(version, True):
            return f"needs {needed}{one.specifier}, installed is {version}"
    return None
