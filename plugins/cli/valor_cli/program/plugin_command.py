"""Plugin command: a command of ``valor`` that a plugin declares."""

from __future__ import annotations

from typing import Any

import click

from valor_core.errors import ManifestError, shown
from valor_core.specs import CommandSpec, implementation


def called(spec: CommandSpec) -> str:
    """How a command is called on the command line.

    Examples
    --------
    >>> called(CommandSpec(name="mylab.rank_words", summary="", implementation="mylab:rank"))
    'rank-words'
    """
    return spec.short_name.replace("_", "-")


def of_plugin(spec: CommandSpec) -> click.Command:
    """The command of a plugin, imported now.

    Parameters
    ----------
    spec : CommandSpec
        Its declaration. What stands there is a click command, or a function that is called with
        all arguments as they were typed and returns the exit code.

    Raises
    ------
    RegistryError
        If it cannot be imported or is neither.
    """
    code: Any = implementation(spec)
    if isinstance(code, click.Command):
        return code
    if not callable(code) or isinstance(code, type):
        raise ManifestError(
            f"{spec.name}: expected a click command or a function, got {shown(code)}",
            f"Write one of them at {spec.implementation}",
        )

    def run(arguments: tuple[str, ...]) -> Any:
        return code(*arguments)

    typed = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
    return click.Command(
        called(spec),
        params=[typed],
        callback=run,
        help=spec.summary,
        context_settings={"ignore_unknown_options": True},
    )
