"""``valor new-plugin``: a plugin created from a template."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

import click

from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.scaffold import METRICS, ONE_FILE, OPTIONAL_KINDS, new_plugin
from valor_core.packages import install, version_of, ways

F = TypeVar("F", bound=Callable[..., Any])


def _kind_options(function: F) -> F:
    """Decorator that adds an option for each kind of plugin."""
    for kind in reversed(OPTIONAL_KINDS):
        option = f"--{kind.name.replace('_', '-')}"
        function = click.option(option, kind.name, is_flag=True, help=kind.help)(function)
    return function


@make_command("new-plugin")
@click.argument("name")
@_kind_options
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Parent folder; the current folder by default.",
)
def command(name: str, folder: Path, as_json: bool, **chosen: bool) -> None:
    """Create a plugin from a template.

    NAME is its namespace, such as mylab; its metrics are named mylab.Something. Without an option
    for another kind of plugin, it is a package with two metrics.
    """
    kinds = [kind for kind in OPTIONAL_KINDS if chosen[kind.name]]
    if len(kinds) > 1:
        names = " and ".join(f"--{kind.name.replace('_', '-')}" for kind in kinds)
        raise click.UsageError(f"expected one kind of plugin, got {names}")
    kind = kinds[0] if kinds else METRICS
    made = new_plugin(name, folder, kind)
    if as_json:
        streams.say_json({"file" if kind is ONE_FILE else "folder": str(made)})
        return
    streams.say(str(made))
    if kind is ONE_FILE:
        streams.talk(f"Run it with: valor run {quote(str(made.with_suffix('.yaml')))}")
        tests = made.with_name(f"test_{made.name}")
    else:
        streams.talk(f"Install it with: {install('-e', str(made))}")
        tests = made
    streams.talk(f"Test it with: pytest {quote(str(tests))}")
    for required in kind.requires:
        if version_of(required) is None:
            streams.talk(f"It needs {required}. Install it with: {ways(required)}")
    missing = [name for name in ("pytest", "valor-testing") if version_of(name) is None]
    if missing:
        needed = f"Its tests need {' and '.join(missing)}."
        streams.talk(f"{needed} Install {'them' if missing[1:] else 'it'} with: {ways(*missing)}")
