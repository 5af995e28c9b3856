"""Whole files: what is written stands in its file completely, or the file is left as it was.

Of several who write one file at a time, the last to finish has written it. A file that is replaced
keeps its mode.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from valor_core.errors import ReportError

_KEPT = 40
"""Characters of a file's name in that of the file beside it, which must not be too long."""


@contextmanager
def replacing(path: Path, private: bool = False) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its place when the block ends well.

    Parameters
    ----------
    path : Path
        The file to write; of a link, what it leads to is replaced.
    private : bool
        Whether a new file is readable by its owner alone (mode 0600).

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
    unfinished = _new_beside(target, 0o600 if private or kept is not None else 0o666)
    try:
        yield unfinished
        if kept is not None:
            unfinished.chmod(kept)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise an `OSError` if a file cannot be written; leaves it as it is."""
    if path.exists():
        path.open("ab").close()
    _new_beside(path.resolve()).unlink()


def write_text(path: Path, text: str | bytes, private: bool = False) -> None:
    """Write bytes, or a text as UTF-8, whole or not at all.

    Parameters
    ----------
    path : Path
        The file.
    text : str or bytes
        Its content.
    private : bool
        Whether a new file is readable by its owner alone (mode 0600).

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
        raise ReportError(f"{path}: cannot be written, {error.strerror}") from error


def _new_beside(target: Path, mode: int = 0o666) -> Path:
    """A new, empty file beside another, by a name that nobody else knows or can foresee."""
    unfinished = target.with_name(f".{target.name[:_KEPT]}.{os.urandom(8).hex()}.unfinished")
    unfinished.touch(mode, exist_ok=False)
    return unfinished
