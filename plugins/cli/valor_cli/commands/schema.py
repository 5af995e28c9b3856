"""``valor schema``: the JSON Schema of configs."""

from __future__ import annotations

from valor_cli.config import json_schema
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_core.specs import Registry


@make_command("schema")
def command(as_json: bool) -> None:
    """Print the JSON Schema of configs, for editors.

    It covers all installed metrics, readers and resources.
    """
    registry = Registry()
    streams.say_json(json_schema(registry))
    for namespace, error in registry.failures().items():
        streams.talk(f"excluded: {namespace}: {error}")
