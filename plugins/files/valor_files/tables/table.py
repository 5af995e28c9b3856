"""Tables with typed columns, and partitions of files, for all formats.

Errors name the file, row and column of a cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Literal, NoReturn

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, SchemaError, and_more, did_you_mean, short_repr
from valor_core.readers import Partition
from valor_core.schemas import Codes
from valor_core.schemas.columns import NUL
from valor_core.schemas.datum import are_unique
from valor_files.files import gzip_bytes, unreadable_error
from valor_files.tables.cells import Cells, digits, numbered

DEFAULT_PARTITION_BYTES: Final = 4 * 2**20

Unit = Literal["row", "line", "record"]

Column = Sequence[Any] | NDArray[Any] | Cells
"""Python objects, an array of the file's dtype, or lazy cells."""

_BOM: Final = b"\xef\xbb\xbf"
_COUNTED_BYTES: Final = 2**18
"""Block size for comparisons that fit into the processor's cache."""
_NOTHING: Final = "no value"
_SPELLINGS: Final = {
    re.compile(r"-?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?"): (
        "Write numbers with a point instead of a comma."
    ),
    re.compile(r"-?[0-9]*[.,]?[0-9]+ ?%"): (
        "Divide percentages by 100 and omit the sign: 0.9 instead of 90%."
    ),
}
"""Remedies for cells that people read as numbers."""
OTHER_DELIMITERS: Final = {
    ";": "Use the suffix .csv for files with semicolons between cells.",
    "\t": "Use the suffix .tsv for files with tabs between cells.",
    ",": "Use the suffix .csv for files with commas between cells.",
}
"""Remedies for a header of one cell that contains another delimiter."""


def other_delimiter(header: Sequence[str]) -> str | None:
    """Likely delimiter of a header that was read as one cell.

    Examples
    --------
    >>> other_delimiter(["uid;label"])
    ';'
    """
    if len(header) != 1:
        return None
    return next((mark for mark in OTHER_DELIMITERS if mark in header[0]), None)


def no_header(names: Sequence[str]) -> str | None:
    """Remedy for a first row that is data or Excel's ``sep=``; None for a header.

    Consecutive numbers from 0 or 1 can be names of classes.

    Examples
    --------
    >>> no_header(["a.jpg", "10", "20", "cat"])
    "The first row seems to be data: found '10'. Add a header row with the names of the columns."
    >>> no_header(["uid", "0", "1"]), no_header(["uid", "label"])
    (None, None)
    """
    if names and names[0].lower().startswith("sep="):
        return (
            "Remove the first line, which begins with 'sep=': the first row has to be the header."
        )
    numbers = [name for name in names if name[-1:].isdigit() and as_number(name) is not None]
    counted = [[str(n) for n in range(first, first + len(numbers))] for first in (0, 1)]
    if not numbers or numbers in counted:
        return None
    return (
        f"The first row seems to be data: found {numbers[0]!r}. Add a header row with the names of "
        "the columns."
    )


