"""Text files of annotations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from valor_files import unreadable_error

from valor_core.errors import ReadError, SchemaError


def text_of(path: Path) -> str:
    """Read a text file.

    Raises
    ------
    ReadError
        If the file cannot be read or is not UTF-8.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable_error(path, error) from error
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
    """Parse a number.

    Raises
    ------
    ValueError
        If the text is not a number, or a number only in Python: ``5_0`` or non-ASCII digits.

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
    """Convert a `SchemaError` about a file to a `ReadError` in this context.

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
