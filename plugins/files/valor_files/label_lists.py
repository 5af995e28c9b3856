"""Lists of labels in parameters of readers: names, or a text file with one name per line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from attrs import frozen

from valor_core.errors import ParameterError, ReadError, short_repr
from valor_core.parameters.kinds import SCALARS, Kind, ListKind, PathKind, UnionKind
from valor_files.files import unreadable_error

_LABEL_SUFFIXES = (".lst", ".names", ".txt")
_OTHER_SUFFIXES = (".csv", ".json", ".tsv", ".xml", ".yaml", ".yml")
_REMEDY = "Write one label per line, without empty lines between labels."


@frozen
class LabelListKind(ListKind):
    """Kind of a parameter that is a list of labels, or a .txt, .names or .lst file of labels."""

    @classmethod
    def of(cls, item: Kind) -> LabelListKind:
        """Kind for labels of another kind."""
        return cls(f"list of {item.words} or text file", has_paths=True, item=item)

    def fit(self, value: Any, name: str) -> Any:
        """Convert a value to a tuple of labels or the path of a file."""
        only = _only(value)
        if only.lower().endswith(_LABEL_SUFFIXES):
            return PathKind().fit(only, name)
        if only.lower().endswith(_OTHER_SUFFIXES):
            raise ParameterError(
                f"{name} must be labels or a text file with one label per line, "
                f"got {short_repr(only)}",
                f"Write the labels into a file that ends in .txt: {name}: labels.txt",
            )
        return super().fit(value, name)

    def holds_paths(self, value: Any) -> bool:
        """Return True for the name of a file."""
        return _only(value).lower().endswith(_LABEL_SUFFIXES)


def _only(value: Any) -> str:
    """Only string or path in a value; empty for other values."""
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    return str(value) if isinstance(value, (str, Path)) else ""


LabelList = Annotated[tuple[str, ...] | Path, LabelListKind.of(SCALARS[str])]
"""Annotation of a parameter that is a list of names, or a file with one name per line."""

MixedLabelList = Annotated[
    tuple[str | int, ...] | Path, LabelListKind.of(UnionKind.of((SCALARS[str], SCALARS[int])))
]
"""Annotation of a parameter that is a list of names and integers, or a file of names."""


def listed_labels(labels: Sequence[Any] | Path) -> tuple[Any, ...]:
    """Labels of a parameter, read from its file if it is a path.

    A byte order mark, whitespace around labels and empty lines at the end are ignored.

    Raises
    ------
    ReadError
        If the file cannot be read as UTF-8, has no labels, repeats a label or has an empty line
        between labels.

    Examples
    --------
    >>> listed_labels(["cat", "dog"])
    ('cat', 'dog')
    """
    if not isinstance(labels, Path):
        return tuple(labels)
    try:
        text = labels.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(
            f"{labels}: expected text in UTF-8, found other bytes at {error.start:,}",
            "Save it as UTF-8.",
        ) from error
    except FileNotFoundError as error:
        raise ReadError(f"{labels}: no such file") from error
    except OSError as error:
        raise unreadable_error(labels, error) from error
    if not text.strip():
        raise ReadError(f"{labels}: expected one label per line, found none")
    found: dict[str, int] = {}
    for number, line in enumerate(text.rstrip().split("\n"), 1):
        label = line.strip()
        if not label:
            raise ReadError(
                f"{labels}, line {number}: expected a label, found an empty line", _REMEDY
            )
        if label in found:
            raise ReadError(
                f"{labels}, line {number}: expected each label once, "
                f"found {short_repr(label)}, as in "
                f"line {found[label]}",
                _REMEDY,
            )
        found[label] = number
    return tuple(found)
