"""Sizes, decompression and errors of input files."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISDIR
from typing import Final

from valor_core.errors import ReadError, did_you_mean_file

_NO_BOMB: Final = 2**28
_MOST_PACKED: Final = 100
"""Maximum ratio of decompression, for contents over `_NO_BOMB` bytes."""


def gzip_bytes(path: Path) -> bytes:
    """Decompress a gzip file.

    Raises
    ------
    ReadError
        If it cannot be read, is no gzip file or only a part of one, or holds so much more than its
        size that it is likely made to fill the memory.
    """
    import gzip
    import zlib

    try:
        most = max(_NO_BOMB, _MOST_PACKED * path.stat().st_size)
        with gzip.open(path, "rb") as stream:
            data = stream.read(most + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ReadError(f"{path}: expected a whole gzip file, found {error}") from error
    except OSError as error:
        raise unreadable(path, error) from error
    if len(data) > most:
        from shlex import quote

        raise ReadError(
            f"{path}: expected at most {most:,} bytes when unpacked, found more",
            f"Unpack it first, if it is meant to: gzip -d {quote(str(path))}",
        )
    return data


def unreadable(path: Path, error: OSError) -> ReadError:
    """Error for a file that the system cannot read.

    Examples
    --------
    >>> print(unreadable(Path("a.csv"), PermissionError(13, "Permission denied")))
    a.csv: expected a readable file, found: Permission denied
    """
    return ReadError(f"{path}: expected a readable file, found: {error.strerror or error}")


def file_below(folder: Path, name: str) -> Path | None:
    """Path of a file in a folder; None if the name leads out of the folder.

    Links are followed: the folder may be a link, but a file below it that is a link must lead to a
    file below the folder.

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


def file_size(path: Path) -> int:
    """Size of a file in bytes; raises for a missing or empty file.

    Raises
    ------
    ReadError
        If there is no such file, or it is a folder, empty or out of reach.
    """
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise ReadError(
            f"{path}: expected a file, found nothing there",
            remedy=did_you_mean_file(path),
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error
    if S_ISDIR(found.st_mode):
        raise ReadError(f"{path}: expected a file, found a folder")
    if found.st_size == 0:
        raise ReadError(f"{path}: expected records, the file is empty")
    return found.st_size
