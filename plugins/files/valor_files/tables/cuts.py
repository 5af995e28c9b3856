"""Search for record ends at which a file can be split, without parsing it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

import numpy as np
from attrs import define
from numpy.typing import NDArray

from valor_files.files import unreadable_error
from valor_files.tables.table import Cut, TablePartition, count_line_breaks

_CHUNK_BYTES: Final = 2**20
_BOM: Final = b"\xef\xbb\xbf"
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'
_NO_QUOTES: Final = np.zeros(0, np.int64)


def line_cuts(
    uncut: TablePartition, partition_bytes: int, delimiter: str | None = None
) -> list[Cut]:
    """Ends of records with a distance of `partition_bytes` or more; empty for a single partition.

    Parameters
    ----------
    uncut : TablePartition
        The file as one partition, not compressed.
    partition_bytes : int
        Minimum size of partitions, except the last.
    delimiter : str, optional
        Delimiter of a CSV file, in which quoted cells may contain line breaks. Without it, every
        line feed ends a record.

    Raises
    ------
    ReadError
        If the file cannot be read.
    """
    if uncut.stop <= partition_bytes:
        return []
    try:
        with uncut.path.open("rb") as stream:
            cuts = _Cutter(partition_bytes, None if delimiter is None else ord(delimiter))
            return [cut for cut in cuts.of(stream) if cut.offset < uncut.stop]
    except OSError as error:
        raise unreadable_error(uncut.path, error) from error


@define(repr=False)
class _Cutter:
    """Search for the ends of records, chunk by chunk.

    In valid CSV, every quote opens or closes a cell or is half of a doubled quote. So a line feed
    ends a row if the number of quotes before it is even.
    """

    step: int
    delimiter: int | None
    _is_quoted: bool = False
    _last_byte: int = _NEWLINE

    def of(self, stream: BinaryIO) -> list[Cut]:
        """First record end at least a step after each cut; empty if quotes do not pair."""
        cuts: list[Cut] = []
        offset, row, target = _skip_bom(stream), 1, self.step
        for chunk in _chunks(stream):
            data, quotes = np.frombuffer(chunk, np.uint8), _NO_QUOTES
            if self.delimiter is not None and b'"' in chunk:
                quotes = np.flatnonzero(data == _QUOTE)
                if self._has_stray_quote(data, quotes, self.delimiter):
                    return []
            counted = 0
            while (feed := self._record_end(chunk, quotes, max(target - offset - 1, 0))) >= 0:
                row += self._line_breaks(chunk, data, counted, feed + 1)
                counted = feed + 1
                cuts.append(Cut(offset + counted, row))
                target = offset + counted + self.step
            row += self._line_breaks(chunk, data, counted, len(chunk))
            offset += len(chunk)
            self._is_quoted ^= len(quotes) % 2 == 1
            self._last_byte = chunk[-1]
        return cuts

    def _record_end(self, chunk: bytes, quotes: NDArray[np.int64], start: int) -> int:
        """Index of the first line feed outside quotes from `start` on, -1 without one."""
        while (feed := chunk.find(b"\n", start)) >= 0:
            following = int(np.searchsorted(quotes, feed))
            if (following + self._is_quoted) % 2 == 0:
                return feed
            if following == len(quotes):
                break
            start = int(quotes[following])
        return -1

    def _line_breaks(self, chunk: bytes, data: NDArray[np.uint8], start: int, stop: int) -> int:
        if self.delimiter is None:  # a carriage return alone is whitespace in JSON
            return chunk.count(b"\n", start, stop)
        return count_line_breaks(data[start:stop])

    def _has_stray_quote(
        self, data: NDArray[np.uint8], quotes: NDArray[np.int64], delimiter: int
    ) -> bool:
        opening = quotes[int(self._is_quoted) :: 2]
        before = np.where(opening > 0, data[opening - 1], self._last_byte)
        return not np.isin(before, [delimiter, _NEWLINE, _RETURN, _QUOTE]).all()


def _skip_bom(stream: BinaryIO) -> int:
    """Skip a byte order mark, after which a quote can open the first cell."""
    offset = len(_BOM) if stream.read(len(_BOM)) == _BOM else 0
    return stream.seek(offset)


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK_BYTES):
        # \r and \n in two chunks would count as two line breaks.
        while chunk.endswith(b"\r") and (following := stream.read(1)):
            chunk += following
        yield chunk
