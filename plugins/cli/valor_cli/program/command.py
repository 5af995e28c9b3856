"""Command: decorators for the commands of the program and their shared options."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from valor_cli.program import streams
from valor_cli.program.usage import check_no_extra_arguments, usage_errors_of

if TYPE_CHECKING:
    from valor_core.specs import Registry

F = TypeVar("F", bound=Callable[..., Any])
TRACEBACK = "VALOR_TRACEBACK"
"""Environment variable that requests the traceback of errors, as ``--traceback`` does."""
_WANTED = "valor_core.traceback"
_MODULES = "valor_cli.modules"


class _Command(click.Command):
    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse arguments and print help, with a custom error for extra arguments."""
        context.allow_extra_args = True
        with streams.written(sys.stdout), usage_errors_of(context):
            extra = super().parse_args(context, args)
        check_no_extra_arguments(context, extra)
        return extra


def command(name: str) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a command from a function that returns its exit code.

    Every command has ``--json``, passed to the function as `as_json`, and ``--traceback``.

    Parameters
    ----------
    name : str
        Name on the command line.
    """

    def make(function: Callable[..., int | None]) -> click.Command:
        made = click.command(name, _Command)(function)
        made.params += [
            click.Option(
                ["--json", "as_json"], is_flag=True, help="Print JSON, for other programs."
            ),
            click.Option(
                ["--traceback"],
                is_flag=True,
                expose_value=False,
                callback=_remember,
                help="Show the traceback of errors.",
            ),
        ]
        return made

    return make


def module_option(function: F) -> F:
    """Decorator that adds the option ``--module``; see `modules` and `chosen_registry`."""
    return click.option(
        "--module",
        type=click.Path(path_type=Path),
        multiple=True,
        is_eager=True,  # before --help, which lists commands of the files
        expose_value=False,
        callback=_add_modules,
        help="Python file with metrics, readers or other components.",
    )(function)


def modules(context: click.Context | None = None) -> tuple[Path, ...]:
    """Return the files of ``--module``, of the command and of the program."""
    context = context or click.get_current_context()
    found: tuple[Path, ...] = context.meta.get(_MODULES, ())
    return found


def chosen_registry() -> Registry:
    """Return a registry of the installed plugins and the files of ``--module``."""
    from valor_cli.config.modules import registry_with

    return registry_with(modules())


def set_option(example: str) -> Callable[[F], F]:
    """Decorator that adds the option ``--set``, passed to the command as `settings`.

    Parameters
    ----------
    example : str
        Setting for the help text, such as ``"judge.repeats=3"``.
    """
    return click.option(
        "--set",
        "settings",
        metavar="PATH=VALUE",
        multiple=True,
        help=f"Set a value of the config, such as {example}.",
    )


flat_option = click.option(
    "--flat",
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSON file for the numbers alone, for DVC and experiment trackers.",
)

require_option = click.option(
    "--require",
    metavar="CONDITION",
    multiple=True,
    help="Threshold that a result must meet, such as 'Accuracy >= 0.9'.",
)


def explain(context: click.Context, message: str, notes: Iterable[str] = ()) -> None:
    """Print the message of the current error and its notes, or its traceback if requested.

    Parameters
    ----------
    context : click.Context
        Context of the command.
    message : str
        Message of the error.
    notes : iterable of str
        Further lines.
    """
    if context.meta.get(_WANTED) or os.environ.get(TRACEBACK, "0") not in ("", "0"):
        streams.talk(traceback.format_exc().rstrip())
    else:
        streams.talk("\n".join([f"valor: {message}", *notes]))


def _add_modules(context: click.Context, option: click.Parameter, paths: tuple[Path, ...]) -> None:
    context.meta[_MODULES] = (*modules(context), *paths)


def _remember(context: click.Context, option: click.Parameter, value: bool) -> None:
    context.meta[_WANTED] = value
