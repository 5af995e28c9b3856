"""CSV and TSV files: UTF-8 text with a header row, quoted by RFC 4180.

A header with semicolons and no comma sets the delimiter to a semicolon, which programs write where
the decimal separator is a comma.

Files are split at row ends outside quotes. A file with a quote inside an unquoted cell is one
partition, because its quotes cannot be paired without parsing it.
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
from typing import Any, Final

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more, short_repr
from valor_files.files import unreadable_error
from valor_files.tables.arrow import ArrowCells, csv_columns, pyarrow_for
from valor_files.tables.cuts import line_cuts
from valor_files.tables.table import (
    OTHER_DELIMITERS,
    Column,
    Table,
    TableFormat,
    TablePartition,
    no_header,
    other_delimiter,
)

_QUOTED: Final = re.compile(rb'"[^"]*"?')
_HEADER_BYTES: Final = 2**20
# Larger blocks trigger Python's garbage collector, which takes longer than parsing.
_BLOCK_ROWS: Final = 256
_LIMIT: Final = Lock()
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


def _split(uncut: TablePartition, partition_bytes: int) -> tuple[TablePartition, ...]:
    """Split a file into partitions of whole rows.

    Parameters
    ----------
    uncut : TablePartition
        The file as one partition.
    partition_bytes : int
        Minimum size of partitions, except the last.
    """
    cuts = [] if uncut.is_gzip else line_cuts(uncut, partition_bytes, _delimiter(uncut))
    if not cuts:
        return (uncut,)
    return uncut.cut(cuts, header=_Rows.of(uncut.cut(cuts)[0]).header())


def _read(partition: TablePartition) -> Table:
    """Read a partition; cells are text, or None if empty.

    Raises
    ------
    ReadError
        If a row has more or fewer cells than the header, a quote is not closed, or the header is
        missing or repeats a name.
    """
    rows = _Rows.of(partition)
    header = rows.header()
    columns: Sequence[Column] = rows.arrow_columns(len(header)) or rows.columns(len(header))
    first_row, numbers = rows.numbers(len(columns[0]))
    named = {name: cells for name, cells in zip(header, columns, strict=True) if name}
    return Table(named, str(partition.path), first_row, numbers, is_text=True)


def _delimiter(partition: TablePartition) -> str:
    """Delimiter of a partition's file."""
    if partition.format == "tsv":
        return "\t"
    header = _QUOTED.sub(b"", _first_line(partition)).partition(b"\r")[0]
    return ";" if b";" in header and b"," not in header else ","


def _first_line(partition: TablePartition) -> bytes:
    try:
        with (gzip.open if partition.is_gzip else open)(partition.path, "rb") as stream:
            return stream.readline(_HEADER_BYTES)
    except OSError as error:
        raise unreadable_error(partition.path, error) from error


@define(repr=False)
class _Rows:
    """Rows of a partition, read by pyarrow or `csv`; errors are located in a second pass."""

    partition: TablePartition
    content: bytes
    _delimiter: str
    _reader: Any = field(init=False)
    _header: tuple[str, ...] | None = field(init=False)
    _is_from_arrow: bool = field(default=False, init=False)

    @classmethod
    def of(cls, partition: TablePartition) -> _Rows:
        return cls(partition, partition.content(), _delimiter(partition))

    def __attrs_post_init__(self) -> None:
        # Masks and long texts can exceed the default limit, which applies to the process. Raising
        # it is safe: the content is in memory already.
        with _LIMIT:
            if csv.field_size_limit() < len(self.content):
                csv.field_size_limit(min(len(self.content), 2**31 - 1))
        self._reader = self._fresh_reader()
        self._header = self.partition.header

    def header(self) -> tuple[str, ...]:
        """Column names of the partition, read from the first row if the partition has none."""
        if self._header is None:
            try:
                self._header = self._checked_header(next(self._reader, []))
            except csv.Error as error:
                raise self._syntax_error(error) from error
        return self._header

    def arrow_columns(self, width: int) -> Sequence[ArrowCells] | None:
        """Columns below the header, read by pyarrow; None if `csv` must read them."""
        arrow = pyarrow_for(self.partition.path.stat().st_size, "csv")
        start = 0 if self.partition.header else self._after_header()
        if arrow is None or start is None:
            return None
        found = csv_columns(arrow, self.content, start, self._delimiter, width)
        self._is_from_arrow = found is not None
        return found

    def _after_header(self) -> int | None:
        """Offset of the row after a header of one line."""
        if self._reader.line_num != 1:
            return None
        line = _LINE_END.search(self.content)
        return None if line is None else line.end()

    def columns(self, width: int) -> list[list[str | None]]:
        """Columns below the header, read by `csv`."""
        columns: list[list[str | None]] = [[] for _ in range(width)]
        try:
            while block := list(islice(self._reader, _BLOCK_ROWS)):
                if set(map(len, block)) != {width}:
                    block = self._filled(block, width)
                for column, cells in zip(columns, zip(*block, strict=True), strict=False):
                    column.extend([cell or None for cell in cells] if "" in cells else cells)
        except csv.Error as error:
            self._check_widths(width)
            raise self._syntax_error(error) from error
        return columns

    def numbers(self, count: int) -> tuple[int, NDArray[np.int64] | None]:
        """Number of the first row below the header, and of each row if they are not consecutive."""
        has_header = self.partition.header is None
        if self._is_from_arrow or self._reader.line_num == count + has_header:
            return self.partition.first_row + has_header, None
        numbers = [number for number, cells in self._numbered_rows() if cells][has_header:]
        return self.partition.first_row, np.array(numbers, dtype=np.int64)

    def _fresh_reader(self) -> Any:
        text = io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", newline="")
        return csv.reader(text, delimiter=self._delimiter, strict=True)

    def _filled(self, block: list[list[str]], width: int) -> list[list[str]]:
        """Rows without blank lines, after a check of their widths."""
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
                f"{short_repr(repeated[0])} {counts[repeated[0]]} times"
                f"{and_more(len(repeated) - 1)}",
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
            remedy = f"Put cells that contain {self._delimiter!r} in quotes."
        raise ReadError(
            f"{self.partition.path}, row {number}: expected {width} cells as in the header, "
            f"found {found}{and_more(len(bad) - 1)}",
            remedy=remedy,
        )

    def _check_delimiter(self) -> None:
        """Raise a `ReadError` if the header has another delimiter."""
        header = self.header()
        other = other_delimiter(header)
        if other is None:
            return
        raise ReadError(
            f"{self.partition.path}: expected {self._delimiter!r} between the names of the "
            f"columns, found {short_repr(header[0])}",
            remedy=OTHER_DELIMITERS[other],
        )

    def _syntax_error(self, error: csv.Error) -> ReadError:
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


CSV = TableFormat(_split, _read)
