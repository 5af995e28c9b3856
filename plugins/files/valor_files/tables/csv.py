"""Comma- and tab-separated files: a header row, UTF-8, cells quoted as RFC 4180 has it.

Where decimals are written with a comma, programs put semicolons between cells. A header that has
semicolons and no comma says so.

A file is split at row ends outside of quotes. Where a quote stands in the midst of an unquoted
cell, quotes cannot be paired without parsing the whole file; such a file stays in one piece.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from threading import Lock
from typing import Any, BinaryIO, Final

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more, shown
from valor_files.files import unreadable
from valor_files.tables.arrow import arrow_for
from valor_files.tables.cells import TextCells
from valor_files.tables.plain_csv import row_columns
from valor_files.tables.table import (
    OTHER_DELIMITERS,
    Column,
    Cut,
    Table,
    TableFormat,
    TablePartition,
    count_line_breaks,
    no_header,
    other_delimiter,
)

_QUOTED: Final = re.compile(rb'"[^"]*"?')
_SCAN_BYTES: Final = 2**20
# Few enough rows at once that they do not set off Python's garbage collector, which takes longer
# than the parsing.
_BLOCK_ROWS: Final = 256
_LIMIT: Final = Lock()
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def _split(whole: TablePartition, partition_bytes: int) -> tuple[TablePartition, ...]:
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
            scan = _Scan(ord(_delimiter(whole)), partition_bytes, _SCAN_BYTES)
            cuts = scan.cuts(stream)
    except OSError as error:
        raise unreadable(whole.path, error) from error
    cuts = [cut for cut in cuts if cut.offset < whole.stop]
    if not cuts:
        return (whole,)
    return whole.cut(cuts, header=_Rows.of(whole.cut(cuts)[0]).header())


def _read(partition: TablePartition) -> Table:
    """Table of a partition; every cell is text, or None if it is empty.

    Parameters
    ----------
    partition : TablePartition
        Made by `split_table`.

    Raises
    ------
    ReadError
        If a row has another number of cells than the header, a quote is not closed, or the
        header is missing or has a name twice.
    """
    rows = _Rows.of(partition)
    header = rows.header()
    columns: Sequence[Column] = rows.row_columns(len(header)) or rows.columns(len(header))
    first_row, numbers = rows.numbers(len(columns[0]))
    named = {name: cells for name, cells in zip(header, columns, strict=True) if name}
    return Table(named, str(partition.path), first_row, numbers, is_text=True)


def _delimiter(partition: TablePartition) -> str:
    """What stands between the cells of a partition's file."""
    if partition.format == "tsv":
        return "\t"
    header = _QUOTED.sub(b"", _first_line(partition)).partition(b"\r")[0]
    return ";" if b";" in header and b"," not in header else ","


def _first_line(partition: TablePartition) -> bytes:
    if partition.is_gzip:
        with gzip.open(partition.path, "rb") as packed:
            return packed.readline(_SCAN_BYTES)
    with partition.path.open("rb") as stream:
        return stream.readline(_SCAN_BYTES)


