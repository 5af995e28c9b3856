"""Installed distributions, the distributions of this project, and commands that install them.

`importlib.metadata` would find the same distributions. It imports ``email`` and reads the metadata
of all distributions, which adds 40 ms to the start of a process that takes 330 ms. This module
reads the folders on the search path, and uses `importlib.metadata` only for archives.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from valor_core.errors import MissingExtraError, RegistryError

_CLONE = Path(__file__).parents[1]
"""Root of the repository, if run from a clone."""

PUBLISHED: Final[bool] = False
"""True once this project owns its names on the package index; remedies then use them."""

REPOSITORY: Final[str] = ""
"""Address of the public repository, such as ``https://example.org/valor``; empty without one."""

OWNERS: Final[Mapping[str, str]] = {
    "classification": "valor-classification",
    "core": "valor-core",
    "dask": "valor-dask",
    "detection": "valor-detection",
    "hf": "valor-evaluate",
    "llm": "valor-llm",
    "nvidia": "valor-llm",
    "rgb": "valor-rgb",
    "segmentation": "valor-segmentation",
    "tables": "valor-files",
    "text": "valor-text",
}
"""Distribution that provides each namespace."""

SHARED_READERS: Final = "tables"
"""Namespace whose readers have bare names in every task."""

RENAMED: Final[Mapping[str, str]] = {"core.table": "tables.table"}
"""Names of earlier versions and their current names."""

DRAWING: Final = "valor-report"
"""Distribution of this project that prints and draws reports."""

STATISTICS: Final = "valor-intervals"
"""Distribution of this project that computes intervals."""

_NO_CLONE = (
    "Run it in a clone of Valor's repository: the package index does not have these packages."
)

_FOLDERS = (".dist-info", ".egg-info")
_FACTS = ("METADATA", "PKG-INFO")


@frozen(eq=False, repr=False)
class Distribution:
    """One installed distribution.

    Parameters
    ----------
    key : str
        Normalized name.
    _read : callable
        Function from the name of a metadata file to its text, empty if missing.
    """

    key: str
    _read: Callable[[str], str] = field(alias="read")
    _cache: dict[str, str] = field(init=False, factory=dict)

    def announced(self, group: str) -> Iterator[tuple[str, str]]:
        """Yield names and values of the entry points in a group."""
        text, section = self._read("entry_points.txt"), ""
        for line in map(str.strip, text.splitlines() if group in text else ()):
            name, is_entry, value = line.partition("=")
            if line.startswith("["):
                section = line.strip("[]")
            elif section == group and is_entry and not line.startswith(("#", ";")):
                yield name.strip(), value.strip()

    @property
    def name(self) -> str:
        """Name as spelt by the distribution."""
        return self._header("Name")

    @property
    def version(self) -> str:
        """Version."""
        return self._header("Version")

    def _header(self, name: str) -> str:
        """Return a field of the metadata header, cached."""
        if name not in self._cache:
            lines = "".join(map(self._read, _FACTS)).splitlines()
            pairs = (line.partition(":") for line in lines)
            found = (value.strip() for key, _, value in pairs if key == name)
            self._cache[name] = next(found, "")
        return self._cache[name]


@frozen(eq=False, repr=False)
class Installed:
    """Distributions on a search path, in its order; a name may occur twice.

    Parameters
    ----------
    distributions : tuple of Distribution
        All distributions found.
    _changes : tuple of int or None
        Modification times of the folders before they were read.
    """

    distributions: tuple[Distribution, ...]
    _changes: tuple[int | None, ...] = field(alias="changes")


def installed() -> Installed:
    """Return the distributions on the search path, cached until `rescan` finds a change."""
    return _scan(tuple(sys.path))


def rescan() -> bool:
    """Discard the cache of `installed` if a folder on the search path has changed.

    Checking 15 folders takes 0.1 ms, so this is only called for unknown names, which may have been
    installed since the process started.

    Returns
    -------
    bool
        Whether a folder has changed.
    """
    path = tuple(sys.path)
    if _scan(path)._changes == _modified(path):
        return False
    _scan.cache_clear()
    return True


