"""Commands of ``valor`` that plugins declare."""

from __future__ import annotations

from contextlib import suppress
from inspect import signature
from typing import Any

import click

from valor_core.errors import ManifestError, short_repr
from valor_core.specs import CommandSpec


def called(spec: CommandSpec) -> str:
    """Return the name of a plugin's command on the command line.

    Examples
    --------
    >>> called(CommandSpec(name="mylab.rank_words", summary="", implementation="mylab:rank"))
    'rank-words'
    """
    return spec.short_name.replace("_", "-")


def of_plugin(spec: CommandSpec) -> click.Command:
    """Import the command of a plugin.

    Parameters
    ----------
    spec : CommandSpec
        Declaration of the command. Its implementation is a click command, or a function that
        receives the list of all arguments, including ``--help``, and returns the exit code.

    Raises
    ------
    RegistryError
        If the implementation cannot be imported or is neither.
    """
    code: Any = spec.load()
    if isinstance(code, click.Command):
        return code
    if not callable(code) or isinstance(code, type):
        raise ManifestError(
            f"{spec.name}: expected a click command or a function, got {short_repr(code)}",
            f"Write one of them at {spec.implementation}",
        )
    try:
        with suppress(ValueError):  # a built-in function may have no signature
            signature(code).bind([])
    except TypeError as error:
        raise ManifestError(
            f"{spec.name}: expected a function of a list of arguments, {error}",
            f"Write it as: def {spec.implementation.rpartition(':')[2]}(arguments)",
        ) from error

    def run(arguments: tuple[str, ...]) -> Any:
        return code(list(arguments))

    typed = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
    return click.Command(
        called(spec),
        params=[typed],
        callback=run,
        help=spec.summary,
        add_help_option=False,  # the function prints its own help
        context_settings={"ignore_unknown_options": True},
    )