@define(repr=False)
class _Rows:
    """The rows of a partition: all at once, else in one pass, and a second one for its errors."""

    partition: TablePartition
    content: bytes
    _delimiter: str
    _reader: Any = field(init=False)
    _header: tuple[str, ...] | None = field(init=False)
    _is_plain: bool = field(default=False, init=False)

    @classmethod
    def of(cls, partition: TablePartition) -> _Rows:
        return cls(partition, partition.content(), _delimiter(partition))

    def __attrs_post_init__(self) -> None:
        # The limit is the process's, and only ever raised: it guards against nothing here, since
        # the content is in memory already, and a mask or a page of text can be longer.
        with _LIMIT:
            if csv.field_size_limit() < len(self.content):
                csv.field_size_limit(min(len(self.content), 2**31 - 1))
        self._reader = self._fresh_reader()
        self._header = self.partition.header

    def header(self) -> tuple[str, ...]:
        """Column names: of the partition, or else of its first row, which is read by this."""
        if self._header is None:
            try:
                self._header = self._checked_header(next(self._reader, []))
            except csv.Error as error:
                raise self._broken(error) from error
        return self._header

    def row_columns(self, width: int) -> Sequence[TextCells] | None:
        """Cells of the rows below the header, by column, if nothing in them is odd."""
        start = 0 if self.partition.header else self._after_header()
        if start is None:
            return None
        arrow = arrow_for(self.partition.path.stat().st_size, "csv")
        found = row_columns(self.content, start, self._delimiter, width, arrow)
        self._is_plain = found is not None
        return found

    def _after_header(self) -> int | None:
        """Where the rows below a header of one line begin."""
        if self._reader.line_num != 1:
            return None
        line = _LINE_END.search(self.content)
        return None if line is None else line.end()

    def columns(self, width: int) -> list[list[str | None]]:
        """Cells of the rows below the header, by column."""
        columns: list[list[str | None]] = [[] for _ in range(width)]
        try:
            while block := list(islice(self._reader, _BLOCK_ROWS)):
                if set(map(len, block)) != {width}:
                    block = self._filled(block, width)
                for column, cells in zip(columns, zip(*block, strict=True), strict=False):
                    column.extend([cell or None for cell in cells] if "" in cells else cells)
        except csv.Error as error:
            self._check_widths(width)
            raise self._broken(error) from error
        return columns

    def numbers(self, count: int) -> tuple[int, NDArray[np.int64] | None]:
        """Number of the first row below the header, and of each where they do not follow."""
        has_header = self.partition.header is None
        if self._is_plain or self._reader.line_num == count + has_header:
            return self.partition.first_row + has_header, None
        numbers = [number for number, cells in self._numbered_rows() if cells][has_header:]
        return self.partition.first_row, np.array(numbers, dtype=np.int64)

    def _fresh_reader(self) -> Any:
        text = io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", newline="")
        return csv.reader(text, delimiter=self._delimiter, strict=True)

    def _filled(self, block: list[list[str]], width: int) -> list[list[str]]:
        """The block without its blank lines, if all other rows are of the width."""
        filled = [cells for cells in block if cells]
        if any(len(cells) != width for cells in filled):
            self._check_widths(width)
        return filled

    def _numbered_rows(self) -> Iterator[tuple[int, list[str]]]:
        reader = self._fresh_reader()
        number = self.partition.first_row
        with suppress(csv.Error):
            for cells in reader:
                yield number, cells
                number = self.partition.first_row + reader.line_num

    def _checked_header(self, names: list[str]) -> tuple[str, ...]:
        if not names:
            raise ReadError(
                f"{self.partition.path}: expected a header row with the column names, "
                "the first line is empty"
            )
        counts = Counter(filter(None, names))
        repeated = [name for name, count in counts.items() if count > 1]
        if repeated:
            raise ReadError(
                f"{self.partition.path}: expected every column once in the header, found "
                f"{shown(repeated[0])} {counts[repeated[0]]} times{and_more(len(repeated) - 1)}",
                no_header(names),
            )
        return tuple(names)

    def _check_widths(self, width: int) -> None:
        bad = [
            (number, len(cells))
            for number, cells in self._numbered_rows()
            if len(cells) not in (0, width)
        ]
        if not bad:
            return
        self._check_delimiter()
        number, found = bad[0]
        remedy = no_header(self.header())
        if remedy is None and found > width:
            remedy = f"Put a cell that holds {self._delimiter!r} in quotes."
        raise ReadError(
            f"{self.partition.path}, row {number}: expected {width} cells as in the header, "
            f"found {found}{and_more(len(bad) - 1)}",
            remedy=remedy,
        )

    def _check_delimiter(self) -> None:
        """Raise the error of a file whose only fault may be the delimiter."""
        header = self.header()
        other = other_delimiter(header)
        if other is None:
            return
        raise ReadError(
            f"{self.partition.path}: expected {self._delimiter!r} between the names of the "
            f"columns, found {shown(header[0])}",
            remedy=OTHER_DELIMITERS[other],
        )

    def _broken(self, error: csv.Error) -> ReadError:
        reader = self._fresh_reader()
        lines_before = 0
        with suppress(csv.Error):
            for _ in reader:
                lines_before = reader.line_num
        place = f"{self.partition.path}, row {self.partition.first_row + lines_before}"
        if "end of data" in str(error):
            return ReadError(
                f"{place}: expected a closing quote, the file ends inside a quoted cell"
            )
        return ReadError(
            f"{place}: expected {self._delimiter!r} or the end of the row after a closing quote, "
            "found other text",
            remedy='Write a quote inside a quoted cell twice: "".',
        )


