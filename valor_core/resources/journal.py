"""Journal of item rows, each written as soon as its item is scored.

A stopped or killed run loses no finished item: when the command runs again, it reuses journaled
rows and scores the rest. Each line has a checksum, except lines of earlier versions. Rows that are
damaged, out of range or contradictory are scored again. A row includes the facts of its run so
far, so that the next report counts the calls of a killed run.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field

from valor_core.errors import StateError
from valor_core.readers.partition import fingerprint
from valor_core.resources.bound import Facts
from valor_core.results.item_rows import ItemRow
from valor_core.specs.spec import Range

SUFFIX = ".rows.jsonl"


def journal_path(state: str | os.PathLike[str]) -> Path:
    """Return the path of the journal of a state file.

    Examples
    --------
    >>> journal_path("runs/state.npz").name
    'state.npz.rows.jsonl'
    """
    path = Path(state)
    return path.with_name(path.name + SUFFIX)


def row_key(item: Any, scorer: Mapping[str, Any]) -> str:
    """Return the key of a row, a hash of everything that determines its score.

    Parameters
    ----------
    item : object
        Item with its uid and content.
    scorer : mapping
        Metric and version, parameters, and identities of the resources.
    """
    from hashlib import blake2b  # loads OpenSSL, 3 ms that few runs need

    identity = json.dumps(scorer, sort_keys=True, default=str)
    return blake2b(f"{fingerprint(item)} {identity}".encode(), digest_size=16).hexdigest()


@define(repr=False)
class Journal:
    """Rows by key in a file to which several processes may append.

    Parameters
    ----------
    path : Path
        JSON Lines file.
    """

    path: Path
    damaged: set[int] = field(factory=set, init=False)
    """Numbers of damaged lines."""
    facts: dict[str, tuple[int, Facts]] = field(factory=dict, init=False)
    """Latest facts of each opening of resources that scored a reused row."""
    _rows: dict[str, tuple[int, ItemRow]] | None = field(default=None, init=False)
    _latest: dict[str, tuple[int, Facts]] = field(factory=dict, init=False)
    _openings: dict[str, list[str]] = field(factory=dict, init=False)
    _rejected: dict[str, list[int]] = field(factory=dict, init=False)
    _file: int | None = field(default=None, init=False)
    _writing: threading.Lock = field(factory=threading.Lock, init=False)

    def find(self, key: str, within: Range = Range()) -> ItemRow | None:  # noqa: B008 - frozen
        """Return the row of a finished item, or None.

        Parameters
        ----------
        key : str
            Key of the row.
        within : Range
            Range of the metric; a row with a number outside is rejected.
        """
        with self._writing:
            # Read once: a run never looks up rows that it added.
            if self._rows is None:
                self._rows = {}
                self._read(self._rows)
            number, row = self._rows.get(key, (0, None))
            if row is not None and not _is_within(row, within):
                del self._rows[key]
                self._rejected[key] = [number]
                self.damaged.add(number)
                return None
            for opening in self._openings.get(key, ()):
                self.facts[opening] = self._latest[opening]
        return row

    def _read(self, rows: dict[str, tuple[int, ItemRow]]) -> None:
        for number, line in enumerate(_lines(self.path), 1):
            try:
                key, row, is_again, facts = _row_of(line)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                # A truncated line of a killed run does not count as damage.
                if line.endswith((b"}", b"]")):
                    self.damaged.add(number)
                continue
            self._note(key, facts)
            if is_again:
                self.damaged.difference_update(self._rejected.pop(key, ()))
            elif key in self._rejected:
                self._reject(key, number)
                continue
            elif key in rows and rows[key][1].value != row.value:
                self._reject(key, rows.pop(key)[0], number)
                continue
            rows[key] = number, row

    def _note(self, key: str, facts: Mapping[str, tuple[int, Facts]]) -> None:
        for opening, numbered in facts.items():
            self._openings.setdefault(key, []).append(opening)
            if opening not in self._latest or self._latest[opening][0] < numbered[0]:
                self._latest[opening] = numbered

    def _reject(self, key: str, *numbers: int) -> None:
        self._rejected.setdefault(key, []).extend(numbers)
        self.damaged.update(numbers)

    def add(
        self, key: str, row: ItemRow, facts: Mapping[str, tuple[int, Facts]] | None = None
    ) -> None:
        """Append a finished row; skip transient failures.

        Parameters
        ----------
        key : str
            Key of the row.
        row : ItemRow
            The row.
        facts : mapping of str to (int, Facts), optional
            Facts so far by opening of the resources.

        Raises
        ------
        StateError
            If the file cannot be written.
        """
        if not row.is_final:
            return
        # The row replaces rejected rows of its key.
        record = {"key": key} | row.to_dict() | ({"again": True} if key in self._rejected else {})
        record |= {"facts": facts} if facts else {}
        line = json.dumps(record | {"checksum": _checksum(record)}, ensure_ascii=True)
        try:
            with self._writing:
                if self._file is None:
                    self._file = _opened(self.path)
                # One call, so that lines of several processes do not interleave.
                os.write(self._file, f"{line}\n".encode())
        except OSError as error:
            raise StateError(f"{self.path}: cannot be written, {error.strerror}") from error

    def close(self) -> None:
        """Close the file."""
        with self._writing:
            if self._file is not None:
                os.close(self._file)
            self._file = None


def _opened(path: Path) -> int:
    flags = os.O_APPEND | os.O_CREAT | os.O_RDWR | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags, 0o600)  # details may repeat confidential items
    size = os.fstat(file).st_size
    if size:
        os.lseek(file, size - 1, os.SEEK_SET)
        if os.read(file, 1) != b"\n":  # the last writer was killed within a line
            os.write(file, b"\n")
    return file


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StateError(f"{path}: cannot be read, {error.strerror}") from error


def _row_of(line: bytes) -> tuple[str, ItemRow, bool, dict[str, tuple[int, Facts]]]:
    """Return key and row of a line, whether it replaces rows of the key, and the facts."""
    record = json.loads(line)
    if "checksum" in record and record.pop("checksum") != _checksum(record):
        raise ValueError("wrong checksum")
    facts = {opening: _checked_facts(one) for opening, one in record.pop("facts", {}).items()}
    return str(record["key"]), ItemRow.from_dict(record), record.get("again") is True, facts


def _checked_facts(value: Any) -> tuple[int, Facts]:
    number, facts = value
    if not isinstance(number, int) or not all(isinstance(one, dict) for one in facts.values()):
        raise ValueError("expected a number and a table for each resource")
    return number, facts


def _checksum(record: Mapping[str, Any]) -> str:
    return f"{zlib.crc32(json.dumps(record, ensure_ascii=True).encode()):08x}"


def _is_within(row: ItemRow, within: Range) -> bool:
    return all(number in within for number in _numbers(row))


def _numbers(row: ItemRow) -> Iterator[float]:
    values = row.value.values() if isinstance(row.value, Mapping) else [row.value]
    return (one for one in values if isinstance(one, float))
