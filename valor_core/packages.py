"""Installed distributions, the distributions of this project, and commands that install them.

The standard library tells what is installed, too, and importing what it does it with takes 20 ms,
mostly for reading mail. Here folders are read, which is where pip and uv put everything; where a
finder or an archive on the search path may hold more, the standard library is asked after all.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, partial
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import field, frozen

from valor_core.errors import MissingExtraError

if TYPE_CHECKING:
    from importlib import metadata

_CLONE = Path(__file__).parents[1]
"""The clone, if this is one."""

PUBLISHED: Final[bool] = False
"""Whether the names of this project on the package index belong to it: remedies use them then."""

OWNERS: Final[Mapping[str, str]] = {
    "classification": "valor-classification",
    "core": "valor-core",
    "dask": "valor-dask",
    "detection": "valor-detection",
    "hf": "valor-text",
    "llm": "valor-llm",
    "nvidia": "valor-llm",
    "rgb": "valor-rgb",
    "segmentation": "valor-segmentation",
    "tables": "valor-files",
    "text": "valor-text",
}
"""Distribution of this project that brings each namespace."""

SHARED_READERS: Final = "tables"
"""Namespace whose readers are found by bare names in every task."""

RENAMED: Final[Mapping[str, str]] = {"core.table": "tables.table"}
"""Names of earlier versions, and what they are called now."""

_PROJECT: Final = frozenset({*OWNERS.values(), "valor-cli", "valor-testing"})
"""All distributions of this project."""

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
        Its name, as names of distributions are compared.
    _read : callable
        From the name of one of its files to the text, empty without one.
    """

    key: str
    _read: Callable[[str], str] = field(alias="read")
    _facts: dict[str, str] = field(init=False, factory=dict)

    def announced(self, group: str) -> Iterator[tuple[str, str]]:
        """Names and values of its entry points in a group."""
        text, section = self._read("entry_points.txt"), ""
        for line in map(str.strip, text.splitlines() if group in text else ()):
            name, is_entry, value = line.partition("=")
            if line.startswith("["):
                section = line.strip("[]")
            elif section == group and is_entry and not line.startswith(("#", ";")):
                yield name.strip(), value.strip()

    @property
    def name(self) -> str:
        """Its name, as it writes it."""
        return self._fact("Name")

    @property
    def version(self) -> str:
        """Its version."""
        return self._fact("Version")

    def text(self, file: str) -> str:
        """Content of one of the files of its metadata, empty without one."""
        return self._read(file)

    def _fact(self, wanted: str) -> str:
        """A field of the header that its metadata begin with, read once."""
        if wanted not in self._facts:
            lines = "".join(map(self._read, _FACTS)).splitlines()
            pairs = (line.partition(":") for line in lines)
            found = (value.strip() for name, _, value in pairs if name == wanted)
            self._facts[wanted] = next(found, "")
        return self._facts[wanted]


def distributions() -> tuple[Distribution, ...]:
    """All that are installed, in the order of the search path; one name may come twice.

    Going through a large environment takes milliseconds, by finders a hundred. What was found is
    kept until the search path changes, or a folder on it: installing and removing does that.
    """
    kept = _looked.get()
    if kept:
        return kept[0]
    found = _found(tuple([(path, _changed(path)) for path in sys.path]), (*sys.meta_path,))
    if kept is not None:
        kept.append(found)
    return found


_looked: ContextVar[list[tuple[Distribution, ...]] | None] = ContextVar("looked", default=None)


@contextmanager
def looking_once() -> Iterator[None]:
    """A block within which the search path is looked at once: 14 folders take 0.1 ms each time."""
    token = _looked.set(_looked.get() or [])
    try:
        yield
    finally:
        _looked.reset(token)


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


def _changed(folder: str) -> int | None:
    """When a folder changed last, in nanoseconds."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return None


@lru_cache(maxsize=4)
def _found(folders: Any, finders: Any) -> tuple[Distribution, ...]:
    return tuple(_in_folders() if _are_only_folders() else _by_finders())


def _key(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")


def _are_only_folders() -> bool:
    """Whether reading the folders of the search path finds everything."""
    finders = [each for each in sys.meta_path if hasattr(each, "find_distributions")]
    paths = [path for path in sys.path if path.endswith(".egg") or os.path.isfile(path)]
    return bool(finders) and all(map(_reads_folders, finders)) and not paths


def _reads_folders(finder: Any) -> bool:
    """Whether a finder is Python's own or that of its backport, which Dask loads, in its place."""
    return finder is PathFinder or type(finder).__module__ == "importlib_metadata"


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


def install(*arguments: str) -> str:
    """The command that installs something into the environment that is running.

    It is pip's, or uv's where there is no pip: environments that uv makes have none.

    Parameters
    ----------
    *arguments : str
        Distributions, with extras in brackets, and options.

    Examples
    --------
    >>> install("-e", "plugins/text[test]").endswith(" -e 'plugins/text[test]'")
    True
    """
    import shlex

    return _command("install", shlex.join(arguments))


