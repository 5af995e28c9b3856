"""Names of classes, as YOLO's programs keep them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from valor_core.errors import MissingExtraError, ReadError, shown
from valor_core.packages import install
from valor_detection.readers.text_files import text_of


@frozen
class Classes:
    """Classes of a data set, in the format of YOLO's programs.

    Parameters
    ----------
    names : dict of int to str
        Names by number.
    keypoints : (int, int), optional
        Number of keypoints, and of values of each, 2 or 3: ``kpt_shape`` of a data.yaml.
    empty_lines : frozenset of int
        Numbers of classes whose line in a text file is empty.
    """

    names: dict[int, str]
    keypoints: tuple[int, int] | None = None
    empty_lines: frozenset[int] = frozenset()


def read_classes(path: Path) -> Classes:
    """Classes of a data.yaml, or of the lines of a text file.

    Raises
    ------
    ReadError
        If there is no such file, it holds no names or one name twice, or ``kpt_shape`` is wrong.
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
            f"{path}, kpt_shape: expected the number of keypoints, and 2 or 3 values of each, "
            f"found {shown(shape)}",
            "Write it as: kpt_shape: [17, 3]",
        )
    return shape[0], shape[1]


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


def _yaml(path: Path, text: str) -> Mapping[Any, Any]:
    """Fields of a YAML file; none where it holds something else."""
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
    return content if isinstance(content, Mapping) else {}


def _of_yaml(path: Path, text: str) -> dict[int, str]:
    names: Any = _yaml(path, text).get("names")
    if isinstance(names, list):
        names = dict(enumerate(names))
    if not isinstance(names, Mapping) or not all(isinstance(number, int) for number in names):
        raise ReadError(
            f"{path}, names: expected a list of names, or names by number, found {shown(names)}"
        )
    return {number: str(name) for number, name in names.items()}
