"""Class names in the formats of YOLO."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import MissingExtraError, ReadError, short_repr
from valor_core.packages import install
from valor_detection.readers.text_files import text_of


@frozen
class Classes:
    """Classes of a YOLO data set.

    Parameters
    ----------
    names : dict of int to str
        Names by number.
    keypoints : (int, int), optional
        Number of keypoints and of values per keypoint, 2 or 3: ``kpt_shape`` of a data.yaml.
    empty_lines : frozenset of int
        Class numbers with an empty line in a text file.
    """

    names: dict[int, str]
    keypoints: tuple[int, int] | None = None
    empty_lines: frozenset[int] = frozenset()


def read_classes(path: Path) -> Classes:
    """Read the classes of a data.yaml, or of a text file with one name per line.

    Raises
    ------
    ReadError
        If the file is missing, has no names or a repeated name, or ``kpt_shape`` is invalid.
    """
    names = class_names(path)
    text = text_of(path)
    if path.suffix.lower() in (".yaml", ".yml"):
        return Classes(names, _keypoints(path, text))
    lines = [line.strip() for line in text.splitlines()]
    empty = (i for i, line in enumerate(lines) if not line and any(lines[i:]))
    return Classes(names, empty_lines=frozenset(empty))


def _keypoints(path: Path, text: str) -> tuple[int, int] | None:
    shape = _yaml(path, text).get("kpt_shape")
    if shape is None:
        return None
    is_pair = isinstance(shape, list) and [type(one) for one in shape] == [int, int]
    if not is_pair or shape[0] < 1 or shape[1] not in (2, 3):
        raise ReadError(
            f"{path}, kpt_shape: expected the number of keypoints and 2 or 3 values of each, "
            f"found {short_repr(shape)}",
            "Write it as: kpt_shape: [17, 3]",
        )
    return shape[0], shape[1]


def class_names(path: Path) -> dict[int, str]:
    """Read class names by number from a data.yaml, or from the lines of a text file.

    Raises
    ------
    ReadError
        If the file is missing, or has no names or a repeated name.
    """
    if not path.exists():
        raise ReadError(
            f"{path}: expected the names of classes, found no such file",
            "Set data.names to the data set's data.yaml, or to a text file with one name per line.",
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


def _yaml(path: Path, text: str) -> Mapping[Any, Any]:
    """Parse a YAML mapping; return an empty one for other content."""
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError(
            f"{path}: reading YAML requires PyYAML, which is not installed",
            f"Install it with: {install('pyyaml')}\n"
            "or write the names into a text file, one per line.",
        ) from error
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ReadError(f"{path}: expected YAML, found: {error}") from error
    return content if isinstance(content, Mapping) else {}


def _of_yaml(path: Path, text: str) -> dict[int, str]:
    names: Any = _yaml(path, text).get("names")
    if isinstance(names, list):
        names = dict(enumerate(names))
    if not isinstance(names, Mapping) or not all(isinstance(number, int) for number in names):
        raise ReadError(
            f"{path}, names: expected a list of names, or names by number, "
            f"found {short_repr(names)}"
        )
    return {number: str(name) for number, name in names.items()}
