"""Whole files: what is written stands in its file completely, or the file is left as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from valor_core.errors import ReportError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its place when the block ends well.

    Parameters
    ----------
    path : Path
        The file to write; of a link, what it leads to is replaced.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "report.json")
    ...     with replacing(path) as unfinished:
    ...         _ = unfinished.write_text("{}")
    ...     path.read_text()
    '{}'
    """
    unfinished = _beside(path)
    try:
        yield unfinished
        unfinished.replace(path.resolve())
    finally:
        unfinished.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise an `OSError` if a file cannot be written; leaves it as it is."""
    if path.exists():
        path.open("ab").close()
    unfinished = _beside(path)
    unfinished.touch()
    unfinished.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, whole or not at all.

    Raises
    ------
    ReportError
        If the file cannot be written, or the text has a lone surrogate.
    """
    try:
        data = text.encode("utf-8")
        with replacing(path) as unfinished:
            unfinished.write_bytes(data)
    except UnicodeEncodeError as error:
        found = text[error.start].encode("ascii", "backslashreplace").decode()
        raise ReportError(
            f"{path}: cannot be written, expected Unicode text, found the lone surrogate {found}"
        ) from error
    except OSError as error:
        raise ReportError(f"{path}: cannot be written, {error.strerror}") from error


def _beside(path: Path) -> Path:
    target = path.resolve()
    return target.with_name(f".{target.name}.unfinished")
