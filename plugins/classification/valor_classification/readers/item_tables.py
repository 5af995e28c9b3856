"""Tables of items: the files that hold them, and what their rows are called."""

from __future__ import annotations

from collections.abc import Iterator
from glob import glob
from os.path import abspath, commonpath
from pathlib import Path
from typing import Any

from attrs import frozen
from valor_files import Table, TableInMemory, TablePartition, TableSource, split_table

from valor_core.errors import ReadError
from valor_core.readers import Partition

_UID = "uid"
_WILDCARDS = "*?["


@frozen
class WholeFiles(Partition):
    """The one partition of two tables that are joined by uid: rows of an item can be anywhere."""

    groundtruths: TableSource
    predictions: TableSource

    @property
    def name(self) -> str:
        """The two files."""
        return f"{self.groundtruths} and {self.predictions}"

    @property
    def identity(self) -> str:
        """The two files, from wherever they are named."""
        return " and ".join(str(path.resolve()) for path in self.paths) or self.name

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files it is of."""
        both = (self.groundtruths, self.predictions)
        return tuple(source for source in both if isinstance(source, Path))


@frozen
class ItemTables:
    """Files with one row for each item.

    Parameters
    ----------
    paths : tuple of Path or TableInMemory
        The files, or patterns of their names; or tables in memory.
    uid : str, optional
        Column of the item's uid; None is ``uid`` where a table has it.
    partition_bytes : int
        About how large a partition is.
    """

    paths: tuple[TableSource, ...]
    uid: str | None
    partition_bytes: int

    def partitions(self) -> tuple[TablePartition, ...]:
        """Ranges of the files, one file behind the other; a file found twice is read once."""
        files = dict.fromkeys(file for path in self.paths for file in _files(path))
        return tuple(
            part
            for file in files
            for part in split_table(
                file, partition_bytes=self.partition_bytes, may_be_read_ahead=True
            )
        )

    def uids(self, table: Table) -> Any:
        """The uid of each row.

        Where the table has none, it is the row's number in its file, which no other row has
        however the file is split. Several files number theirs alike, so that it stands behind the
        file's path from the folder that they share.
        """
        if self.uid is not None or table.has(_UID):
            return table.uids(self.uid or _UID)
        numbers = table.rows
        first = self.paths[0]
        if isinstance(first, TableInMemory) or (len(self.paths) == 1 and not _is_pattern(first)):
            return numbers
        name = self._from_shared_folder(Path(table.source))
        return [f"{name}:{number}" for number in numbers.tolist()]

    def own(self, *names: str) -> set[str]:
        """Columns that are no metadata: the uid's and the ones named."""
        return {self.uid or _UID, *names}

    def _from_shared_folder(self, file: Path) -> str:
        """A file's path, the same from wherever the files are named."""
        try:
            shared = commonpath(_folder(path) for path in self.paths if isinstance(path, Path))
        except ValueError:  # another drive
            return file.as_posix()
        return Path(abspath(file)).relative_to(shared).as_posix()


def _files(path: TableSource) -> Iterator[TableSource]:
    if isinstance(path, TableInMemory) or not _is_pattern(path) or path.exists():
        yield path
        return
    found = sorted(file for file in map(Path, glob(str(path), recursive=True)) if file.is_file())
    if not found:
        raise ReadError(f"{path}: expected files with names of this pattern, found none")
    yield from found


def _folder(path: Path) -> Path:
    """The nearest folder of a path that is no pattern."""
    return next(folder for folder in Path(abspath(path)).parents if not _is_pattern(folder))


def _is_pattern(path: Path) -> bool:
    return any(mark in str(path) for mark in _WILDCARDS)