def version_of(name: str) -> str | None:
    """Return the version of an installed distribution, or None.

    Examples
    --------
    >>> version_of("no-such-distribution") is None
    True
    """
    found = _distribution(name)
    return None if found is None else found.version


def _distribution(name: str) -> Distribution | None:
    key = _key(name)
    return next((one for one in installed().distributions if one.key == key), None)


def unmet_core(name: str) -> RegistryError | None:
    """Return the error of a distribution that requires another version of valor-core, or None.

    The `packaging` library, whose import takes 10 ms, is needed for distributions of others only:
    those of this project are released together.
    """
    if name in OWNERS.values():
        return None
    found = _unmet_core(installed(), name)
    return None if found is None else RegistryError(*found)


@lru_cache(maxsize=256)  # each evaluation asks for all distributions that it uses
def _unmet_core(scanned: Installed, name: str) -> tuple[str, str] | None:
    found, core = _distribution(name), version_of("valor-core")
    if found is None or core is None or find_spec("packaging") is None:
        return None
    for line in _NEEDS_CORE.findall("\n".join(map(found._read, _FACTS))):
        from packaging.requirements import Requirement

        with suppress(ValueError):  # an invalid requirement says nothing about core
            one = Requirement(line)
            is_asked = one.marker is None or one.marker.evaluate({"extra": ""})
            if not is_asked or one.specifier.contains(core, prereleases=True):
                continue
            return (
                f"{found.name} {found.version}: needs valor-core{one.specifier}, "
                f"installed is {core}",
                f"Upgrade it with: {ways('valor-core')}",
            )
    return None


_NEEDS_CORE = re.compile(r"^Requires-Dist: (valor[-_.]core\b(?![-\w.]).*)$", re.MULTILINE)


@lru_cache(maxsize=4)
def _scan(path: tuple[str, ...]) -> Installed:
    changes = _modified(path)  # before reading, so that a change meanwhile is found later
    return Installed(tuple(one for entry in path for one in _distributions_in(entry)), changes)


def _modified(path: tuple[str, ...]) -> tuple[int | None, ...]:
    """Return the modification times of search path entries, in nanoseconds."""

    def modified(entry: str) -> int | None:
        try:
            return os.stat(entry or os.curdir).st_mtime_ns
        except OSError:
            return None

    return tuple(map(modified, path))


