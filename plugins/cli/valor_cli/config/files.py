"""Config files: TOML, YAML and JSON say the same."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from valor_cli.config.limits import check_depth, nested_too_deeply, too_many_digits
from valor_core.errors import ConfigError, MissingExtraError, did_you_mean_file, shown
from valor_core.packages import install

STANDARD_INPUT = "-"

_TOML = re.compile(r"\A(\s|#.*\n)*(\[+[^\]\n]+\]+|[\w.\"'-]+[ \t]*=)")
"""How TOML begins, after its comments: with a table, or a key and an equals sign."""
_BOOLEAN = "tag:yaml.org,2002:bool"
_BOOLEANS = re.compile("^(?:true|True|TRUE|false|False|FALSE)$")


def parse(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The plain values in a config file; its suffix says how they are written.

    Parameters
    ----------
    path : path
        A file in ``.toml``, ``.yaml``, ``.yml`` or ``.json``, or ``-`` for standard input in any
        of them.

    Raises
    ------
    ConfigError
        If the file is missing, cannot be parsed, or holds no table; with line and column.
    MissingExtraError
        If it is YAML and no YAML parser is installed.
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
        raise ConfigError(f"{path}: expected a table of keys, found {shown(values)}")
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
        """Refuses a key that stands twice in one table, which YAML forbids and PyYAML lets pass.

        Off, on, yes and no are texts, as in YAML 1.2 and JSON; PyYAML takes them for booleans.
        """

        yaml_implicit_resolvers: ClassVar = {  # type: ignore[misc]
            first: [one for one in found if one[0] != _BOOLEAN]
            for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            seen = []
            for key_node, _ in node.value:
                if key_node.tag == "tag:yaml.org,2002:merge":
                    continue
                key = self.construct_object(key_node, deep=True)
                if key in seen:
                    line = key_node.start_mark.line + 1
                    raise ConfigError(f"{path}, line {line}: {key}: given twice")
                seen.append(key)
            mapping: dict[Any, Any] = super().construct_mapping(node, deep)
            return mapping

    Loader.add_implicit_resolver(_BOOLEAN, _BOOLEANS, "tTfF")
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        # Of a node that stands in itself or repeats others many times, values are made for ever.
        check_depth(node, str(path), _nodes_in)
        return None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        is_escape = "escape character" in str(error.problem)
        raise ConfigError(
            f"{path}{place}: expected YAML, {error.problem}",
            "Write paths with / or in single quotes: 'C:\\data'" if is_escape else None,
        ) from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: expected YAML, {error}") from error


def _suffix_of(text: str) -> str:
    """How a text without a name is written; YAML has all of JSON."""
    return ".toml" if _TOML.search(text) else ".yaml"


PARSERS = {".toml": _toml, ".yaml": _yaml, ".yml": _yaml, ".json": _json}
"""What reads a config, by the suffix of its name."""


def _nodes_in(node: Any) -> Iterator[Any]:
    """The nodes of YAML in a node: entries of a list, keys and values of a table."""
    for part in node.value if node is not None and isinstance(node.value, list) else ():
        yield from part if isinstance(part, tuple) else (part,)
