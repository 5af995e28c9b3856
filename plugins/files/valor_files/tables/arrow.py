"""Columns of CSV and JSON Lines read by pyarrow, without a Python object for each cell.

pyarrow reads well-formed files of flat records. The modules `csv` and `json` read files with blank
or invalid records, line breaks in cells, nested values or non-finite numbers, and report errors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes
from valor_files.tables.cells import Cells, NumberCells
from valor_files.tables.table import count_line_breaks

_WORTH_IMPORTING: Final = 4 * 2**20
"""File size from which pyarrow saves more time than its import takes."""
_BLOCK_BYTES: Final = 2**22
_MOST_BYTES: Final = 2**31 - 1
"""Maximum size of one array of pyarrow's type string."""
_MOST_JSON_BYTES: Final = 2**30
_LAST_ASCII: Final = 127
_MOST_PADDING: Final = 16
"""Maximum size of a column as fixed-width text, in multiples of the size of the file."""
_BOM: Final = b"\xef\xbb\xbf"
_NEWLINE, _RETURN, _QUOTE = b'\n\r"'


def pyarrow_for(size: int, module: str) -> Any:
    """Import pyarrow with one of its modules; None if missing, or too slow to import for the file.

    Parameters
    ----------
    size : int
        Size of the file in bytes.
    module : str
        ``csv`` or ``json``.
    """
    if size < _WORTH_IMPORTING and f"pyarrow.{module}" not in sys.modules:
        return None
    try:
        import_module(f"pyarrow.{module}")
        return import_module("pyarrow")
    except ImportError:
        return None


def csv_columns(
    arrow: Any, content: bytes, start: int, delimiter: str, width: int
) -> list[ArrowCells] | None:
    r"""Columns of the rows from `start` on; None if pyarrow would not read each line as a row.

    Parameters
    ----------
    arrow : module
        pyarrow.
    content : bytes
        UTF-8 text of whole rows.
    start : int
        Offset of the first row below the header.
    delimiter : str
        Delimiter of the cells.
    width : int
        Number of cells in a row.

    Examples
    --------
    >>> arrow = pyarrow_for(2**30, "csv")
    >>> uids, scores = csv_columns(arrow, b'uid,score\n"a",0.5\nb,\n', 10, ",", 2)
    >>> uids.tolist(), scores.tolist()
    (['a', 'b'], ['0.5', None])
    >>> csv_columns(arrow, b"a,0.5\n\nb,1.0\n", 0, ",", 2) is None
    True
    """
    stop = len(content)
    while stop and content[stop - 1] in b"\r\n":
        stop -= 1
    if stop <= start or b"\0" in content or content.startswith(_BOM, start):
        return None
    data = np.frombuffer(content, np.uint8)[start:stop]
    is_quoted = content.find(b'"', start) >= 0
    if is_quoted and not _are_paired(data, ord(delimiter)):
        return None
    names = [str(index) for index in range(width)]
    text = arrow.string() if len(data) < _MOST_BYTES else arrow.large_string()
    # One thread, because workers use the other cores.
    reading = arrow.csv.ReadOptions(
        use_threads=False, column_names=names, block_size=min(len(data) + 1, _BLOCK_BYTES)
    )
    parsing = arrow.csv.ParseOptions(
        delimiter=delimiter, quote_char='"' if is_quoted else False, newlines_in_values=is_quoted
    )
    converting = arrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, text),
        check_utf8=False,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )
    source = arrow.BufferReader(arrow.py_buffer(memoryview(content)[start:stop]))
    try:
        table = arrow.csv.read_csv(source, reading, parsing, converting)
    except arrow.ArrowException:
        return None
    if table.num_rows != count_line_breaks(data) + 1:
        return None
    columns = [ArrowCells.of(table.column(name)) for name in names]
    # In a single column, a blank line looks like an empty cell.
    return None if width == 1 and columns[0].has_empty else columns


def _are_paired(data: NDArray[np.uint8], delimiter: int) -> bool:
    """Return True if every quote opens or closes a cell, or is doubled inside one."""
    quotes = np.flatnonzero(data == _QUOTE)
    if len(quotes) % 2:
        return False
    edges = np.zeros(256, dtype=np.bool_)
    edges[[delimiter, _NEWLINE, _RETURN, _QUOTE]] = True
    opening, closing = quotes[::2], quotes[1::2]
    opens = (opening == 0) | edges[data[opening - 1]]
    closes = edges[data[np.minimum(closing + 1, len(data) - 1)]]  # the last byte may be the quote
    return bool(opens.all() and closes.all())


def are_flat(content: bytes) -> bool:
    """Return True if the first object appears to contain neither lists nor objects.

    Examples
    --------
    >>> are_flat(b'{"uid": "a"}'), are_flat(b'{"scores": [0.5]}')
    (True, False)
    """
    line = content.partition(b"\n")[0]
    return line.count(b"{") == 1 and b"[" not in line


