"""Extras: packages that only some uses need, and the commands that install and remove packages."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from valor_core.errors import MissingExtraError

_CLONE = Path(__file__).parents[1]
"""The clone, if this is one."""


@cache
def first_party() -> Mapping[str, str]:
    """Distribution of every namespace of this project, as the metadata of valor-core have them.

    Examples
    --------
    >>> first_party()["nvidia"]
    'valor-llm'
    """
    from importlib import metadata  # loads what reads mail, 20 ms that only errors need

    return {
        entry.name: entry.value.replace("_", "-")
        for entry in metadata.entry_points(group="valor.first_party")
        if entry.dist is not None and entry.dist.name == "valor-core"
    }


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


def ways(wanted: str) -> str:
    """The commands that install a distribution: from an index and, one of this project, a clone.

    Parameters
    ----------
    wanted : str
        Its name, with extras in brackets if there are any.

    Examples
    --------
    >>> ways("valor-detection[plot]").splitlines()[1].endswith(" -e 'plugins/detection[plot]'")
    True
    """
    name, bracket, extras = wanted.partition("[")
    if name not in ("valor-core", "valor-cli", *first_party().values()):
        return install(wanted)
    folder = "." if name == "valor-core" else f"plugins/{name.removeprefix('valor-')}"
    return f"{install(wanted)}\nor, from a clone: {install('-e', folder + bracket + extras)}"


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
    Install it with: ...'valor-core[art]'
    or, from a clone: ... -e '.[art]'
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
