"""Entry points by which other distributions extend reports: formats, views, galleries, gates.

Reading a group imports nothing. ``".html" = "valor_report.pages.page:html"`` stays a line of
metadata until a report is saved as HTML.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from attrs import frozen

from valor_core.errors import (
    BrokenPluginError,
    MissingExtraError,
    PluginConflictError,
    RegistryError,
    ReportError,
    ValorError,
    described,
    short_repr,
)
from valor_core.packages import (
    DRAWING,
    OWNERS,
    Distribution,
    Installed,
    installed,
    rescan,
    uninstall,
    version_of,
    ways,
)

_F = TypeVar("_F", bound=Callable[..., Any])

FORMATS: Final = "valor.formats"
"""Writers by the suffix of the file: from results or a report to its text or bytes."""

VIEWS: Final = "valor.views"
"""Views of results for Python and notebooks: ``notebook``, ``plot``, ``scalars``, ``wide``."""

REQUIREMENTS: Final = "valor.requirements"
"""Thresholds that gate a CI run: ``parse`` reads conditions, ``check`` compares results."""

FRAMES: Final = "valor.frames"
"""Recognition of tables in memory and files, ``tables``: from sides to a config section."""

FILTERS: Final = "valor.filters"
"""Filter expressions, ``parse``: from text to a filter, which has a mask of the datums."""

GALLERIES: Final = "valor.galleries"
"""The writer of a gallery's page, ``page``: from a config section, a task and a registry."""

INTERVALS: Final = "valor.intervals"
"""Intervals of results, ``groups``: from a level or a config section to groups of items."""


@frozen
class Extension:
    """Entry point of one installed distribution.

    Parameters
    ----------
    group, name, value : str
        ``"valor.formats"``, ``".html"``, ``"package.module:function"``.
    distribution : str
        Name and version.
    function : callable, optional
        Function of this process; by default, it is imported.
    """

    group: str
    name: str
    value: str
    distribution: str
    function: Callable[..., Any] | None = None

    def load(self) -> Any:
        """Import the function.

        Raises
        ------
        BrokenPluginError
            If it cannot be imported.
        """
        if self.function is not None:
            return self.function
        module, _, attribute = self.value.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except RegistryError as error:
            raise error.at(f"{self.distribution}: {self.value}: ") from error
        except Exception as error:
            raise BrokenPluginError(
                f"{self.distribution}: {self.value}, its {self.name!r} in {self.group}, cannot be "
                f"imported, {reason_of(error)}"
            ) from error


_DECORATED: WeakValueDictionary[str, Callable[..., Any]] = WeakValueDictionary()
"""Functions of report formats in this process by suffix."""


def report_format(suffix: str) -> Callable[[_F], _F]:
    r"""Decorate a function that writes reports: from a report to text or bytes.

    The format is available in this process. It replaces an installed format of the same suffix.

    Parameters
    ----------
    suffix : str
        Suffix of the files.

    Raises
    ------
    ReportError
        If it is no suffix, or ``.json``.

    Examples
    --------
    >>> @report_format(".tex")
    ... def table(report):
    ...     return "\n".join(f"{one.type} & {one.value:.3f}" for one in report)
    >>> extension(FORMATS, ".tex").load() is table
    True
    """
    if PurePath(f"report{suffix}").suffix != suffix or suffix in ("", ".json"):
        raise ReportError(
            f"report_format: expected a suffix such as '.tex', got {short_repr(suffix)}",
            "Write it as: @report_format('.tex')",
        )

    def register(function: _F) -> _F:
        _DECORATED[suffix] = function
        vars(function)["valor_format"] = suffix
        return function

    return register


def announced(group: str) -> Mapping[str, tuple[Extension, ...]]:
    """Extensions of a group by name; more than one where distributions conflict."""
    found = _announced(installed(), group)
    if group != FORMATS or not _DECORATED:
        return found
    made = (
        Extension(group, suffix, f"{each.__module__}:{each.__name__}", "in process", each)
        for suffix, each in _DECORATED.items()
    )
    return {**found, **{one.name: (one,) for one in made}}


@lru_cache(maxsize=8)
def _announced(scanned: Installed, group: str) -> Mapping[str, tuple[Extension, ...]]:
    found: dict[str, tuple[Extension, ...]] = {}
    for each, name, value in _entries(scanned, group):
        one = Extension(group, name, value, f"{each.name} {each.version}")
        found[name] = (*found.get(name, ()), one)
    return found


