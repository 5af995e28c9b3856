"""``valor schema``: the JSON Schema of configs."""

from __future__ import annotations

from valor_cli.config import json_schema
from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option
from valor_cli.program.command import command as make_command


@make_command("schema")
@module_option
def command(as_json: bool) -> None:
    """Print the JSON Schema of configs, for editors.

    It covers all installed metrics, readers and resources.
    """
    registry = chosen_registry()
    streams.say_json(json_schema(registry))
    for namespace, error in registry.failures().items():
        streams.talk(f"excluded: {namespace}: {error}")
