"""Config: one schema for TOML, YAML, JSON and dictionaries.

A config is read in five steps: `files` parses a file, `bases` merges the files it extends,
`overrides` applies ``--set path=value``, `fill_in` of valor-core replaces ``${env:NAME}``, and
`schema` validates the result.
"""

from valor_cli.config.files import parse
from valor_cli.config.overrides import override, put
from valor_cli.config.schema import RunConfig, check
from valor_core.parameters.environment import fill_in

__all__ = ["RunConfig", "check", "fill_in", "override", "parse", "put"]