def extension(group: str, name: str) -> Extension | None:
    """Return the extension of a name, or None if no distribution announces it.

    Raises
    ------
    PluginConflictError
        If several distributions announce it.

    Examples
    --------
    >>> extension(FORMATS, ".no-such-format") is None
    True
    """
    found = announced(group).get(name, ())
    if not found and rescan():
        found = announced(group).get(name, ())
    if len(found) > 1:
        names = " and ".join(one.distribution for one in found)
        raise PluginConflictError(
            f"{group} {name!r}: expected one distribution, {names} announce it",
            f"Uninstall one of them: {uninstall(found[-1].distribution.partition(' ')[0])}",
        )
    return found[0] if found else None


def required(group: str, name: str, doing: str, distribution: str = DRAWING) -> Callable[..., Any]:
    """Import the function of a name.

    Parameters
    ----------
    group, name : str
        As in `extension`.
    doing : str
        Beginning of the message if it is missing: ``"plot: a drawing"``.
    distribution : str
        Distribution of this project that announces it.

    Raises
    ------
    MissingExtraError
        If no distribution announces it.
    """
    found = extension(group, name)
    if found is None:
        raise missing(doing, distribution)
    function: Callable[..., Any] = found.load()
    return function


def missing(doing: str, distribution: str = DRAWING) -> MissingExtraError:
    """Return the error that names a distribution and the command that installs it.

    Parameters
    ----------
    doing : str
        Beginning of the message.
    distribution : str
        Distribution of this project.
    """
    return MissingExtraError(
        f"{doing} needs {distribution}, which is not installed",
        f"Install it with: {ways(distribution)}",
    )


GROUP = "valor.plugins"
"""Entry point group of plugins: the namespace is the name, the manifest module the value."""

GROUPS = (GROUP, FORMATS, VIEWS, REQUIREMENTS, FRAMES, FILTERS, GALLERIES, INTERVALS)
"""All entry point groups that are read."""


@frozen(repr=False)
class Claim:
    """Entry point of a distribution for a namespace."""

    namespace: str
    module: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".rstrip()

    @property
    def place(self) -> str:
        """Prefix of errors about the plugin."""
        return f"plugin '{self.namespace}' ({self})"


def claims() -> tuple[Claim, ...]:
    """Return the plugin entry points of all installed distributions.

    Examples
    --------
    >>> "core" in [claim.namespace for claim in claims()]
    True
    """
    return _claimed(installed())


@lru_cache(maxsize=4)
def _claimed(found: Installed) -> tuple[Claim, ...]:
    return tuple(
        Claim(name, value, each.name, each.version) for each, name, value in _entries(found, GROUP)
    )


def plugin_of(error: BaseException) -> str | None:
    """Return the distribution, or the file without one, whose code raised an error.

    Calls from a plugin into core or a library are its own. None if no plugin took part.
    """
    return _raised_in(error)[0]


def reason_of(error: BaseException) -> str:
    """Return class and text of an exception, after file and line of the plugin that raised it.

    The location is omitted for errors of this project and of the network.
    """
    is_clear = isinstance(error, (ValorError, TimeoutError, ConnectionError))
    return f"{'' if is_clear else _raised_in(error)[1]}{described(error)}"


def _raised_in(error: BaseException) -> tuple[str | None, str]:
    """Return the plugin that raised an error, if any, and file and line of its last call."""
    owners = {claim.module.partition(".")[0]: claim.distribution for claim in claims()}
    found, place = None, ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_globals
        root = str(code.get("__name__")).partition(".")[0]
        file = PurePath(code.get("__file__") or "")
        is_library = root in sys.stdlib_module_names or not _LIBRARIES.isdisjoint(file.parts)
        owner = owners.get(root)
        if owner is None and not is_library and version_of(root) is None:
            # A plugin of one file, or a function of a notebook.
            owner = file.name or (trace.tb_frame.f_code.co_name if root == "__main__" else None)
        if owner not in (None, "valor-core") and (found in _OURS or owner not in _OURS):
            found, place = owner, f"{file.name or owner}, line {trace.tb_lineno}: "
        trace = trace.tb_next
    return found, place


_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_OURS = (None, *OWNERS.values())
"""Code that plugins call, unless it is the only one."""


def unread(group: str, name: str) -> str | None:
    """Return the remedy for a name in an entry point group of an earlier version, or None.

    Parameters
    ----------
    group : str
        Plural of a component: ``"engines"`` for the group ``valor.engines``.
    name : str
        Name of the entry point.
    """
    for each, found, _ in _entries(installed(), f"valor.{group}"):
        if found == name:
            return (
                f"{each.name} {each.version} declares it in the entry point group valor.{group}, "
                "which is no longer read\nUpgrade it, or declare it in its manifest with the hook: "
                f"valor_{group}"
            )
    return None


def _entries(found: Installed, group: str) -> Iterator[tuple[Distribution, str, str]]:
    """Yield entry points of a group; the first of two distributions with one name wins."""
    seen = set()
    for each in found.distributions:
        if each.key not in seen:
            seen.add(each.key)
            for name, value in each.announced(group):
                yield each, name, value
