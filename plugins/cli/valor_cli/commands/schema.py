"""``valor schema``: the JSON Schema of configs."""

from __future__ import annotations

from pathlib import Path

import click

from valor_cli.config.editor.json_schema import is_schema, json_schema, schema_text, write_schema
from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option
from valor_cli.program.command import command as make_command
from valor_core.errors import ConfigError


@make_command("schema")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the schema, such as valor.schema.json.",
)
@module_option
def command(output: Path | None, as_json: bool) -> None:
    """Print the JSON Schema of configs, for editors.

    It covers all installed metrics, readers and resources.
    """
    registry = chosen_registry()
    if output is None:
        streams.say(schema_text(json_schema(registry)))
    else:
        if output.exists() and not is_schema(output):
            raise ConfigError(
                f"schema: {output} exists already and is not a schema of configs",
                "Specify another file, such as: -o valor.schema.json",
            )
        write_schema(output, registry)
        if as_json:
            streams.say_json({"schema": str(output)})
        else:
            streams.say(str(output))
    for namespace, error in registry.failures().items():
        streams.talk(f"excluded: {namespace}: {error}")