def _key(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")


def _distributions_in(entry: str) -> Iterator[Distribution]:
    """Yield the distributions in a folder or an archive on the search path."""
    try:
        names = os.listdir(entry or os.curdir)
    except NotADirectoryError:
        from importlib import metadata

        for each in metadata.distributions(path=[entry]):
            yield Distribution(_key(each.name), partial(_read_archived, each))
    except OSError:
        return
    else:
        for name in names:
            if name.endswith(_FOLDERS):
                key = _key(name.rpartition(".")[0].partition("-")[0])
                yield Distribution(key, partial(_read_file, os.path.join(entry, name)))


def _read_file(folder: str, file: str) -> str:
    try:
        with open(os.path.join(folder, file), "rb", buffering=0) as stream:
            return stream.read().decode()
    except OSError:
        return ""


def _read_archived(found: Any, file: str) -> str:
    return found.read_text(file) or ""


def install(*arguments: str) -> str:
    """Return the command that installs into the running environment, with pip or uv.

    Parameters
    ----------
    *arguments : str
        Distributions, with extras in brackets, and options.

    Examples
    --------
    >>> install("-e", "plugins/text[test]").endswith(" -e 'plugins/text[test]'")
    True
    """
    return _command("install", shlex.join(arguments))


def ways(*requirements: str) -> str:
    """Return the command that installs distributions into the running environment.

    Until this project has `PUBLISHED` its distributions, they are installed from the clone that
    runs, or else from `REPOSITORY`: anybody could register their names on the package index.

    Parameters
    ----------
    *requirements : str
        Names, with extras in brackets.

    Examples
    --------
    >>> ways("rasterio").endswith(" rasterio")
    True
    """
    ours = project_requirements()
    named = [(one, *one.rstrip("]").partition("[")[::2]) for one in requirements]
    if PUBLISHED or not any(name in ours for _, name, _ in named):
        return install(*requirements)
    arguments: list[str] = []
    for one, name, extras in named:
        if name not in ours:
            arguments.append(one)
            continue
        for each in dict.fromkeys([*_missing(name, *re.split("[ ,]+", extras)), one]):
            arguments += _source(each)
    command = install(*arguments)
    return command if _is_clone() or REPOSITORY else f"{command}\n{_NO_CLONE}"


@lru_cache(maxsize=1)
def project_requirements() -> Mapping[str, list[str]]:
    """Distributions of this project, and those that each of them or an extra requires."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("requirements.toml").read_text("utf-8"))


def _is_clone() -> bool:
    return (_CLONE / "requirements").is_dir()


def _source(requirement: str) -> list[str]:
    """Return the arguments that install a distribution from a clone or from the repository."""
    name, bracket, extras = requirement.partition("[")
    folder = "" if name == "valor-core" else f"plugins/{name.removeprefix('valor-')}"
    if REPOSITORY and not _is_clone():
        fragment = f"#subdirectory={folder}" if folder else ""
        return [f"{requirement} @ git+{REPOSITORY}{fragment}"]
    path = str(_CLONE / folder) if _is_clone() else folder or "."
    return ["-e", path + bracket + extras]


def _missing(name: str, *extras: str) -> Iterator[str]:
    """Yield required distributions of this project that are not installed.

    The package index does not have them, so the command must name their sources.
    """
    keys = (name, *(f"{name}[{extra}]" for extra in extras))
    for one in chain(*(project_requirements().get(key, ()) for key in keys)):
        yield from _missing(one)
        if version_of(one) is None:
            yield one


def uninstall(distribution: str) -> str:
    """Return the command that removes a distribution from the running environment.

    Examples
    --------
    >>> uninstall("valor-text").endswith(" valor-text")
    True
    """
    return _command("uninstall", distribution)


def _command(verb: str, arguments: str) -> str:
    """Return the command with pip, or with uv in environments without pip."""
    from shutil import which

    python = shlex.quote(sys.executable)
    boot = _CLONE / ".boot" / Path(sys.executable).parent.name  # bin, or Scripts on Windows
    uv = None
    if find_spec("pip") is None:
        uv = "uv" if which("uv") else which("uv", path=str(boot))
    if uv is None:
        return f"{python} -m pip {verb} {arguments}"
    return f"{shlex.quote(uv)} pip {verb} --python {python} {arguments}"


def import_extra(module: str, doing: str, extra: str, *, package: str = "") -> Any:
    """Import a module of an optional package.

    Parameters
    ----------
    module : str
        Full name of the module.
    doing : str
        Location and use, which begin the error message.
    extra : str
        Requirement to install, with the extra in brackets.
    package : str, optional
        Name of the package. Defaults to the first part of the module's name.

    Raises
    ------
    MissingExtraError
        If the package is not installed.

    Examples
    --------
    >>> import_extra("json", "report: drawing", "valor-core[art]").__name__
    'json'
    >>> import_extra("no_such.art", "report: drawing", "valor-core[art]")
    Traceback (most recent call last):
        ...
    valor_core.errors.MissingExtraError: report: drawing needs no_such, which is not installed
    Install it with: ... -e ...[art]...
    """
    top = module.partition(".")[0]
    try:
        importlib.import_module(top)
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{doing} needs {package or top}, which is not installed",
            f"Install it with: {ways(extra)}",
        ) from error
