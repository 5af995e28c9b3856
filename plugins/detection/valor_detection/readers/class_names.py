"""Names of classes, as YOLO's programs keep them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from valor_core.plugin import MissingExtraError, ReadError, install, shown
from valor_detection.readers.text import text_of


def class_names(path: Path) -> dict[int, str]:
    """Names of classes by their numbers: those of a data.yaml, or the lines of a text file.

    Raises
    ------
    ReadError
        If it is not there, holds no names, or one name twice.
    """
    if not path.exists():
        raise ReadError(
            f"{path}: expected the names of classes, found no such file",
            "Name the data set's data.yaml, or a text file with a name a line, under data.names.",
        )
    text = text_of(path)
    if path.suffix.lower() in (".yaml", ".yml"):
        found = _of_yaml(path, text)
    else:
        found = {i: line.strip() for i, line in enumerate(text.splitlines()) if line.strip()}
    names = dict(sorted(found.items()))
    if not names:
        raise ReadError(f"{path}: expected names of classes, found none")
    twice = [name for name in names.values() if list(names.values()).count(name) > 1]
    if twice:
        raise ReadError(f"{path}: expected every name once, found {twice[0]!r} twice")
    return names


def _of_yaml(path: Path, text: str) -> dict[int, str]:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError(
            f"{path}: PyYAML is not installed, which reads YAML",
            f"Install it with: {install('pyyaml')}\n"
            "or write the names into a text file, one a line.",
        ) from error
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ReadError(f"{path}: expected YAML, found: {error}") from error
    names: Any = content.get("names") if isinstance(content, Mapping) else None
    if isinstance(names, list):
        names = dict(enumerate(names))
    if not isinstance(names, Mapping) or not all(isinstance(number, int) for number in names):
        raise ReadError(
            f"{path}, names: expected a list of names, or names by number, found {shown(names)}"
        )
    return {number: str(name) for number, name in names.items()}
