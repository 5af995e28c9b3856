"""Cache: the usable replies of endpoints, in a file that several processes may share.

The thread that receives a reply stores it first, so that no reply is paid twice, even if the run
is killed. Replies are stored unparsed, and parsed again when they are
used. Each reply has a checksum over its key and text, except replies of earlier versions.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import pathname2url

from valor_core.errors import ResourceError, short_repr
from valor_llm.judge.answer import StoredReply

_APPLICATION = 0x56414C43  # distinguishes the file from other SQLite databases
_FORMAT = 1
_PATIENCE = 30.0  # seconds that another process may hold the file
_DAMAGE = (sqlite3.Error, UnicodeError, OverflowError, ValueError)
"""Errors of damaged tables; `sqlite3` raises the latter when it decodes names and texts."""

# When a process closes a file, POSIX releases all its locks on it, including SQLite's. So a new
# file is created while no other thread of the process connects to it.
_OPENING = threading.Lock()

_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS replies (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    reply TEXT NOT NULL,
    checksum TEXT
);
CREATE INDEX IF NOT EXISTS replies_by_key ON replies (key);
CREATE TABLE IF NOT EXISTS features (
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    features TEXT NOT NULL,
    PRIMARY KEY (endpoint, model)
);
CREATE TABLE IF NOT EXISTS batches (
    endpoint TEXT NOT NULL,
    batch TEXT NOT NULL,
    made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    questions TEXT NOT NULL,
    PRIMARY KEY (endpoint, batch)
);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_FORMAT};
COMMIT;
"""


