"""Text files of annotations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from valor_files import unreadable

from valor_core.errors import ReadError, SchemaError


def text_of(path: Path) -> str:
    """What a text file says.

    Raises
    ------
    ReadError
        If it cannot be read or is not in UTF-8; names the line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ReadError(
            f"{path}, line {line}: expected text in UTF-8, found the byte "
            f"{content[error.start]:#04x}",
            "Save the file in UTF-8.",
        ) from error


def number_of(text: str) -> float:
    """The number that a text is.

    Raises
    ------
    ValueError
        If it is none, or one that Python alone takes for a number: ``5_0`` or foreign digits.

    Examples
    --------
    >>> number_of(" 2.5e1 ")
    25.0
    """
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


@contextmanager
def as_read_errors() -> Iterator[None]:
    """A block in which a `SchemaError`, whose place is one in a file, is a `ReadError`.

    Examples
    --------
    >>> with as_read_errors():
    ...     raise SchemaError("boxes.csv, line 2: expected a shape with an area")
    Traceback (most recent call last):
        ...
    valor_core.errors.ReadError: boxes.csv, line 2: expected a shape with an area
    """
    try:
        yield
    except SchemaError as error:
        raise ReadError(error.message, error.remedy) from error
