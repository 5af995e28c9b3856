"""Installed: the entry points that distributions announce, read once and again after a change."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from importlib import metadata
from typing import Any

from attrs import frozen

_SETTLED = 100_000_000
"""Nanoseconds after which a clock that ticks coarsely tells two writes of a file apart."""

Stamp = tuple[int, int, int] | None


@frozen
class Announced:
    """One entry point of one distribution."""

    group: str
    name: str
    value: str
    distribution: str
    version: str


@frozen
class _Scan:
    """Everything announced in one group, and the state of the disk it was read from."""

    places: tuple[Any, ...]
    stamps: tuple[tuple[str, Stamp], ...]
    is_settled: bool
    found: tuple[Announced, ...]

    def holds(self) -> bool:
        """Whether reading again would find the same."""
        return self.is_settled and all(_stamp(path) == was for path, was in self.stamps)


_kept: dict[str, _Scan] = {}


def entry_points(group: str, *, anew: bool = False) -> tuple[Announced, ...]:
    """The entry points of a group, of all installed distributions.

    Reading the metadata of a large environment takes milliseconds, and looking whether they
    changed takes a visit to every folder on the search path. What was found is kept until the
    search path changes.

    Parameters
    ----------
    group : str
        Name of the group.
    anew : bool
        Whether to look at the folders and the files that announced something: what was installed
        or removed since is noticed.

    Examples
    --------
    >>> "core" in [announced.name for announced in entry_points("valor.plugins")]
    True
    """
    scan = _kept.get(group)
    if scan is None or scan.places != _places() or (anew and not scan.holds()):
        _kept[group] = scan = _scan(group)
    return scan.found


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


def _scan(group: str) -> _Scan:
    places = _places()
    folders = [(path, _stamp(path)) for path in sys.path]
    announcing = list(_announcing(group))
    stamps = (*folders, *((path, _stamp(path)) for path in _files(announcing)))
    found = tuple(one for each in announcing for one in _announced(each, group))
    return _Scan(places, stamps, _is_settled(stamps), found)


def _announcing(group: str) -> Iterator[metadata.Distribution]:
    """The distributions that announce something in a group; of two of one name, the first.

    Most announce nothing of the sort, and a look for the word is enough to tell.
    """
    names = set()
    for each in metadata.distributions():
        name = getattr(each, "_normalized_name", None) or each.name
        if name not in names and group in (each.read_text("entry_points.txt") or ""):
            yield each
        names.add(name)


def _is_settled(stamps: Iterable[tuple[str, Stamp]]) -> bool:
    """Whether the next change, however soon, would leave another stamp."""
    now = time.time_ns()
    return all(was is None or was[0] + _SETTLED < now for _, was in stamps)


def _places() -> tuple[Any, ...]:
    return (os.getcwd() if "" in sys.path else "", *sys.path, *map(id, sys.meta_path))


def _files(announcing: Iterable[metadata.Distribution]) -> set[str]:
    """Files that announce some entry points, where they are plain files."""
    folders = {getattr(each, "_path", None) for each in announcing}
    return {os.path.join(folder, "entry_points.txt") for folder in folders if folder is not None}


def _stamp(path: str) -> Stamp:
    try:
        facts = os.stat(path or os.curdir)
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def _announced(announcing: metadata.Distribution, group: str) -> Iterator[Announced]:
    facts = announcing.metadata  # read anew whenever it is asked for
    for entry in announcing.entry_points:
        if entry.group == group:
            yield Announced(group, entry.name, entry.value, facts["Name"], facts["Version"])
