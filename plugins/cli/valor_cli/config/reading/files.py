"""Parsers of config files in TOML, YAML and JSON."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from valor_cli.config.reading.limits import check_depth, nested_too_deeply, too_many_digits
from valor_core.errors import ConfigError, MissingExtraError, did_you_mean_file, short_repr
from valor_core.packages import install

STANDARD_INPUT = "-"
SCHEMA_KEY = "$schema"
"""Key that names the JSON Schema of a config, for editors."""

_TOML = re.compile(r"\A(\s|#.*\n)*(\[+[^\]\n]+\]+|[\w.\"'-]+[ \t]*=)")
"""Start of a TOML file after comments: a table header, or a key and an equals sign."""
_VARIABLE = re.compile(r"(?<![^\s\[{,])[^\s,:\[\]{}'\"]*\$\{\w+:[^}]*\}[^\s,\[\]}]*")
"""Reference to an environment variable, which YAML reads as a table inside braces or brackets."""
_BRACES = re.compile(r"[^\s,:\[\]{}]*(?<=[^\s,:\[\]])\{\w+\}[^\s,\[\]]*|\{\w+\}[^\s,\[\]}]+")
"""Placeholder next to other text, which YAML reads as a table in some positions."""
_BOOLEAN = "tag:yaml.org,2002:bool"
_BOOLEANS = re.compile("^(?:true|True|TRUE|false|False|FALSE)$")


def parse(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Parse a config file into built-in types; its suffix selects the format.

    The key ``$schema``, which is for editors, is dropped.

    Parameters
    ----------
    path : path
        File in ``.toml``, ``.yaml``, ``.yml`` or ``.json``, or ``-`` for standard input in any
        of these formats.

    Raises
    ------
    ConfigError
        If the file is missing, cannot be parsed (with line and column), or holds no table.
    MissingExtraError
        If the file is YAML and PyYAML is not installed.
    """
    path = Path(path)
    is_piped = str(path) == STANDARD_INPUT
    suffix = path.suffix.lower()
    if not is_piped and suffix not in PARSERS:
        raise ConfigError(f"{path}: expected a name in .toml, .yaml or .json")
    try:
        text = sys.stdin.read() if is_piped else path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file", did_you_mean_file(path)) from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read, {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: expected UTF-8 text, {error.reason}") from error
    if is_piped:
        path, suffix = Path("standard input"), _suffix_of(text)
    try:
        values = PARSERS[suffix](text, path) if text.strip() else None
        check_depth(values, str(path))
    except RecursionError as error:
        raise nested_too_deeply(str(path)) from error
    except ValueError as error:
        if "digits" in str(error):
            raise too_many_digits(str(path)) from error
        raise ConfigError(f"{path}: expected {suffix[1:].upper()}, {error}") from error
    if values is None:
        items = " or a list of items" if suffix == ".json" else ""
        raise ConfigError(
            f"{path}: expected a config{items}, found nothing",
            "A config has at least two keys, data and metrics.",
        )
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: expected a table of keys, found {short_repr(values)}")
    values.pop(SCHEMA_KEY, None)
    return values


def _toml(text: str, path: Path) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: expected TOML, {error}") from error


def _json(text: str, path: Path) -> Any:
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: _once(pairs, path))
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{path}, line {error.lineno}, column {error.colno}: expected JSON, {error.msg}"
        ) from error


def _once(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"{path}: {twice}: given twice")
    return values


def _yaml(text: str, path: Path) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError(
            f"{path}: reading YAML needs PyYAML, which is not installed",
            "Install it with: " + install("pyyaml") + "\nor write TOML or JSON.",
        ) from error

    class Loader(yaml.SafeLoader):
        """YAML loader that rejects duplicate keys, which YAML forbids and PyYAML accepts.

        Off, on, yes and no are strings, as in YAML 1.2; PyYAML parses them as booleans.
        """

        yaml_implicit_resolvers: ClassVar = {  # type: ignore[misc]
            first: [one for one in found if one[0] != _BOOLEAN]
            for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = []
            for key_node, _ in node.value:
                if key_node.tag == "tag:yaml.org,2002:merge":
                    continue
                key = self.construct_object(key_node, deep=True)
                if key in keys:
                    line = key_node.start_mark.line + 1
                    raise ConfigError(f"{path}, line {line}: {key}: given twice")
                keys.append(key)
            mapping: dict[Any, Any] = super().construct_mapping(node, deep)
            return mapping

    Loader.add_implicit_resolver(_BOOLEAN, _BOOLEANS, "tTfF")
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        # Checked before construction, which never ends for recursive or exponential aliases.
        check_depth(node, str(path), _nodes_in)
        return None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(
            f"{path}{place}: expected YAML, {error.problem}",
            _yaml_remedy(str(error.problem), text.splitlines()[mark.line :][:1] if mark else []),
        ) from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: expected YAML, {error}") from error


def _yaml_remedy(problem: str, lines: list[str]) -> str | None:
    for variable in map(_VARIABLE.search, lines):
        if variable is not None:
            return f"Put the variable in quotes: '{variable[0]}'"
    if "escape character" in problem:
        return "Write paths with / or in single quotes: 'C:\\data'"
    if "'\\t'" in problem:
        return "Replace tabs with spaces."
    if "mapping values are not allowed" in problem:
        return "Write a space after each colon, and text with a colon in quotes."
    if "<block end>" in problem:
        return "Begin all keys of a table in the same column."
    for braces in map(_BRACES.search, lines):
        if braces is not None:
            return f"Put text with braces in quotes: '{braces[0]}'"
    return None


def _suffix_of(text: str) -> str:
    """Detect the format of standard input; JSON is a subset of YAML."""
    return ".toml" if _TOML.search(text) else ".yaml"


PARSERS = {".toml": _toml, ".yaml": _yaml, ".yml": _yaml, ".json": _json}
"""Parsers by file suffix."""


def _nodes_in(node: Any) -> Iterator[Any]:
    """Yield the children of a YAML node: entries of a list, keys and values of a table."""
    for part in node.value if node is not None and isinstance(node.value, list) else ():
        yield from part if isinstance(part, tuple) else (part,)
