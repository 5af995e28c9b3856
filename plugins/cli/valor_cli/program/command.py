"""Command: what all commands of the program have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from valor_cli.program import streams
from valor_cli.program.usage import check_nothing_is_left, given_to

F = TypeVar("F", bound=Callable[..., Any])
_WANTED = "valor_core.traceback"


class _Command(click.Command):
    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """As click does; this is where help is printed."""
        context.allow_extra_args = True
        with streams.written(sys.stdout), given_to(context):
            left = super().parse_args(context, args)
        check_nothing_is_left(context, left)
        return left


def command(name: str) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a command from a function that returns its exit code.

    Every command has ``--json``, handed to the function as `as_json`, and ``--traceback``.

    Parameters
    ----------
    name : str
        What it is called.
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
                help="Show where an error comes from.",
            ),
        ]
        return made

    return make


def module_option(of: str) -> Callable[[F], F]:
    """Decorator that adds the option ``--module``, passed to the command as `modules`.

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


def traceback_wanted(context: click.Context) -> bool:
    """Whether the command line asks for tracebacks."""
    return bool(context.meta.get(_WANTED))


def _remember(context: click.Context, option: click.Parameter, value: bool) -> None:
    context.meta[_WANTED] = value
