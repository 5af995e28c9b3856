"""Installer: the commands that install and remove packages in the environment that is running."""

from __future__ import annotations

import shlex
from importlib.util import find_spec

FAMILIES = ("classification", "detection", "segmentation", "text", "llm", "rgb")
"""Folders below ``plugins/`` of a clone."""

_FOLDERS = {"valor-core": "."} | {f"valor-{name}": f"plugins/{name}" for name in FAMILIES}
"""Where a clone has each distribution of this project."""


def install(*arguments: str) -> str:
    """The command that installs something here: pip's, or uv's where there is no pip.

    Environments that uv makes have no pip.

    Parameters
    ----------
    *arguments : str
        Distributions, with extras in brackets, and options.

    Examples
    --------
    >>> install("-e", "plugins/text[test]").split("pip ")[1]
    "install -e 'plugins/text[test]'"
    """
    return f"{_pip()} install {shlex.join(arguments)}"


def ways(wanted: str) -> str:
    """The commands that install a distribution: from an index and, one of this project, a clone.

    Parameters
    ----------
    wanted : str
        Its name, with extras in brackets if there are any.

    Examples
    --------
    >>> ways("valor-detection[plot]").splitlines()[1].split("pip ")[1]
    "install -e 'plugins/detection[plot]'"
    """
    name, bracket, extras = wanted.partition("[")
    folder = _FOLDERS.get(name)
    if folder is None:
        return install(wanted)
    return f"{install(wanted)}\nor, from a clone: {install('-e', folder + bracket + extras)}"


def uninstall(distribution: str) -> str:
    """The command that removes a distribution from here.

    Examples
    --------
    >>> uninstall("valor-text").split("pip ")[1]
    'uninstall valor-text'
    """
    return f"{_pip()} uninstall {distribution}"


def _pip() -> str:
    return "uv pip" if find_spec("pip") is None else "python -m pip"