@frozen
class TablePartition(Partition):
    """Range of whole records in a file; picklable.

    Parameters
    ----------
    path : Path
        The file.
    format : str
        ``csv``, ``tsv``, ``jsonl``, ``json`` or ``parquet``.
    start, stop : int
        Half-open range of bytes, of row groups for Parquet.
    first_row : int
        Number of the first record: the line where the range starts, or the row for Parquet.
    is_gzip : bool, default False
        Whether the file is compressed. Compressed files have one partition.
    header : tuple of str, optional
        Column names of a CSV partition that does not start with the header row.
    may_be_read_ahead : bool, default False
        Whether other threads may read the partition ahead of time.

    Examples
    --------
    >>> print(TablePartition(Path("preds.csv"), "csv", 0, 640, 1))
    preds.csv, bytes 0 to 640
    """

    path: Path
    format: str
    start: int
    stop: int
    first_row: int
    is_gzip: bool = False
    header: tuple[str, ...] | None = None
    may_be_read_ahead: bool = False

    def __str__(self) -> str:
        return f"{self.path}{self._range}"

    @property
    def _range(self) -> str:
        what = "row groups" if self.format == "parquet" else "bytes"
        return f", {what} {self.start} to {self.stop}"

    @property
    def name(self) -> str:
        """Name of the partition in a run."""
        return str(self)

    @property
    def identity(self) -> str:
        """Name of the partition with the absolute path."""
        return f"{self.path.resolve()}{self._range}"

    @property
    def paths(self) -> tuple[Path, ...]:
        """File of the partition."""
        return (self.path,)

    def cut(
        self, cuts: Sequence[Cut], header: tuple[str, ...] | None = None
    ) -> tuple[TablePartition, ...]:
        """Split at cuts; all partitions but the first carry the header.

        Examples
        --------
        >>> uncut = TablePartition(Path("preds.jsonl"), "jsonl", 0, 640, 1)
        >>> [str(part) for part in uncut.cut([Cut(offset=600, row=9)])]
        ['preds.jsonl, bytes 0 to 600', 'preds.jsonl, bytes 600 to 640']
        """
        ends = [*(cut.offset for cut in cuts), self.stop]
        first = evolve(self, stop=ends[0])
        return first, *(
            evolve(self, start=cut.offset, stop=end, first_row=cut.row, header=header)
            for cut, end in zip(cuts, ends[1:], strict=True)
        )

    def content(self) -> bytes:
        """Bytes of the partition, validated as UTF-8, without a byte order mark.

        Raises
        ------
        ReadError
            If the file cannot be read, has shrunk, or is not encoded in UTF-8.
        """
        data = gzip_bytes(self.path) if self.is_gzip else self._plain_bytes()
        if self.start == 0:
            data = data.removeprefix(_BOM)
        if data.isascii():  # faster than decoding, which copies
            return data
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.first_row + count_line_breaks(np.frombuffer(data[: error.start], np.uint8))
            raise ReadError(
                f"{self.path}, line {line}: expected text in UTF-8, found the byte "
                f"0x{data[error.start]:02x}",
                remedy="Save the file in UTF-8.",
            ) from error
        return data

    def _plain_bytes(self) -> bytes:
        try:
            with self.path.open("rb") as stream:
                stream.seek(self.start)
                data = stream.read(self.stop - self.start)
        except OSError as error:
            raise unreadable_error(self.path, error) from error
        if len(data) < self.stop - self.start:
            raise ReadError(
                f"{self.path}: expected at least {self.stop:,} bytes as when it was opened, "
                f"found {self.start + len(data):,}"
            )
        return data


@frozen(repr=False)
class Cut:
    """Start of a partition: its offset in bytes and the number of its first row."""

    offset: int
    row: int


def count_line_breaks(data: NDArray[np.uint8]) -> int:
    r"""Number of line breaks: ``\n``, ``\r\n`` or ``\r``.

    Examples
    --------
    >>> count_line_breaks(np.frombuffer(b"a\nb\r\nc\rd", np.uint8))
    3
    """
    breaks = 0
    for start in range(0, len(data), _COUNTED_BYTES):
        block, following = (data[at : at + _COUNTED_BYTES] for at in (start, start + 1))
        breaks += int(np.count_nonzero(block == ord("\n")))
        is_return = block == ord("\r")
        if is_return.any():
            are_one = is_return[: len(following)] & (following == ord("\n"))
            breaks += int(np.count_nonzero(is_return) - np.count_nonzero(are_one))
    return breaks


@frozen(repr=False)
class TableFormat:
    """Functions that split and read the files of a format.

    Parameters
    ----------
    split : callable
        Splits a file into partitions of a minimum size in bytes.
    read : callable
        Reads a partition.
    """

    split: Callable[[TablePartition, int], tuple[TablePartition, ...]]
    read: Callable[[TablePartition], Table]


