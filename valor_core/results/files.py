"""Atomic writes: a file is written completely, or left unchanged.

If several processes write the same file, the last one to finish wins. A replaced file keeps its
mode.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from valor_core.errors import ReportError, short_repr

_NAME_LENGTH = 40
"""Characters of the name used in the name of the temporary file, which has a length limit."""


@contextmanager
def replacing(path: Path, private: bool = False) -> Iterator[Path]:
    """Yield a temporary file in the same folder, which replaces `path` if the block succeeds.

    Parameters
    ----------
    path : Path
        File to write. For a link, the target is replaced.
    private : bool
        Whether a new file is readable by its owner only (mode 0600).

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
    target = path.resolve()
    kept = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    unfinished = _temporary_file(target, 0o600 if private or kept is not None else 0o666)
    try:
        yield unfinished
        if kept is not None:
            unfinished.chmod(kept)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def path_of(path: str | os.PathLike[str], remedy: str) -> Path:
    """Return the path of a report; raise a `ReportError` with the remedy for open files."""
    if isinstance(path, (str, os.PathLike)):
        return Path(path)
    is_file = hasattr(path, "read") or hasattr(path, "write")
    remedy = remedy if is_file else "Pass the name of a file, such as 'report.json'."
    raise ReportError(f"report: expected a path, got {short_repr(path)}", remedy)


def check_writable(path: Path) -> None:
    """Raise an `OSError` if a file cannot be written, without changing it."""
    if path.exists():
        path.open("ab").close()
    _temporary_file(path.resolve()).unlink()


def write_text(path: Path, text: str | bytes, private: bool = False) -> None:
    """Write bytes, or text as UTF-8, atomically.

    Parameters
    ----------
    path : Path
        File to write.
    text : str or bytes
        Content.
    private : bool
        Whether a new file is readable by its owner only (mode 0600).

    Raises
    ------
    ReportError
        If the file cannot be written, or the text has a lone surrogate.
    """
    try:
        data = text.encode("utf-8") if isinstance(text, str) else text
        with replacing(path, private) as unfinished:
            unfinished.write_bytes(data)
    except UnicodeEncodeError as error:
        found = error.object[error.start].encode("ascii", "backslashreplace").decode()
        raise ReportError(
            f"{path}: cannot be written, expected Unicode text, found the lone surrogate {found}"
        ) from error
    except OSError as error:
        missing = None if path.parent.exists() else f"Create it with: mkdir -p {path.parent}"
        raise ReportError(f"{path}: cannot be written, {error.strerror}", missing) from error


def _temporary_file(target: Path, mode: int = 0o666) -> Path:
    """Create an empty file in the same folder, with an unpredictable name."""
    unfinished = target.with_name(f".{target.name[:_NAME_LENGTH]}.{os.urandom(8).hex()}.unfinished")
    unfinished.touch(mode, exist_ok=False)
    return unfinished