def object_columns(
    content: bytes, arrow: Any, exactly: Callable[[str], list[Any]]
) -> dict[str, Any] | None:
    """Columns of JSON Lines; None unless every line is one flat object.

    Parameters
    ----------
    content : bytes
        UTF-8 text of whole lines.
    arrow : module
        pyarrow.
    exactly : callable
        Returns the cells of a column, parsed line by line.
    """
    body = content.rstrip(b" \t\r\n")
    lines = body.count(b"\n") + 1
    # Neither a string nor a flat object contains "}\n{". So if that joins all lines, each line is
    # one object.
    ends = body.count(b"}\n{") + (body.count(b"}\r\n{") if b"\r" in body else 0)
    if len(body) > _MOST_JSON_BYTES or ends != lines - 1 or not body.startswith(b"{"):
        return None
    table = _json_table(arrow, body)
    if table is None or table.num_rows != lines:
        return None
    columns: dict[str, Any] = {}
    for name, cells in zip(table.column_names, table.columns, strict=True):
        columns[name] = _json_column(arrow, cells, partial(exactly, name))
        if columns[name] is None:
            return None
    return columns


def _json_table(arrow: Any, body: bytes) -> Any:
    """Parse JSON Lines with pyarrow; text that looks like a date stays text."""
    table = _read_json(arrow, body, None)
    if table is None:
        return None
    dated = [field.name for field in table.schema if arrow.types.is_timestamp(field.type)]
    if not dated:
        return table
    again = _read_json(arrow, body, arrow.schema([(name, arrow.string()) for name in dated]))
    return None if again is None else again.select(table.column_names)


def _read_json(arrow: Any, body: bytes, schema: Any) -> Any:
    reading = arrow.json.ReadOptions(use_threads=False, block_size=len(body) + 1)
    parsing = arrow.json.ParseOptions(explicit_schema=schema)
    try:
        return arrow.json.read_json(arrow.BufferReader(body), reading, parsing)
    except (arrow.ArrowException, UnicodeDecodeError):
        return None


def _json_column(arrow: Any, cells: Any, exactly: Callable[[], list[Any]]) -> Any:
    """Column of cells; None if pyarrow does not preserve the values of the file."""
    kind = cells.type
    if arrow.types.is_string(kind):
        texts = ArrowCells.if_plain(cells)
        return cells.to_pylist() if texts is None else texts
    if arrow.types.is_boolean(kind) or arrow.types.is_null(kind):
        return cells.to_pylist()
    if not (arrow.types.is_int64(kind) or arrow.types.is_float64(kind)) or cells.null_count:
        return None
    numbers = array_of(cells, str(kind).replace("double", "float64"))
    if kind == arrow.float64():
        is_negative_zero = (numbers == 0) & np.signbit(numbers)
        if (~np.isfinite(numbers) | is_negative_zero).any():
            return None
    return NumberCells(numbers, exactly)


