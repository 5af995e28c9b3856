"""Journal: the rows of items, each written as soon as it is paid for.

A run that is stopped or killed loses no finished item: the same command takes from the journal
what it has, and scores the rest.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field

from valor_core.errors import StateError
from valor_core.metrics.item_rows import ItemRow
from valor_core.readers.fingerprint import fingerprint

SUFFIX = ".rows.jsonl"


def beside(state: str | os.PathLike[str]) -> Path:
    """The journal of a state file.

    Examples
    --------
    >>> beside("runs/state.npz").name
    'state.npz.rows.jsonl'
    """
    path = Path(state)
    return path.with_name(path.name + SUFFIX)


def row_key(item: Any, scorer: Mapping[str, Any]) -> str:
    """What a row is found by: it is another one once anything that shaped it is.

    Parameters
    ----------
    item : object
        The item, with its uid and all of its content.
    scorer : mapping
        Metric and version, parameters, and what identifies the resources.
    """
    from hashlib import blake2b  # loads OpenSSL, 3 ms that few runs need

    told = json.dumps(scorer, sort_keys=True, default=str)
    return blake2b(f"{fingerprint(item)} {told}".encode(), digest_size=16).hexdigest()


@define
class Journal:
    """Rows by key, in a file that several processes may append to.

    Parameters
    ----------
    path : Path
        The file, of JSON lines.
    """

    path: Path
    _rows: dict[str, ItemRow] | None = field(default=None, init=False)
    _file: int | None = field(default=None, init=False)
    _writing: threading.Lock = field(factory=threading.Lock, init=False)

    def find(self, key: str) -> ItemRow | None:
        """The row of an item, if a run has finished it."""
        with self._writing:
            # Read once: what this run adds it does not ask for again.
            if self._rows is None:
                self._rows = dict(_read(self.path))
        return self._rows.get(key)

    def add(self, key: str, row: ItemRow) -> None:
        """Write a finished row; what may change by itself is left out.

        Raises
        ------
        StateError
            If the file cannot be written.
        """
        if not row.is_final:
            return
        line = json.dumps({"key": key} | row.to_dict(), ensure_ascii=True)
        try:
            with self._writing:
                if self._file is None:
                    self._file = _opened(self.path)
                # One call, so that lines of several processes do not mix.
                os.write(self._file, f"{line}\n".encode())
        except OSError as error:
            raise StateError(f"{self.path}: cannot be written, {error.strerror}") from error

    def close(self) -> None:
        """Let go of the file."""
        with self._writing:
            if self._file is not None:
                os.close(self._file)
            self._file = None


def _opened(path: Path) -> int:
    flags = os.O_APPEND | os.O_CREAT | os.O_RDWR | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags, 0o666)
    size = os.fstat(file).st_size
    if size:
        os.lseek(file, size - 1, os.SEEK_SET)
        if os.read(file, 1) != b"\n":  # whoever wrote last was killed in the middle of a line
            os.write(file, b"\n")
    return file


def _read(path: Path) -> Iterable[tuple[str, ItemRow]]:
    """The rows of a file that may end in half a line, or hold what is no row."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    except OSError as error:
        raise StateError(f"{path}: cannot be read, {error.strerror}") from error
    for line in lines:
        try:
            record = json.loads(line)
            yield str(record["key"]), ItemRow.from_dict(record)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
