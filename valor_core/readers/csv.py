"""Comma- and tab-separated files: a header row, UTF-8, cells quoted as RFC 4180 has it.

A file is split at row ends outside of quotes. Where a quote stands in the midst of an unquoted
cell, quotes cannot be paired without parsing the whole file; such a file stays in one piece.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Final

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more
from valor_core.readers.table import Cut, Table, TablePartition, count_line_breaks, unreadable

DELIMITERS: Final = {"csv": ",", "tsv": "\t"}

_SCAN_BYTES: Final = 2**20
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def split(whole: TablePartition, partition_bytes: int) -> tuple[TablePartition, ...]:
    """Partitions of about `partition_bytes` that begin and end with whole rows.

    Parameters
    ----------
    whole : TablePartition
        The file in one piece.
    partition_bytes : int
        A partition is cut at the first row end from this size on.
    """
    if whole.is_gzip or whole.stop <= partition_bytes:
        return (whole,)
    try:
        with whole.path.open("rb") as stream:
            scan = _Scan(ord(DELIMITERS[whole.format]), partition_bytes)
            cuts = scan.cuts(stream)
    except OSError as error:
        raise unreadable(whole.path, error) from error
    cuts = [cut for cut in cuts if cut.offset < whole.stop]
    if not cuts:
        return (whole,)
    first = whole.cut(cuts)[0]
    return whole.cut(cuts, header=_header(first, _parsed(first).rows))


def read(partition: TablePartition) -> Table:
    """Table of a partition; every cell is text, or None if it is empty.

    Parameters
    ----------
    partition : TablePartition
        Made by `split`.

    Raises
    ------
    ReadError
        If a row has another number of cells than the header, a quote is not closed, or the
        header is missing or has a name twice.
    """
    parsed = _parsed(partition)
    rows, numbers = parsed.rows, parsed.numbers
    header = partition.header
    first_row = partition.first_row
    if header is None:
        header = _header(partition, rows)
        del rows[0]
        numbers = None if numbers is None else numbers[1:]
        first_row += 1
    if not all(rows):
        kept = np.flatnonzero(np.fromiter(map(len, rows), np.int64, len(rows)))
        numbers = first_row + kept if numbers is None else numbers[kept]
        rows = list(filter(None, rows))
    table = Table({}, str(partition.path), first_row, numbers)
    _check_widths(table, rows, len(header), DELIMITERS[partition.format])
    columns: Sequence[Sequence[str]] = list(zip(*rows, strict=True)) or [()] * len(header)
    named = {
        name: _with_missing(cells) for name, cells in zip(header, columns, strict=True) if name
    }
    return Table(named, str(partition.path), first_row, numbers)


@frozen(eq=False)
class _Parsed:
    """Rows of a partition, with their numbers where these do not follow each other."""

    rows: list[list[str]]
    numbers: NDArray[np.int64] | None


def _parsed(partition: TablePartition) -> _Parsed:
    content = partition.content()
    delimiter = DELIMITERS[partition.format]
    # The limit is the process's, and only ever raised: it guards against nothing here, since the
    # content is in memory already, and a mask or a page of text can be longer.
    if csv.field_size_limit() < len(content):
        csv.field_size_limit(min(len(content), 2**31 - 1))
    reader = _reader(content, delimiter)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise _broken(partition, content, error) from error
    if reader.line_num == len(rows):
        return _Parsed(rows, None)
    ends = [0, *_line_ends(content, delimiter)]
    return _Parsed(rows, np.array(ends[:-1], dtype=np.int64) + partition.first_row)


def _reader(content: bytes, delimiter: str) -> Any:
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    return csv.reader(text, delimiter=delimiter, strict=True)


def _line_ends(content: bytes, delimiter: str) -> Iterator[int]:
    """Number of the last line of each row, counted from 1."""
    reader = _reader(content, delimiter)
    for _ in reader:
        yield reader.line_num


def _broken(partition: TablePartition, content: bytes, error: csv.Error) -> ReadError:
    delimiter = DELIMITERS[partition.format]
    row = partition.first_row
    try:
        for end in _line_ends(content, delimiter):
            row = partition.first_row + end
    except csv.Error:
        pass
    if "end of data" in str(error):
        return ReadError(
            f"{partition.path}, row {row}: expected a closing quote, "
            "the file ends inside a quoted cell"
        )
    return ReadError(
        f"{partition.path}, row {row}: expected {delimiter!r} or the end of the row after a "
        "closing quote, found other text",
        remedy='Write a quote inside a quoted cell twice: "".',
    )


def _header(partition: TablePartition, rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    if not rows or not rows[0]:
        raise ReadError(
            f"{partition.path}: expected a header row with the column names, "
            "the first line is empty"
        )
    counts = Counter(filter(None, rows[0]))
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        raise ReadError(
            f"{partition.path}: expected every column once in the header, found {repeated[0]!r} "
            f"{counts[repeated[0]]} times{and_more(len(repeated) - 1)}"
        )
    return tuple(rows[0])


def _check_widths(table: Table, rows: Sequence[Sequence[str]], width: int, delimiter: str) -> None:
    if set(map(len, rows)) <= {width}:
        return
    bad = [index for index, row in enumerate(rows) if len(row) != width]
    found = len(rows[bad[0]])
    raise ReadError(
        f"{table.source}, row {table.row(bad[0])}: expected {width} cells as in the header, "
        f"found {found}{and_more(len(bad) - 1)}",
        remedy=f"Put a cell that holds {delimiter!r} in quotes." if found > width else None,
    )


def _with_missing(cells: Sequence[str]) -> Sequence[str | None]:
    return [cell or None for cell in cells] if "" in cells else cells


@define
class _Scan:
    """Search for row ends outside of quotes, chunk by chunk, without parsing.

    Every quote of a well-formed file opens or closes a cell or is half of a doubled one, so a row
    end is a line feed with an even number of quotes before it.
    """

    delimiter: int
    step: int
    chunk_bytes: int = _SCAN_BYTES
    _offset: int = 0
    _row: int = 1
    _is_quoted: bool = False
    _before: int = _NEWLINE

    def cuts(self, stream: BinaryIO) -> list[Cut]:
        """The first row end at least a step after the one before; none if quotes do not pair."""
        cuts: list[Cut] = []
        target = self.step
        for chunk in self._chunks(stream):
            data = np.frombuffer(chunk, dtype=np.uint8)
            quotes = np.flatnonzero(data == _QUOTE) if b'"' in chunk else np.zeros(0, np.int64)
            if self._has_stray_quote(data, quotes):
                return []
            if target <= self._offset + len(chunk):
                for cut in self._row_ends(data, quotes):
                    if cut.offset >= target:
                        cuts.append(cut)
                        target = cut.offset + self.step
            self._offset += len(chunk)
            self._row += count_line_breaks(chunk)
            self._is_quoted ^= len(quotes) % 2 == 1
            self._before = chunk[-1]
        return cuts

    def _chunks(self, stream: BinaryIO) -> Iterator[bytes]:
        self._offset = 3 if stream.read(3) == b"\xef\xbb\xbf" else 0
        stream.seek(self._offset)
        while chunk := stream.read(self.chunk_bytes):
            # A chunk that ended between \r and \n would make two line breaks of one.
            while chunk.endswith(b"\r") and (following := stream.read(1)):
                chunk += following
            yield chunk

    def _has_stray_quote(self, data: NDArray[np.uint8], quotes: NDArray[np.int64]) -> bool:
        opening = quotes[int(self._is_quoted) :: 2]
        before = np.where(opening > 0, data[opening - 1], self._before)
        return not np.isin(before, [self.delimiter, _NEWLINE, _RETURN, _QUOTE]).all()

    def _row_ends(self, data: NDArray[np.uint8], quotes: NDArray[np.int64]) -> Iterator[Cut]:
        feeds = np.flatnonzero(data == _NEWLINE)
        returns = np.flatnonzero(data[:-1] == _RETURN)
        lone_returns = returns[data[returns + 1] != _NEWLINE]
        is_inside = (np.searchsorted(quotes, feeds) + self._is_quoted) % 2 == 1
        rows = self._row + 1 + np.arange(len(feeds)) + np.searchsorted(lone_returns, feeds)
        for feed, row in zip(feeds[~is_inside].tolist(), rows[~is_inside].tolist(), strict=True):
            yield Cut(self._offset + feed + 1, row)
