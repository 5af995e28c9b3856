"""Columns that pyarrow reads: text that stays in its buffers, and numbers."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Final

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.schemas.columns import Codes
from valor_files.tables.cells import TextCells

_WORTH_IMPORTING: Final = 16 * 2**20
"""Size of a file from which on pyarrow saves more time than importing it takes."""
_BLOCK_BYTES: Final = 2**22
_MOST_BYTES: Final = 2**31 - 1
"""How much text one array of pyarrow's type string holds."""


def arrow_for(size: int, module: str) -> Any:
    """The package pyarrow with one of its modules, if it is there and pays for so many bytes.

    Parameters
    ----------
    size : int
        Size of the file.
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
    arrow: Any, content: memoryview, delimiter: str, width: int, *, is_quoted: bool
) -> list[TextCells] | None:
    """Columns of well-formed CSV without a header; nothing if pyarrow cannot read it.

    Parameters
    ----------
    arrow : module
        What `arrow_for` gives.
    content : memoryview
        Whole rows in UTF-8.
    delimiter : str
        What stands between cells.
    width : int
        Number of cells in a row.
    is_quoted : bool
        Whether cells may be in quotes.
    """
    names = [str(index) for index in range(width)]
    text = arrow.string() if len(content) < _MOST_BYTES else arrow.large_string()
    # One thread: another worker has the other core.
    reading = arrow.csv.ReadOptions(
        use_threads=False, column_names=names, block_size=min(len(content) + 1, _BLOCK_BYTES)
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
    source = arrow.BufferReader(arrow.py_buffer(content))
    try:
        table = arrow.csv.read_csv(source, reading, parsing, converting)
    except arrow.ArrowException:
        return None
    return [ArrowCells.of(table.column(name)) for name in names]


@frozen(eq=False, repr=False)
class ArrowCells(TextCells):
    """The same cells in an array of pyarrow, which numbers and compares them faster.

    Parameters
    ----------
    array : pyarrow.StringArray
        The cells; none is empty text, which is null in place of that.
    """

    array: Any = field(kw_only=True)

    @classmethod
    def of(cls, cells: Any) -> ArrowCells:
        """Cells of a chunked array of text."""
        array = cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()
        _, offsets, text = array.buffers()
        ends: NDArray[Any] = np.frombuffer(
            offsets, np.int32 if array.type == "string" else np.int64
        )
        ends = ends[array.offset : array.offset + len(array) + 1].astype(np.int64)
        data = np.frombuffer(text, np.uint8) if text is not None else np.empty(0, np.uint8)
        return cls(data, ends[:-1], ends[1:], array=array)

    @classmethod
    def if_plain(cls, cells: Any) -> ArrowCells | None:
        """The same if none is empty text, has the character NUL or is not in UTF-8."""
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

    @property
    def has_empty(self) -> bool:
        """Whether a cell is null."""
        return bool(self.array.null_count)

    def floats(self) -> NDArray[np.float64] | None:
        """The cells as numbers, NaN where there is none; nothing if one is no finite number."""
        try:
            numbers = array_of(self.array.cast("float64"), np.float64)
        except ValueError:
            return None
        is_finite = np.count_nonzero(np.isfinite(numbers)) == len(self) - self.array.null_count
        return numbers if is_finite else None

    def distinct(self) -> tuple[Codes, list[Any]]:
        """Codes of the cells, and the cell of each code, in the order in which they appear."""
        import pyarrow.compute

        encoded = pyarrow.compute.dictionary_encode(self.array, null_encoding="encode")
        codes = array_of(encoded.indices, np.int32)
        return codes.astype(np.int64), encoded.dictionary.to_pylist()


def array_of(cells: Any, kind: Any) -> NDArray[Any]:
    """Numbers of an array or a chunked one, NaN where a float is null.

    pyarrow's own `to_numpy` would import pandas, which takes longer than reading many a file.

    Parameters
    ----------
    cells : pyarrow.Array or pyarrow.ChunkedArray
        Numbers.
    kind : type
        Their type in NumPy.
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