class Cache:
    """Usable replies by question, capabilities of endpoints, and batches in progress.

    Thread-safe. The first write creates the file, with permissions for its owner only: replies
    repeat the judged texts.

    Parameters
    ----------
    path : Path
        The file, in SQLite's format.
    replay : bool
        Whether the file is only read.

    Raises
    ------
    ResourceError
        If the file has another format, cannot be opened, or is missing in replay mode.
    """

    def __init__(self, path: Path, replay: bool = False) -> None:
        self.path = path
        self.replay = replay
        self._writing = threading.RLock()
        self._looking = threading.Lock()
        self._connections: tuple[sqlite3.Connection, sqlite3.Connection] | None = None
        self._has_checksums = True
        self._damaged: dict[int, str] = {}
        if replay and not path.is_file():
            raise ResourceError(
                f"judge.cache_file: {path}: expected the file of an earlier run, found none",
                "Name its file as judge.cache_file, or ask an endpoint: judge.cache: use",
            )
        if path.exists():
            self._open()
        elif not path.parent.is_dir():
            raise ResourceError(
                f"judge.cache_file: {path}: expected a file in an existing folder",
                f"Make the folder: mkdir -p {path.parent}",
            )

    def replies(self, key: str) -> tuple[StoredReply, ...]:
        """The replies to a question in the order in which they came, without damaged ones.

        Parameters
        ----------
        key : str
            The question's key.
        """
        if self._is_missing:
            return ()
        self._opened()
        checksum = "checksum" if self._has_checksums else "NULL"
        query = f"SELECT number, reply, {checksum} FROM replies WHERE key = ? ORDER BY number"
        found = []
        for number, text, checked in self._look(query, (key,)):
            try:
                if checked is not None and checked != _checksum(key, text):
                    raise ValueError("another checksum")
                found.append(StoredReply.from_json(text))
            except ValueError:
                self._damaged[number] = key
        return tuple(found)

    @property
    def damaged(self) -> int:
        """Replies that were damaged, so far."""
        return len(self._damaged)

    def is_damaged(self, key: str) -> bool:
        """Return whether a reply to a question was damaged."""
        return key in self._damaged.values()

    def add(self, key: str, kept: StoredReply) -> None:
        """Append a usable reply to a question, and delete its damaged ones."""
        for number, of in list(self._damaged.items()):
            if of == key:
                self._write("DELETE FROM replies WHERE number = ?", (number,))
        text = kept.to_json()
        self._write(
            "INSERT INTO replies (key, reply, checksum) VALUES (?, ?, ?)",
            (key, text, _checksum(key, text)),
        )

    def features(self, endpoint: str, model: str) -> dict[str, Any]:
        """Return the stored capabilities of a model at an endpoint."""
        query = "SELECT features FROM features WHERE endpoint = ? AND model = ?"
        for (text,) in self._look(query, (endpoint, model)):
            with suppress(ValueError):
                record = json.loads(text)
                if isinstance(record, dict):
                    return record
        return {}

    def note_features(self, endpoint: str, model: str, features: Mapping[str, Any]) -> None:
        """Replace the stored capabilities of a model at an endpoint."""
        text = json.dumps(dict(features))
        self._write("INSERT OR REPLACE INTO features VALUES (?, ?, ?)", (endpoint, model, text))

    def batches(self, endpoint: str) -> dict[str, tuple[str, ...]]:
        """Return the batches of an endpoint in progress, with the keys of their questions."""
        query = "SELECT batch, questions FROM batches WHERE endpoint = ? ORDER BY made, batch"
        found = {}
        for batch, text in self._look(query, (endpoint,)):
            with suppress(ValueError, TypeError):
                found[batch] = tuple(map(str, json.loads(text)))
        return found

    def add_batch(self, endpoint: str, batch: str, keys: Iterable[str]) -> None:
        """Record a batch in progress."""
        values = (endpoint, batch, json.dumps(list(keys)))
        self._write(
            "INSERT OR REPLACE INTO batches (endpoint, batch, questions) VALUES (?, ?, ?)", values
        )

    def remove_batch(self, endpoint: str, batch: str) -> None:
        """Forget a batch whose replies are written."""
        self._write("DELETE FROM batches WHERE endpoint = ? AND batch = ?", (endpoint, batch))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write all changes of a block in one transaction."""
        with self._writing:
            self._write("BEGIN IMMEDIATE", ())
            try:
                yield
            except BaseException:
                self._write("ROLLBACK", ())
                raise
            self._write("COMMIT", ())

    def close(self) -> None:
        """Close the file; a later reply opens it again."""
        with self._writing, self._looking, _OPENING:
            for connection in self._connections or ():
                with suppress(sqlite3.Error):
                    connection.close()
            self._connections = None

    @property
    def _is_missing(self) -> bool:
        return self._connections is None and not self.path.exists()

    def _look(self, query: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
        if self._is_missing:
            return []
        try:
            with self._looking:
                return self._open()[0].execute(query, values).fetchall()
        except _DAMAGE as error:
            raise self._trouble("be read", error) from error

    def _write(self, statement: str, values: tuple[str | int, ...]) -> None:
        if self.replay:
            return
        try:
            with self._writing:
                self._open()[1].execute(statement, values)
        except _DAMAGE as error:
            raise self._trouble("be written", error) from error

    def _opened(self) -> None:
        """Open the file, which finds out whether it has checksums."""
        with self._looking:
            self._open()

    def _open(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        """Return a connection for reading, which does not wait for writers, and one for writing."""
        with _OPENING:
            if self._connections is None:
                try:
                    self._connections = (self._connected(), self._connected())
                except _DAMAGE as error:
                    raise self._trouble("be opened", error) from error
                except OSError as error:
                    raise ResourceError(
                        f"judge.cache_file: {self.path}: cannot be opened, {error.strerror}",
                        "Name a file that may be written as judge.cache_file.",
                    ) from error
            return self._connections

    def _connected(self) -> sqlite3.Connection:
        if self.replay:
            return self._connected_to_read()
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL, 0o600))
        connection = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.text_factory = _text
            if not self._is_known(connection):
                connection.executescript(_TABLES)
            elif not _has_checksums(connection):
                # Another process may add the column at the same time.
                with suppress(sqlite3.OperationalError):
                    connection.execute("ALTER TABLE replies ADD COLUMN checksum TEXT")
            self._has_checksums = _has_checksums(connection)  # a read-only file gets none
            # In WAL mode, readers do not wait for writers. If another
            # process is about to make it, the file is locked for that.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = WAL")
            # Written data survive a crash of this process; SQLite does not wait for the disk.
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _connected_to_read(self) -> sqlite3.Connection:
        """Open a connection that changes nothing, even in a read-only folder."""
        uri = f"file:{pathname2url(str(self.path.resolve()))}"
        trouble: sqlite3.Error | None = None
        # SQLite creates files next to the database, unless it is opened as immutable.
        for options in ("?mode=rw", "?mode=ro&immutable=1"):
            connection = sqlite3.connect(
                uri + options,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
            try:
                connection.text_factory = _text
                connection.execute("PRAGMA query_only = ON")
                if self._is_known(connection):
                    self._has_checksums = _has_checksums(connection)
                    return connection
                raise self._foreign("an empty file")
            except sqlite3.OperationalError as error:
                connection.close()
                trouble = error
            except BaseException:
                connection.close()
                raise
        raise trouble or sqlite3.OperationalError("cannot be opened")

    def _is_known(self, connection: sqlite3.Connection) -> bool:
        """Return whether the file has the tables; raise an error for another program's file."""
        connection.execute("BEGIN")  # another process may be making the tables
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
        connection.execute("COMMIT")
        if application != _APPLICATION:
            if application or version or tables:
                raise self._foreign("another program's database")
            return False
        if version != _FORMAT:
            raise self._foreign(f"format {version}, this version has {_FORMAT}")
        return True

    def _foreign(self, found: str) -> ResourceError:
        return ResourceError(
            f"judge.cache_file: {self.path}: expected a cache of replies, found {found}",
            "Name another file as judge.cache_file, or move this one away.",
        )

    def _trouble(self, doing: str, error: Exception) -> ResourceError:
        if isinstance(error, sqlite3.DatabaseError) and "not a database" in str(error):
            return self._foreign("another kind of file")
        return ResourceError(
            f"judge.cache_file: {self.path}: cannot {doing}, {short_repr(str(error))[1:-1]}",
            "Give it room and rights, or move it away if it is damaged; what it has is asked for "
            "anew then.",
        )


def _text(data: bytes) -> str:
    """Decode a text; damaged bytes change its checksum."""
    return data.decode("utf-8", "replace")


def _checksum(key: str, text: str) -> str:
    return hashlib.blake2b(f"{key} {text}".encode(errors="replace"), digest_size=8).hexdigest()


def _has_checksums(connection: sqlite3.Connection) -> bool:
    return any(row[1] == "checksum" for row in connection.execute("PRAGMA table_info(replies)"))
