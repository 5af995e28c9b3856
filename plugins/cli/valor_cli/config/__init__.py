"""Config: one schema for TOML, YAML, JSON and dictionaries.

A config is read in four steps, each a module: `files` parses a file, `overrides` puts
``--set path=value`` on top, `environment` fills in ``${env:NAME}``, and `schema` checks what came
of it and describes it for editors.
"""

from valor_cli.config.files import parse
from valor_cli.config.overrides import override, put
from valor_cli.config.schema import RunConfig, check, json_schema
from valor_core.parameters import fill_in

__all__ = ["RunConfig", "check", "fill_in", "json_schema", "override", "parse", "put"]
