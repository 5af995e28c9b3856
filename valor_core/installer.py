"""Installer: the commands that install and remove packages in the environment that is running."""

from __future__ import annotations

import shlex
from importlib.util import find_spec


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
