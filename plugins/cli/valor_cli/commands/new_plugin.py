"""``valor new-plugin``: a plugin created from a template."""

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
    help="Parent folder; the current folder by default.",
)
def command(name: str, folder: Path, as_json: bool) -> None:
    """Create a plugin from a template.

    NAME is its namespace, such as mylab; its metrics are named mylab.Something.
    """
    made = new_plugin(name, folder)
    if as_json:
        streams.say_json({"folder": str(made)})
        return
    streams.say(str(made))
    streams.talk(f"Install it with: {install('-e', str(made))}")
    if version_of("valor-testing") is None:
        streams.talk(f"Its tests need valor-testing. Install it with: {ways('valor-testing')}")
