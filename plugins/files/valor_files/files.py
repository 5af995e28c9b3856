"""Sizes, decompression and errors of input files."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISDIR
from typing import Final

from valor_core.errors import ReadError, did_you_mean_file

_SAFE_BYTES: Final = 2**28
_MAX_RATIO: Final = 100
"""Maximum compression ratio of contents over `_SAFE_BYTES`."""


def gzip_bytes(path: Path) -> bytes:
    """Decompress a gzip file.

    Raises
    ------
    ReadError
        If the file cannot be read, is truncated or not gzip, or expands so much that it is likely
        a decompression bomb.
    """
    import gzip
    import zlib

    try:
        limit = max(_SAFE_BYTES, _MAX_RATIO * path.stat().st_size)
        with gzip.open(path, "rb") as stream:
            data = stream.read(limit + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ReadError(f"{path}: expected a valid gzip file, found {error}") from error
    except OSError as error:
        raise unreadable_error(path, error) from error
    if len(data) > limit:
        from shlex import quote

        raise ReadError(
            f"{path}: expected at most {limit:,} bytes when decompressed, found more",
            f"If the size is correct, decompress it first: gzip -d {quote(str(path))}",
        )
    return data


def unreadable_error(path: Path, error: OSError) -> ReadError:
    """Convert an error of the operating system to a `ReadError`.

    Examples
    --------
    >>> print(unreadable_error(Path("a.csv"), PermissionError(13, "Permission denied")))
    a.csv: expected a readable file, found: Permission denied
    """
    return ReadError(f"{path}: expected a readable file, found: {error.strerror or error}")


def file_below(folder: Path, name: str) -> Path | None:
    """Path of a file in a folder; None if the name leads out of the folder.

    Symbolic links are followed: the folder may be one, but a link below it must resolve to a path
    in the folder.

    Examples
    --------
    >>> [file_below(Path("images"), name) is None for name in ("a.png", "../a.png", "/a.png")]
    [False, True, True]
    """
    path = folder / name
    try:
        is_below = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links or a NUL; open() raises as well
        return path
    return path if is_below else None


_VARIABLES = "Refer to environment variables in a config as ${env:NAME}."


def checked_size(path: Path) -> int:
    """Size of a file in bytes.

    Raises
    ------
    ReadError
        If the path is missing, a folder, empty or not accessible.
    """
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise ReadError(
            f"{path}: no such file",
            remedy=_VARIABLES if "$" in str(path) else did_you_mean_file(path),
        ) from error
    except OSError as error:
        raise unreadable_error(path, error) from error
    if S_ISDIR(found.st_mode):
        raise ReadError(f"{path}: expected a file, found a folder")
    if found.st_size == 0:
        raise ReadError(f"{path}: expected records, found an empty file")
    return found.st_size
