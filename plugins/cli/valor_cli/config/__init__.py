"""Config: one schema for TOML, YAML, JSON and dictionaries.

A config is read in five steps: `reading.files` parses a file, `reading.bases` merges the files it
extends, `reading.overrides` applies ``--set path=value``, `fill_in` of valor-core replaces
``${env:NAME}``, and `schema` validates the result. `inferred` makes a config from data files, and
`editor` the JSON Schema of configs.
"""

from valor_cli.config.reading.files import parse
from valor_cli.config.reading.overrides import override, put
from valor_cli.config.schema import RunConfig, check
from valor_core.parameters.environment import fill_in

__all__ = ["RunConfig", "check", "fill_in", "override", "parse", "put"]
