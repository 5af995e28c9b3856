"""Distribution: an installed package's name, version and entry points.

The standard library tells the same, and importing what it does it with takes 20 ms, mostly for
reading mail. Here folders are read, which is where pip and uv put everything; where a finder or
an archive on the search path may hold more, the standard library is asked after all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.machinery import PathFinder

from attrs import field, frozen

_SUFFIXES = (".dist-info", ".egg-info")
_FILES = ("METADATA", "PKG-INFO")


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
        for line in "".join(map(self._read, _FILES)).splitlines():
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
            if name.endswith(_SUFFIXES):
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
        yield Distribution(_key(each.name), lambda file, each=each: each.read_text(file) or "")
