"""Small text files, read as a whole, and the numbers in them."""

from __future__ import annotations

from pathlib import Path

from valor_files import unreadable

from valor_core.errors import ReadError


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