@frozen(eq=False, repr=False)
class Table:
    """Columns of equal length read from one file.

    Parameters
    ----------
    columns : mapping of str to sequence, ndarray or Cells
        Cells by column name; missing cells are None.
    source : str
        Name of the file in error messages.
    first_row : int, default 1
        Number of the first record in the file.
    row_numbers : ndarray of int64, optional
        Number of each record, if they are not consecutive.
    unit : {"row", "line", "record"}, default "row"
        Word for a record in error messages.
    names_in_file : mapping of str to str, optional
        Original names of renamed columns.
    is_text : bool, default False
        Whether the format has no types, as CSV, so that all cells are text.

    Examples
    --------
    >>> table = Table({"uid": ["a", "b"], "score": ["0.5", "1"]}, "preds.csv", first_row=2)
    >>> table.floats("score")
    array([0.5, 1. ])
    >>> table.place(1, "score")
    "preds.csv, row 3, column 'score'"
    """

    columns: Mapping[str, Column]
    source: str
    first_row: int = 1
    row_numbers: NDArray[np.int64] | None = None
    unit: Unit = "row"
    names_in_file: Mapping[str, str] = field(factory=dict)
    is_text: bool = False

    def __attrs_post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise SchemaError(f"{self.source}: expected columns of equal length, got {lengths}")

    def __len__(self) -> int:
        return next((len(column) for column in self.columns.values()), 0)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the file.

        Examples
        --------
        >>> Table({"uid": ["a"], "score": [0.5]}, "preds.csv").names
        ('uid', 'score')
        """
        return tuple(self.columns)

    def has(self, name: str) -> bool:
        """Return True if the table has a column of this name.

        Partitions of a JSON Lines file have only the keys of their own records as columns.

        Examples
        --------
        >>> Table({"uid": ["a"]}, "preds.csv").has("score")
        False
        """
        return name in self.columns

    def row(self, index: int) -> int:
        """Number of a record in its file.

        Examples
        --------
        >>> Table({"uid": ["a", "b"]}, "preds.csv", first_row=2).row(1)
        3
        """
        return self.first_row + index if self.row_numbers is None else int(self.row_numbers[index])

    @property
    def rows(self) -> NDArray[np.int64]:
        """Numbers of all records in their file."""
        if self.row_numbers is not None:
            return self.row_numbers
        return np.arange(self.first_row, self.first_row + len(self))

    def place(self, index: int, name: str) -> str:
        """File, row and column of a cell, for the start of an error message.

        Examples
        --------
        >>> Table({"uid": ["a"]}, "preds.jsonl", unit="line").place(0, "uid")
        "preds.jsonl, line 1, field 'uid'"
        """
        return f"{self.source}, {self.unit} {self.row(index)}, {self._column_place(name)}"

    def renamed(self, columns: Mapping[str, str]) -> Table:
        """Rename columns.

        Parameters
        ----------
        columns : mapping of str to str
            Current names by new name. A column may get several names. A new name replaces a column
            that has it already.

        Raises
        ------
        ReadError
            If a column does not exist.

        Examples
        --------
        >>> Table({"image_id": ["a"]}, "preds.csv").renamed({"uid": "image_id"}).names
        ('uid',)
        """
        for new, old in columns.items():
            if old not in self.columns:
                raise self.missing(old, purpose=f" for {new!r}" if new != old else "")
        old_names = set(columns.values())
        kept = {name: cells for name, cells in self.columns.items() if name not in old_names}
        return evolve(
            self,
            columns=kept | {new: self.columns[old] for new, old in columns.items()},
            names_in_file={**self.names_in_file, **columns},
        )

    def values(self, name: str) -> NDArray[Any]:
        """Cells of a column as an array of the file's dtype, or of objects.

        Examples
        --------
        >>> Table({"city": ["Oslo", None]}, "items.csv").values("city")
        array(['Oslo', None], dtype=object)
        """
        cells = self._cells(name)
        return cells if isinstance(cells, np.ndarray) else _objects(_as_list(cells))

    def strings(self, name: str, *, allow_missing: bool = False) -> NDArray[np.object_]:
        """Cells of a column as text; integers are converted.

        Parameters
        ----------
        name : str
            The column.
        allow_missing : bool, default False
            Whether to accept missing cells, which are None in the array.

        Raises
        ------
        ReadError
            If the column does not exist, or a cell is neither text nor an integer.

        Examples
        --------
        >>> Table({"uid": ["a", 7]}, "items.jsonl").strings("uid")
        array(['a', '7'], dtype=object)
        """
        cells = self._listed(name)
        if set(map(type, cells)) <= ({str, type(None)} if allow_missing else {str}):
            return _objects(cells)
        return _objects(self._each(name, cells, "text", _text, allow_missing=allow_missing))

    def distinct(self, name: str) -> tuple[Codes, list[Any]]:
        """Code of each cell, and distinct cells in order of appearance.

        Cells of different types differ. If a cell is a list or object, each gets its own code.

        Raises
        ------
        ReadError
            If the column does not exist.

        Examples
        --------
        >>> Table({"label": ["dog", "cat", "dog"]}, "items.csv").distinct("label")
        (array([0, 1, 0]), ['dog', 'cat'])
        """
        cells = self._cells(name)
        if isinstance(cells, Cells):
            return cells.distinct()
        if isinstance(cells, np.ndarray) and cells.dtype.kind in "iub":
            return _distinct_numbers(cells)
        return numbered(_as_list(cells))

    def categories(self, name: str) -> tuple[Codes, list[str]]:
        """Code of each cell, and distinct cells as text in order of appearance.

        Raises
        ------
        ReadError
            As in `strings`.

        Examples
        --------
        >>> Table({"uid": ["a", 7, "a"]}, "items.jsonl").categories("uid")
        (array([0, 1, 0]), ['a', '7'])
        """
        codes, cells = self.distinct(name)
        if not set(map(type, cells)) <= {str}:
            self.strings(name)  # raises for other types
            cells = [str(cell) for cell in cells]
        if any(NUL in cell for cell in cells):
            self._reject_nul(name)
        return codes, cells

    def uids(self, name: str) -> NDArray[Any]:
        """Cells of a column as unique uids: fixed-width text or strings.

        Raises
        ------
        ReadError
            As in `strings`, or if a uid is repeated.

        Examples
        --------
        >>> Table({"uid": ["a", "b", "a"]}, "items.csv", first_row=2).uids("uid")
        Traceback (most recent call last):
            ...
        valor_core.errors.ReadError: items.csv, row 4, column 'uid': expected each uid once, found
        'a' as in row 2
        Keep one row of each item.
        """
        cells = self._cells(name)
        texts = _texts(cells)
        if texts is not None and are_unique(texts):
            return texts
        names = self.strings(name)
        if any(NUL in uid for uid in names.tolist()):
            self._reject_nul(name)
        if len(set(names.tolist())) == len(names):
            return names
        first: dict[str, int] = {}
        again = [at for at, uid in enumerate(names) if first.setdefault(uid, at) != at]
        if again:
            uid = names[again[0]]
            raise ReadError(
                f"{self.place(again[0], name)}: expected each uid once, "
                f"found {short_repr(uid)} as in "
                f"{self.unit} {self.row(first[uid])}{and_more(len(again) - 1)}",
                f"Keep one {self.unit} of each item.",
            )
        return names

    def floats(
        self, name: str, *, allow_missing: bool = False, allow_non_finite: bool = False
    ) -> NDArray[np.floating[Any]]:
        """Cells of a column as float64; numbers in text are parsed.

        float16 and float32 columns keep their dtype.

        Parameters
        ----------
        name : str
            The column.
        allow_missing : bool, default False
            Whether to accept missing cells, which are NaN in the array.
        allow_non_finite : bool, default False
            Whether to accept NaN and infinite cells.

        Raises
        ------
        ReadError
            If the column does not exist, or a cell is not a finite number.

        Examples
        --------
        >>> Table({"score": ["0.5", "1e-3"]}, "preds.csv").floats("score")
        array([0.5  , 0.001])
        """
        cells = self._cells(name)
        numbers = _floats_at_once(cells)
        if numbers is None:
            expected = "a number"
            each = self._each(name, cells, expected, as_number, allow_missing=allow_missing)
            numbers = np.array(each, dtype=np.float64)
        self._check_finite(name, numbers, allow_missing, allow_non_finite)
        return numbers

    def integers(self, name: str) -> NDArray[np.int64]:
        """Cells of a column as int64; ``3.0`` and integers in text are converted.

        Raises
        ------
        ReadError
            If the column does not exist, or a cell is not a 64-bit integer.

        Examples
        --------
        >>> Table({"label": ["3", "4.0"]}, "preds.csv").integers("label")
        array([3, 4])
        """
        cells = self._cells(name)
        integers = _integers_at_once(cells)
        if integers is None:
            each = self._each(name, cells, "an integer", _integer, allow_missing=False)
            integers = np.array(each, dtype=np.int64)
        return integers

    def _cells(self, name: str) -> Column:
        if name not in self.columns:
            raise self.missing(name)
        return self.columns[name]

    def _listed(self, name: str) -> Sequence[Any]:
        return _as_list(self._cells(name))

    def missing(self, *names: str, purpose: str = "") -> ReadError:
        """Error for a table with none of these columns.

        Examples
        --------
        >>> print(Table({"uid,label": ["a,cat"]}, "preds.tsv").missing("uid"))
        preds.tsv: expected a column 'uid', the columns are 'uid,label'
        Use the suffix .csv for files with commas between cells.
        """
        return ReadError(
            f"{self.source}: expected a {self._kind} {' or '.join(map(short_repr, names))}"
            f"{purpose}, {self.known_names}",
            remedy=self.header_remedy or did_you_mean(names[0], self.names),
        )

    @property
    def known_names(self) -> str:
        """Names of the columns, for the end of an error message."""
        if not self.names:
            return f"there is no {self.unit}"
        listed = ", ".join(map(short_repr, self.names[:20]))
        return f"the {self._kind}s are {listed}{and_more(len(self.names) - 20)}"

    @property
    def _kind(self) -> str:
        return "column" if self.unit == "row" else "field"

    @property
    def header_remedy(self) -> str | None:
        """Remedy for column names with another delimiter or spaces around them."""
        if self.unit != "row":
            return None
        other = other_delimiter(self.names)
        if other is not None:
            return OTHER_DELIMITERS[other]
        headless = no_header(self.names) if self.is_text else None
        if headless is not None:
            return headless
        padded = [name for name in self.names if name != name.strip()]
        return f"Remove the spaces around {padded[0].strip()!r} in the header." if padded else None

    def _column_place(self, name: str) -> str:
        in_file = self.names_in_file.get(name, name)
        return f"{self._kind} {short_repr(in_file)}"

    def _each(
        self,
        name: str,
        cells: Column,
        expected: str,
        convert: Callable[[Any], Any],
        *,
        allow_missing: bool,
    ) -> list[Any]:
        """Convert cells one by one; raise an error for the first invalid cell."""
        listed = _as_list(cells)
        converted = [None if cell is None else convert(cell) for cell in listed]
        bad = [
            index
            for index, (cell, value) in enumerate(zip(listed, converted, strict=True))
            if value is None and not (cell is None and allow_missing)
        ]
        if bad:
            self._reject(name, bad, f"expected {expected}")
        return converted

    def _check_finite(
        self,
        name: str,
        numbers: NDArray[np.floating[Any]],
        allow_missing: bool,
        allow_non_finite: bool,
    ) -> None:
        suspects = np.flatnonzero(~np.isfinite(numbers)).tolist()
        if not suspects:
            return
        cells = self._cells(name)
        missing = [index for index in suspects if cells[index] is None]
        if missing and not allow_missing:
            self._reject(name, missing, "expected a number")
        infinite = [index for index in suspects if cells[index] is not None]
        if infinite and not allow_non_finite:
            self._reject(name, infinite, "must be finite")

    def _reject_nul(self, name: str) -> NoReturn:
        bad = [at for at, cell in enumerate(self.strings(name)) if NUL in cell]
        self._reject(name, bad, "expected a name without the character NUL")

    def _reject(self, name: str, bad: Sequence[int], expected: str) -> NoReturn:
        cell = self._cells(name)[bad[0]]
        found = _NOTHING if cell is None else short_repr(_to_python(cell))
        remedies = (
            remedy
            for spelling, remedy in _SPELLINGS.items()
            if isinstance(cell, str) and spelling.fullmatch(cell)
        )
        raise ReadError(
            f"{self.place(bad[0], name)}: {expected}, found {found}{and_more(len(bad) - 1)}",
            next(remedies, None),
        )


def _as_list(cells: Column) -> Sequence[Any]:
    return cells.tolist() if isinstance(cells, (np.ndarray, Cells)) else cells


def _distinct_numbers(cells: NDArray[Any]) -> tuple[Codes, list[Any]]:
    values, first, codes = np.unique(cells, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[codes], values[order].tolist()


def _to_python(cell: object) -> object:
    return cell.item() if isinstance(cell, np.generic) else cell


def _texts(cells: Column) -> NDArray[np.str_] | None:
    """Text or integers as fixed-width text; None if the conversion needs Python objects."""
    if isinstance(cells, Cells):
        return cells.texts()
    is_integer = isinstance(cells, np.ndarray) and cells.dtype.kind in "iu"
    return digits(np.asarray(cells)) if is_integer else None


def _objects(cells: Sequence[Any]) -> NDArray[np.object_]:
    # np.array would turn a column of equally long lists into two dimensions.
    return np.fromiter(cells, dtype=np.object_, count=len(cells))


def _floats_at_once(cells: Column) -> NDArray[np.floating[Any]] | None:
    """Cells as floats, NaN if missing; None if one is not a number."""
    if isinstance(cells, Cells) and (numbers := cells.floats()) is not None:
        return numbers
    if isinstance(cells, np.ndarray) and cells.dtype in (np.float16, np.float32):
        return cells  # as float64, the float32 0.35 would be less than the threshold 0.35
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        return cells.astype(np.float64)
    listed = _as_list(cells)
    types = set(map(type, listed))
    if not types <= {str, int, float, type(None)} or not _are_plain_numerals(listed, types):
        return None
    try:
        return np.array(listed, dtype=np.float64)
    except (ValueError, OverflowError):
        return None


def _integers_at_once(cells: Column) -> NDArray[np.int64] | None:
    if isinstance(cells, Cells) and (integers := cells.integers()) is not None:
        return integers
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iu" and cells.dtype != np.uint64:
        return cells.astype(np.int64)
    listed = _as_list(cells)
    types = set(map(type, listed))
    if not types <= {str, int} or not _are_plain_numerals(listed, types):
        return None
    try:
        return np.array(listed, dtype=np.int64)
    except (ValueError, OverflowError):
        return None


def _are_plain_numerals(cells: Sequence[Any], types: set[type]) -> bool:
    """Return False if a text may be a number in Python syntax only, such as ``1_0``."""
    if str not in types:
        return True
    texts = cells if types == {str} else [cell for cell in cells if type(cell) is str]
    return _is_plain_numeral("".join(texts))


def _is_plain_numeral(text: str) -> bool:
    return text.isascii() and "_" not in text


def _text(cell: object) -> str | None:
    if isinstance(cell, str):
        return cell
    is_integer = isinstance(cell, int) and not isinstance(cell, bool)
    return str(cell) if is_integer else None


def as_number(cell: object) -> float | None:
    """Number in a cell or its text; None for other cells.

    Examples
    --------
    >>> as_number("0.50"), as_number("high"), as_number(True)
    (0.5, None, None)
    """
    if isinstance(cell, bool) or not isinstance(cell, str | int | float | Decimal):
        return None
    if isinstance(cell, str) and not _is_plain_numeral(cell):
        return None
    try:
        return float(cell)
    except (ValueError, OverflowError):
        return None


def _integer(cell: object) -> int | None:
    if isinstance(cell, str):
        try:
            return _of_64_bits(int(cell)) if _is_plain_numeral(cell) else None
        except ValueError:
            cell = as_number(cell)
    if isinstance(cell, float):
        return _of_64_bits(int(cell)) if math.isfinite(cell) and cell.is_integer() else None
    return _of_64_bits(cell) if isinstance(cell, int) and not isinstance(cell, bool) else None


def _of_64_bits(number: int) -> int | None:
    return number if -(2**63) <= number < 2**63 else None
