"""Extras: packages that only some uses need, imported where they do."""

from __future__ import annotations

import importlib
from typing import Any

from valor_core.errors import MissingExtraError
from valor_core.installer import ways


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
