"""Text files of annotations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from valor_files import unreadable_error

from valor_core.errors import ReadError, SchemaError, short_repr
from valor_core.schemas import Floats


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


def numbers_of(
    rows: Sequence[Sequence[str]], width: int, path: Path, lines: Sequence[int]
) -> Floats:
    """Parse the fields of lines as numbers.

    Parameters
    ----------
    rows : sequence of sequence of str
        Fields of each line.
    width : int
        Number of fields of each line.
    path : Path
        File, for messages.
    lines : sequence of int
        Line number of each row, for messages.

    Returns
    -------
    ndarray of float64, shape (n, width)

    Raises
    ------
    ReadError
        If a field is not a finite number.

    Examples
    --------
    >>> numbers_of([["1", "2.5"]], 2, Path("a.txt"), [1])
    array([[1. , 2.5]])
    """
    words = list(chain.from_iterable(rows))
    text = " ".join(words)
    try:
        # Python's numbers may have underscores and digits of other alphabets.
        if "_" in text or not text.isascii():
            raise ValueError
        found: NDArray[np.float64] = np.array(words, np.str_).astype(np.float64)
    except ValueError:
        found = np.array([_number(word) for word in words])
    found = found.reshape(len(rows), width)
    bad = np.argwhere(~np.isfinite(found))
    if len(bad):
        row, column = bad[0].tolist()
        raise ReadError(
            f"{path}, line {lines[row]}: expected finite numbers, "
            f"found {short_repr(rows[row][column])}",
            "Write coordinates in pixels, separated by spaces, such as 12.5.",
        )
    return found


def _number(word: str) -> float:
    try:
        return number_of(word)
    except ValueError:
        return math.nan


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
