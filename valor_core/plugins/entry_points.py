"""Entry points: which distribution claims which namespace, read again after a change.

The standard library reads them, too, and importing what it does it with takes 20 ms, mostly for
reading mail. Here folders are read, which is where pip and uv put everything; where a finder or
an archive on the search path may hold more, the standard library is asked after all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

if TYPE_CHECKING:
    from importlib import metadata


GROUP = "valor.plugins"
"""Group of the entry points: a namespace, and the module of its manifest."""

_FOLDERS = (".dist-info", ".egg-info")
_FACTS = ("METADATA", "PKG-INFO")


@frozen
class Claim:
    """One distribution's entry point for a namespace."""

    namespace: str
    module: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"

    @property
    def place(self) -> str:
        """What the plugin is called in errors."""
        return f"plugin '{self.namespace}' ({self})"


def claims() -> tuple[Claim, ...]:
    """The namespaces that installed distributions claim.

    Reading the metadata of a large environment takes milliseconds. What was found is kept until
    the search path changes, or a folder on it: installing and removing a distribution does that.

    Examples
    --------
    >>> "core" in [claim.namespace for claim in claims()]
    True
    """
    return _found(tuple([(path, _changed(path)) for path in sys.path]), (*sys.meta_path,))


def _changed(folder: str) -> int | None:
    """When a folder changed last, in nanoseconds."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return None


@lru_cache(maxsize=4)
def _found(folders: Any, finders: Any) -> tuple[Claim, ...]:
    return tuple(_read())


def _read() -> Iterator[Claim]:
    """What the metadata say; of two distributions of one name, the first counts."""
    seen = set()
    for each in distributions():
        if each.key not in seen:
            seen.add(each.key)
            for name, value in _entries(each.entry_points):
                yield Claim(name, value, each.name, each.version)


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Names and values in the section of an ``entry_points.txt``."""
    section = ""
    for line in map(str.strip, text.splitlines() if GROUP in text else ()):
        name, is_entry, value = line.partition("=")
        if line.startswith("["):
            section = line.strip("[]")
        elif section == GROUP and is_entry and not line.startswith(("#", ";")):
            yield name.strip(), value.strip()


@frozen(eq=False, repr=False)
class Distribution:
    """One installed distribution.

    Parameters
    ----------
    key : str
        Its name, as names of distributions are compared.
    _read : callable
        From the name of one of its files to the text, empty without one.
    """

    key: str
    _read: Callable[[str], str] = field(alias="read")

    @property
    def entry_points(self) -> str:
        """The text of its entry points."""
        return self._read("entry_points.txt")

    @property
    def name(self) -> str:
        """Its name, as it writes it."""
        return self._fact("Name")

    @property
    def version(self) -> str:
        """Its version."""
        return self._fact("Version")

    def _fact(self, wanted: str) -> str:
        """A field of the header that its metadata begin with."""
        for line in "".join(map(self._read, _FACTS)).splitlines():
            name, _, value = line.partition(":")
            if name == wanted:
                return value.strip()
        return ""


def distributions() -> Iterator[Distribution]:
    """All that are installed, in the order of the search path; one name may come twice."""
    return _in_folders() if _are_only_folders() else _by_finders()


def version_of(name: str) -> str | None:
    """The version of a distribution that is installed here, or None.

    Examples
    --------
    >>> version_of("no-such-distribution") is None
    True
    """
    key = _key(name)
    found = (each.version for each in distributions() if each.key == key)
    return next(found, None)


def _key(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")


def _are_only_folders() -> bool:
    """Whether reading the folders of the search path finds everything."""
    finders = [each for each in sys.meta_path if hasattr(each, "find_distributions")]
    paths = [path for path in sys.path if path.endswith(".egg") or os.path.isfile(path)]
    return finders == [PathFinder] and not paths


def _in_folders() -> Iterator[Distribution]:
    for folder in sys.path:
        try:
            found = os.listdir(folder or os.curdir)
        except OSError:
            continue
        for name in found:
            if name.endswith(_FOLDERS):
                key = _key(name.rpartition(".")[0].partition("-")[0])
                yield Distribution(key, partial(_text, os.path.join(folder, name)))


def _text(folder: str, file: str) -> str:
    try:
        with open(os.path.join(folder, file), "rb", buffering=0) as stream:
            return stream.read().decode()
    except OSError:
        return ""


def _by_finders() -> Iterator[Distribution]:
    from importlib import metadata

    for each in metadata.distributions():
        yield Distribution(_key(each.name), partial(_text_of, each))


def _text_of(found: metadata.Distribution, file: str) -> str:
    return found.read_text(file) or ""


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
    from importlib import metadata

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