def ways(*wanted: str) -> str:
    """The command that installs distributions into this environment.

    Those of this project come from a clone while they are not `PUBLISHED`: anybody could register
    their names on the package index.

    Parameters
    ----------
    *wanted : str
        Names, with extras in brackets.

    Examples
    --------
    >>> ways("rasterio").endswith(" rasterio")
    True
    """
    if PUBLISHED or not any(one.partition("[")[0] in _PROJECT for one in wanted):
        return install(*wanted)
    clone = _clone()
    arguments: list[str] = []
    for one in _with_requirements(wanted, clone):
        name, bracket, extras = one.partition("[")
        if name not in _PROJECT:
            arguments.append(one)
            continue
        folder = _folder_of(name)
        if clone is not None:
            folder = str(clone / folder)
        arguments += ["-e", folder + bracket + extras]
    command = install(*arguments)
    return command if clone is not None else f"{command}\n{_NO_CLONE}"


def _folder_of(distribution: str) -> str:
    """The folder of a distribution in a clone."""
    bare = distribution.removeprefix("valor-")
    return "." if bare == "core" else f"plugins/{bare}"


def _clone() -> Path | None:
    """The clone that valor-core was installed from, editable or not, if it is still there."""
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    candidates = [_CLONE]
    for each in distributions():
        if each.key == "valor_core" and (text := each.text("direct_url.json")):
            address = urlsplit(str(json.loads(text).get("url", "")))
            if address.scheme == "file":
                candidates.append(Path(url2pathname(address.path)))
    found = (one for one in candidates if (one / "plugins" / "cli" / "pyproject.toml").is_file())
    return next(found, None)


def _with_requirements(wanted: Iterable[str], clone: Path | None) -> Iterator[str]:
    """Distributions after those of this project that they require and that are not installed."""
    done: set[str] = set()

    def walk(one: str) -> Iterator[str]:
        name, _, extras = one.partition("[")
        if one in done:
            return
        done.add(one)
        for required in _requirements(clone, name, extras.rstrip("]")) if name in _PROJECT else ():
            if (
                required.partition("[")[0] in _PROJECT
                and version_of(required.partition("[")[0]) is None
            ):
                yield from walk(required)
        yield one

    for one in wanted:
        yield from walk(one)


def extra_bringing(distribution: str, package: str) -> str | None:
    """The extra of a distribution of this project that requires a package, if a clone says so.

    Examples
    --------
    >>> extra_bringing("valor-core", "no-such-package") is None
    True
    """
    import tomllib

    clone = _clone()
    if clone is None:
        return None
    try:
        text = (clone / _folder_of(distribution) / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return None
    extras = tomllib.loads(text)["project"].get("optional-dependencies", {})
    found = (name for name, needs in extras.items() if any(n.startswith(package) for n in needs))
    return next(found, None)


def _requirements(clone: Path | None, distribution: str, extras: str) -> Iterator[str]:
    """Names of the requirements of a distribution of a clone, with the extras."""
    import tomllib

    if clone is None:
        return
    try:
        text = (clone / _folder_of(distribution) / "pyproject.toml").read_text(encoding="utf-8")
    except OSError:
        return
    project = tomllib.loads(text)["project"]
    listed = list(project.get("dependencies", ()))
    for extra in filter(None, extras.split(",")):
        listed += project.get("optional-dependencies", {}).get(extra, ())
    for requirement in listed:
        yield requirement.partition(">")[0].partition("=")[0].partition("[")[0].strip()


def uninstall(distribution: str) -> str:
    """The command that removes a distribution from here.

    Examples
    --------
    >>> uninstall("valor-text").endswith(" valor-text")
    True
    """
    return _command("uninstall", distribution)


def _command(verb: str, arguments: str) -> str:
    """The command by a way that is here: pip, uv, or pip after it is put into the environment."""
    python = _shell_path(Path(sys.executable))
    if find_spec("pip") is not None:
        return f"{python} -m pip {verb} {arguments}"
    uv = _uv(python)
    if uv is not None:
        return f"{uv} pip {verb} --python {python} {arguments}"
    return f"{python} -m ensurepip && {python} -m pip {verb} {arguments}"


def _uv(python: str) -> str | None:
    """How uv is called here, if it is there: on the path, in the environment or in a clone."""
    from shutil import which

    if which("uv") is not None:
        return "uv"
    if find_spec("uv") is not None:
        return f"{python} -m uv"
    own = _CLONE / ".boot" / Path(sys.executable).parent.name
    found = which("uv", path=str(own))
    return None if found is None else _shell_path(Path(found))


def _shell_path(program: Path) -> str:
    """A program as it is called from anywhere: by its name, or by its path."""
    import shlex
    from shutil import which

    is_found = which(program.stem) == str(program)
    return program.stem if is_found else shlex.quote(str(program))


def import_extra(module: str, doing: str, extra: str, *, package: str = "") -> Any:
    """A module of a package that only some uses need.

    Parameters
    ----------
    module : str
        Its full name.
    doing : str
        Place and use, as the message begins that says it is missing.
    extra : str
        What to install, with the extra in brackets.
    package : str, optional
        What the package is called; the first part of the module's name unless given.

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