@define(repr=False)
class _Scan:
    """Search for row ends outside of quotes, chunk by chunk, without parsing.

    Every quote of a well-formed file opens or closes a cell or is half of a doubled one, so a row
    end is a line feed with an even number of quotes before it.
    """

    delimiter: int
    step: int
    chunk_bytes: int
    _offset: int = 0
    _row: int = 1
    _is_quoted: bool = False
    _before: int = _NEWLINE

    def cuts(self, stream: BinaryIO) -> list[Cut]:
        """The first row end at least a step after the one before; none if quotes do not pair."""
        cuts: list[Cut] = []
        target = self.step
        for chunk in self._chunks(stream):
            if not self._is_quoted and b'"' not in chunk and b"\r" not in chunk:
                cuts += self._plain_cuts(chunk, target)
                target = cuts[-1].offset + self.step if cuts else target
                continue
            data = np.frombuffer(chunk, np.uint8)
            quotes = np.flatnonzero(data == _QUOTE) if b'"' in chunk else np.zeros(0, np.int64)
            if self._has_stray_quote(data, quotes):
                return []
            if target <= self._offset + len(chunk):
                cuts += self._cuts_in(data, quotes, target)
                target = cuts[-1].offset + self.step if cuts else target
            self._offset += len(chunk)
            self._row += count_line_breaks(data)
            self._is_quoted ^= len(quotes) % 2 == 1
            self._before = chunk[-1]
        return cuts

    def _plain_cuts(self, chunk: bytes, target: int) -> Iterator[Cut]:
        """The cuts in a chunk where every line feed ends a row, which is then behind."""
        data, counted = np.frombuffer(chunk, np.uint8), 0
        while (feed := chunk.find(b"\n", max(target - self._offset - 1, 0))) >= 0:
            self._row += count_line_breaks(data[counted : feed + 1])
            counted = feed + 1
            yield Cut(self._offset + counted, self._row)
            target = self._offset + counted + self.step
        self._row += count_line_breaks(data[counted:])
        self._offset += len(chunk)
        self._before = chunk[-1]

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

    def _cuts_in(
        self, data: NDArray[np.uint8], quotes: NDArray[np.int64], target: int
    ) -> Iterator[Cut]:
        feeds = np.flatnonzero(data == _NEWLINE)
        returns = np.flatnonzero(data[:-1] == _RETURN)
        lone_returns = returns[data[returns + 1] != _NEWLINE]
        rows = self._row + 1 + np.arange(len(feeds)) + np.searchsorted(lone_returns, feeds)
        is_outside = (np.searchsorted(quotes, feeds) + self._is_quoted) % 2 == 0
        rows = rows[is_outside]
        offsets = self._offset + 1 + feeds[is_outside]
        while (index := np.searchsorted(offsets, target)) < len(offsets):
            cut = Cut(int(offsets[index]), int(rows[index]))
            yield cut
            target = cut.offset + self.step


CSV = TableFormat(_split, _read)
