"""Tables with one row for each item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from glob import glob
from itertools import chain, repeat
from operator import itemgetter
from os.path import abspath, commonpath
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from valor_files import Table, TableInMemory, TablePartition, TableSource, split_table

from valor_core.errors import ReadError
from valor_core.schemas import DEFAULT_KEY, Codes, Floats, Vocabulary
from valor_core.schemas.label import kept_label

UID = "uid"
"""Default column of uids."""
_WILDCARDS = "*?["


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
        """Return ranges of the files in their order; a file found twice is read once."""
        files = dict.fromkeys(file for path in self.paths for file in _files(path))
        return tuple(
            part
            for file in files
            for part in split_table(
                file, partition_bytes=self.partition_bytes, may_be_read_ahead=True
            )
        )

    def uids(self, table: Table) -> Any:
        """Uid of each row.

        Without such a column it is the number of the row in its file, which does not depend on
        partitions. With several files, the path of the file below their common folder precedes the
        number.
        """
        if self.uid is not None or table.has(UID):
            return table.uids(self.uid or UID)
        numbers = table.rows
        first = self.paths[0]
        if isinstance(first, TableInMemory) or (len(self.paths) == 1 and not _is_pattern(first)):
            return numbers
        name = self._from_shared_folder(Path(table.source))
        return [f"{name}:{number}" for number in numbers.tolist()]

    def columns_read(self, *names: str) -> set[str]:
        """Columns that are no metadata: the uid's and the ones named."""
        return {self.uid or UID, *names}

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
    """Innermost folder of a path that is not a pattern."""
    return next(folder for folder in Path(abspath(path)).parents if not _is_pattern(folder))


def _is_pattern(path: Path) -> bool:
    return any(mark in str(path) for mark in _WILDCARDS)


_Flat = tuple[list[Any], list[Any], list[Any] | None]
"""Labels, scores and, where they differ, label keys of all entries."""


@frozen(eq=False)
class ListEntries:
    """Entries of the lists of all items, concatenated.

    Parameters
    ----------
    rows : ndarray of int64, shape (n,)
        Position of the item of each entry.
    names : list of str or int
        Label of each.
    keys : list of str, optional
        Label key of each; the default one unless given.
    scores : ndarray of float64, shape (n,)
        Score of each.
    """

    rows: Codes
    names: list[Any]
    keys: list[Any] | None
    scores: Floats

    @classmethod
    def of(cls, cells: Sequence[Any], score_cells: Sequence[Any] | None) -> ListEntries | None:
        """Return the entries of cells that share one simple format, or None.

        Parameters
        ----------
        cells : sequence
            For each item a table of scores by label, a list of labels, of pairs or of tables.
        score_cells : sequence, optional
            List of scores of each item, if the lists hold only labels.

        Examples
        --------
        >>> listing = ListEntries.of([{"dog": 0.75, "cat": 0.25}, {"cat": 1}], None)
        >>> listing.rows, listing.names, listing.scores
        (array([0, 0, 1]), ['dog', 'cat', 'cat'], array([0.75, 0.25, 1.  ]))
        >>> ListEntries.of([{"dog": "high"}], None) is None
        True
        """
        flat = _flattened(cells, score_cells)
        if flat is None:
            return None
        names, scores, keys = flat
        are_plain = set(map(type, names)) <= {str, int} and set(map(type, scores)) <= {int, float}
        if not are_plain or not set(map(type, keys or ())) <= {str}:
            return None
        try:
            values = np.array(scores, dtype=np.float64)
        except OverflowError:
            return None
        if not np.isfinite(values).all():
            return None
        return cls(np.repeat(np.arange(len(cells)), list(map(len, cells))), names, keys, values)

    def codes(self, vocabulary: Vocabulary) -> Codes:
        """Label codes of the entries; each distinct label is made once.

        Raises
        ------
        SchemaError
            If a label is no label, as empty text is.
        """
        if self.keys is None:
            code_of: dict[Any, int] = {
                name: vocabulary.code(kept_label(DEFAULT_KEY, str(name)))
                for name in dict.fromkeys(self.names)
            }
            return np.fromiter(map(code_of.__getitem__, self.names), np.int64, len(self.names))
        pairs = list(zip(self.keys, self.names, strict=True))
        code_of = {
            pair: vocabulary.code(kept_label(pair[0], str(pair[1])))
            for pair in dict.fromkeys(pairs)
        }
        return np.fromiter(map(code_of.__getitem__, pairs), np.int64, len(pairs))


def _flattened(cells: Sequence[Any], score_cells: Sequence[Any] | None) -> _Flat | None:
    kinds = set(map(type, cells))
    if kinds == {dict}:
        scores = list(chain.from_iterable(map(dict.values, cells)))
        return list(chain.from_iterable(cells)), scores, None
    if kinds != {list}:
        return None
    entries = list(chain.from_iterable(cells))
    if score_cells is not None:
        return _side_by_side(cells, entries, score_cells)
    kinds = set(map(type, entries))
    if kinds == {list}:
        return _of_pairs(entries)
    return _of_tables(entries) if kinds == {dict} else None


def _side_by_side(
    cells: Sequence[list[Any]], entries: list[Any], score_cells: Sequence[Any]
) -> _Flat | None:
    if set(map(type, score_cells)) != {list} or list(map(len, cells)) != list(
        map(len, score_cells)
    ):
        return None
    return entries, list(chain.from_iterable(score_cells)), None


def _of_pairs(entries: list[list[Any]]) -> _Flat | None:
    if set(map(len, entries)) != {2}:
        return None
    return list(map(itemgetter(0), entries)), list(map(itemgetter(1), entries)), None


def _of_tables(entries: list[dict[str, Any]]) -> _Flat | None:
    try:
        names = list(map(itemgetter("label"), entries))
        scores = list(map(itemgetter("score"), entries))
    except KeyError:
        return None
    has_keys = any(map(dict.__contains__, entries, repeat("key")))
    keys = [entry.get("key", DEFAULT_KEY) for entry in entries] if has_keys else None
    return names, scores, keys
