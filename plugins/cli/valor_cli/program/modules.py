"""Modules: files of decorated metrics that are named on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from valor_cli.config.modules import decorated
from valor_core.plugins.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])


def module_option(of: str) -> Callable[[F], F]:
    """Give a command the option ``--module``, handed to it as `modules`.

    Parameters
    ----------
    of : str
        What has results of such metrics, for the help: ``"the states are"``.
    """
    return click.option(
        "--module",
        "modules",
        type=click.Path(path_type=Path),
        multiple=True,
        help=f"Python file whose decorated metrics {of} of.",
    )


def registry_with(modules: Iterable[Path], plugins: Mapping[str, str] | None = None) -> Registry:
    """What is installed, and the decorated metrics of some files.

    Parameters
    ----------
    modules : iterable of Path
        The files.
    plugins : mapping of str to str, optional
        Which distribution to use for a namespace that several claim.
    """
    registry = Registry(plugins or {})
    for module in modules:
        for spec in decorated(module):
            registry.add(spec)
    return registry
