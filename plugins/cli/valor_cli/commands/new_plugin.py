"""``valor new-plugin``: a plugin to start from."""

from __future__ import annotations

from pathlib import Path

import click

from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.scaffold import new_plugin
from valor_core.packages import install, version_of, ways


@make_command("new-plugin")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where to make it; here without it.",
)
def command(name: str, folder: Path, as_json: bool) -> None:
    """Make a plugin to start from.

    NAME is its namespace, such as mylab; metrics in it are called mylab.Something.
    """
    made = new_plugin(name, folder)
    if as_json:
        streams.say_json({"folder": str(made)})
        return
    streams.say(str(made))
    streams.talk(f"Install it with: {install('-e', str(made))}")
    if version_of("valor-testing") is None:
        streams.talk(f"Its tests need valor-testing. Install it with: {ways('valor-testing')}")
