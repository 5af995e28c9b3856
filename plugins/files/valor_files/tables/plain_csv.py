"""CSV in which nothing is odd, read by column at once.

Rows that are blank or broken, quotes in the midst of a cell and line breaks in quoted ones are left
to the reader that goes row by row, which also finds the words for what it refuses.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from valor_files.tables.arrow import csv_columns
from valor_files.tables.cells import TextCells
from valor_files.tables.table import count_line_breaks

_BOM: Final = b"\xef\xbb\xbf"
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def row_columns(
    content: bytes, start: int, delimiter: str, width: int, arrow: Any
) -> list[TextCells] | None:
    r"""Columns of the rows from `start` on, one on each line; nothing if anything is odd.

    Parameters
    ----------
    content : bytes
        Text in UTF-8 that ends with a row.
    start : int
        Where the first row below the header begins.
    delimiter : str
        What stands between cells.
    width : int
        Number of cells in a row.
    arrow : module or None
        pyarrow, if it is to read them.

    Examples
    --------
    >>> uids, scores = row_columns(b'uid,score\n"a",0.5\nb,\n', 10, ",", 2, None)
    >>> uids.tolist(), scores.tolist()
    (['a', 'b'], ['0.5', None])
    >>> row_columns(b"a,0.5\n\nb,1.0\n", 0, ",", 2, None) is None
    True
    """
    stop = len(content)
    while stop and content[stop - 1] in b"\r\n":
        stop -= 1
    if stop <= start or b"\0" in content or content.startswith(_BOM, start):
        return None
    data = np.frombuffer(content, np.uint8)[start:stop]
    rows = count_line_breaks(data) + 1
    quotes = np.flatnonzero(data == _QUOTE) if content.find(b'"', start) >= 0 else None
    if quotes is not None and not _are_paired(data, quotes, ord(delimiter)):
        return None
    if arrow is not None:
        body = memoryview(content)[start:stop]
        columns = csv_columns(arrow, body, delimiter, width, is_quoted=quotes is not None)
    else:
        columns = _columns(data, quotes, ord(delimiter), width)
    if columns is None or len(columns[0]) != rows:
        return None
    return None if width == 1 and columns[0].has_empty else columns


def _are_paired(data: NDArray[np.uint8], quotes: NDArray[np.int64], delimiter: int) -> bool:
    """Whether every quote opens a cell, closes one or is half of a doubled one within."""
    if len(quotes) % 2:
        return False
    edges = np.zeros(256, dtype=np.bool_)
    edges[[delimiter, _NEWLINE, _RETURN, _QUOTE]] = True
    opening, closing = quotes[::2], quotes[1::2]
    opens = (opening == 0) | edges[data[opening - 1]]
    closes = edges[data[np.minimum(closing + 1, len(data) - 1)]]  # at the end stands the quote
    return bool(opens.all() and closes.all())


def _columns(
    data: NDArray[np.uint8], quotes: NDArray[np.int64] | None, delimiter: int, width: int
) -> list[TextCells] | None:
    """Columns of rows as NumPy finds them; nothing if they do not have `width` cells each."""
    ends = np.flatnonzero((data == delimiter) | (data == _NEWLINE))
    if quotes is not None:
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
    ends = np.append(ends, len(data))
    if len(ends) % width:
        return None
    row_ends = np.flatnonzero(np.append(data[ends[:-1]] == _NEWLINE, True))
    if not np.array_equal(row_ends, np.arange(width - 1, len(ends), width)):
        return None
    starts = np.concatenate([[0], ends[:-1] + 1])
    stops = ends.copy()
    if (data == _RETURN).any():
        last = stops[width - 1 :: width]
        has_return = (last > 0) & (data[last - 1] == _RETURN)
        if np.count_nonzero(data == _RETURN) != np.count_nonzero(has_return):
            return None
        last -= has_return
    if quotes is not None and not _unquote(data, quotes, starts, stops):
        return None
    return [TextCells(data, starts[index::width], stops[index::width]) for index in range(width)]


def _unquote(
    data: NDArray[np.uint8],
    quotes: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> bool:
    """Take the quotes off the cells; false where quotes stand within one."""
    is_quoted = (stops > starts) & (data[np.minimum(starts, len(data) - 1)] == _QUOTE)
    starts += is_quoted
    stops -= is_quoted
    return len(quotes) == 2 * np.count_nonzero(is_quoted)