@frozen(eq=False, repr=False)
class ArrowCells(Cells):
    r"""Column of text in an array of pyarrow.

    No cell contains the character NUL, which fixed-width text of NumPy drops.

    Parameters
    ----------
    array : pyarrow.StringArray
        The cells; missing cells are null, and no cell is empty text.
    data : ndarray of uint8
        UTF-8 text that contains the cells.
    starts, stops : ndarray of int64, shape (n,)
        Half-open range of each cell in `data`.

    Examples
    --------
    >>> import pyarrow
    >>> labels = ArrowCells.of(pyarrow.chunked_array([["cat", None, "dog"]]))
    >>> len(labels), labels[2], labels.tolist()
    (3, 'dog', ['cat', None, 'dog'])
    """

    array: Any
    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> str | None:
        cell = self.data[self.starts[index] : self.stops[index]].tobytes()
        return cell.decode("utf-8") if cell else None

    @property
    def has_empty(self) -> bool:
        """Return True if a cell is null."""
        return bool(self.array.null_count)

    @classmethod
    def of(cls, cells: Any) -> ArrowCells:
        """Column of a chunked array of text."""
        array = cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()
        _, offsets, text = array.buffers()
        ends: NDArray[Any] = np.frombuffer(
            offsets, np.int32 if array.type == "string" else np.int64
        )
        ends = ends[array.offset : array.offset + len(array) + 1].astype(np.int64)
        data = np.frombuffer(text, np.uint8) if text is not None else np.empty(0, np.uint8)
        return cls(array, data, ends[:-1], ends[1:])

    @classmethod
    def if_plain(cls, cells: Any) -> ArrowCells | None:
        """Column of a chunked array; None if a cell is empty text, has NUL or is not UTF-8."""
        try:
            found = cls.of(cells)
            found.array.validate(full=True)
        except ValueError:
            return None
        text = found.data[found.starts[0] : found.stops[-1]] if len(found) else found.data[:0]
        empty = np.count_nonzero(found.starts == found.stops)
        if empty > found.array.null_count or b"\0" in text.tobytes():
            return None
        return found

    def tolist(self) -> list[Any]:
        """Cells as strings; missing cells are None."""
        texts = self._listed()
        return [text or None for text in texts] if self.has_empty else texts

    def texts(self) -> NDArray[np.str_] | None:
        """Cells as fixed-width text; None if one is missing or much longer than the others."""
        characters = None if self.has_empty else self._padded()
        if characters is None:
            return None
        if characters.max(initial=0) > _LAST_ASCII:
            return np.array(self._listed(), dtype=np.str_)
        return _widened(characters)

    def floats(self) -> NDArray[np.float64] | None:
        """Cells as float64, NaN if missing; None if one is not a finite number."""
        try:
            numbers = array_of(self.array.cast("float64"), np.float64)
        except ValueError:
            return None
        is_finite = np.count_nonzero(np.isfinite(numbers)) == len(self) - self.array.null_count
        return numbers if is_finite else None

    def integers(self) -> NDArray[np.int64] | None:
        """Cells as int64; None if one is missing or not written as an integer.

        Examples
        --------
        >>> import pyarrow
        >>> ArrowCells.of(pyarrow.chunked_array([["7", "-12"]])).integers()
        array([  7, -12])
        """
        characters = None if self.has_empty else self._padded()
        # NumPy would parse 1_0 as 10, which is Python syntax.
        if characters is None or (characters > _LAST_ASCII).any() or (characters == ord("_")).any():
            return None
        try:
            return characters.view(f"S{characters.shape[1]}").ravel().astype(np.int64)
        except (ValueError, OverflowError):
            return None

    def distinct(self) -> tuple[Codes, list[Any]]:
        """Code of each cell, and distinct cells in order of appearance."""
        import pyarrow.compute

        encoded = pyarrow.compute.dictionary_encode(self.array, null_encoding="encode")
        codes = array_of(encoded.indices, np.int32)
        return codes.astype(np.int64), encoded.dictionary.to_pylist()

    def _listed(self) -> list[str]:
        characters = self._padded()
        if characters is None or characters.max(initial=0) > _LAST_ASCII:
            data = self.data.tobytes()
            spans = zip(self.starts.tolist(), self.stops.tolist(), strict=True)
            return [data[start:stop].decode("utf-8") for start, stop in spans]
        listed: list[str] = _widened(characters).tolist()
        return listed

    def _padded(self) -> NDArray[np.uint8] | None:
        """Bytes of the cells as a matrix padded with 0; None if it takes too much memory."""
        widths = self.stops - self.starts
        width = max(1, int(widths.max(initial=0)))
        if width * len(self) > _MOST_PADDING * max(len(self.data), 1):
            return None
        is_even = bool((widths == width).all())
        if is_even and (np.diff(self.starts) == width).all() and len(self):
            joined = self.data[self.starts[0] : self.stops[-1]]
            return joined.reshape(len(self), width)
        data = np.concatenate([self.data, np.zeros(width, np.uint8)])
        rows = np.lib.stride_tricks.sliding_window_view(data, width)[self.starts]
        if not is_even:
            rows[np.arange(width) >= widths[:, None]] = 0
        return rows


def _widened(characters: NDArray[np.uint8]) -> NDArray[np.str_]:
    """Convert padded ASCII to fixed-width text of NumPy, with 32 bits per character."""
    return characters.astype(np.uint32).view(f"U{characters.shape[1]}").ravel()


def array_of(cells: Any, kind: Any) -> NDArray[Any]:
    """Convert an array of pyarrow to NumPy; null floats become NaN.

    Unlike `to_numpy` of pyarrow, this does not import pandas, which is slower than reading most
    files.

    Parameters
    ----------
    cells : pyarrow.Array or pyarrow.ChunkedArray
        Numbers.
    kind : type
        NumPy type.
    """
    arrays = getattr(cells, "chunks", [cells])
    parts = [_numbers(array, np.dtype(kind)) for array in arrays]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts])


def _numbers(array: Any, kind: np.dtype[Any]) -> NDArray[Any]:
    is_valid, values = array.buffers()
    if not len(array):
        return np.empty(0, kind)
    numbers = np.frombuffer(values, kind, len(array), array.offset * kind.itemsize)
    if not array.null_count:
        return numbers
    bits = np.unpackbits(np.frombuffer(is_valid, np.uint8), bitorder="little")
    return np.where(bits[array.offset : array.offset + len(array)], numbers, kind.type(np.nan))
