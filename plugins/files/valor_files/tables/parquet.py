"""Parquet files, split at row groups. pyarrow is imported when a file is opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.packages import import_extra
from valor_files.files import unreadable_error
from valor_files.tables.arrow import ArrowCells, array_of
from valor_files.tables.table import (
    Column,
    Cut,
    Table,
    TableFormat,
    TablePartition,
)

if TYPE_CHECKING:
    from pyarrow import ChunkedArray, DataType
    from pyarrow.parquet import ParquetFile


def _split(uncut: TablePartition, partition_bytes: int) -> tuple[TablePartition, ...]:
    """Split a file into partitions, which are ranges of row groups.

    Parameters
    ----------
    uncut : TablePartition
        The file as one partition, a range of bytes.
    partition_bytes : int
        Minimum uncompressed size of partitions, except the last.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    ReadError
        If the file is not a Parquet file.
    """
    with _opened(uncut) as file:
        metadata = file.metadata
        groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
        sizes = [(group.total_byte_size, group.num_rows) for group in groups]
    cuts = []
    size, row = 0, 1
    for index, (group_bytes, group_rows) in enumerate(sizes, start=1):
        size += group_bytes
        row += group_rows
        if size >= partition_bytes and index < len(sizes):
            cuts.append(Cut(index, row))
            size = 0
    return TablePartition(uncut.path, uncut.format, 0, len(sizes), 1).cut(cuts)


def _read(partition: TablePartition) -> Table:
    """Read a partition; numbers without nulls keep their dtype.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    ReadError
        If the file is not a Parquet file, or repeats a column name.
    """
    with _opened(partition) as file:
        names = file.schema_arrow.names
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:
            raise ReadError(
                f"{partition.path}: expected every column once, found {short_repr(repeated[0])} "
                f"{names.count(repeated[0])} times{and_more(len(repeated) - 1)}"
            )
        groups = list(range(partition.start, partition.stop))
        cells = file.read_row_groups(groups, use_threads=False)
        columns = {name: arrow_column(cells.column(name)) for name in names}
    return Table(columns, str(partition.path), partition.first_row)


def _pyarrow(path: Path, doing: str) -> Any:
    place, extra = f"readers.parquet: {doing} {str(path)!r}", "valor-core[tables]"
    import_extra("pyarrow.parquet", place, extra)
    return import_extra("pyarrow", place, extra)


@contextmanager
def _opened(partition: TablePartition) -> Iterator[ParquetFile]:
    pyarrow = _pyarrow(partition.path, "reading")
    try:
        with pyarrow.parquet.ParquetFile(partition.path) as file:
            yield file
    except pyarrow.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise ReadError(f"{partition.path}: expected a Parquet file, found: {reason}") from error
    except UnicodeDecodeError as error:
        raise ReadError(
            f"{partition.path}: expected text in UTF-8, found the byte "
            f"0x{error.object[error.start]:02x} in a name or a cell",
            "Write the file again; it is damaged.",
        ) from error
    except OSError as error:
        raise unreadable_error(partition.path, error) from error


def arrow_column(cells: ChunkedArray) -> Column:
    """Convert a column of Arrow; numbers without nulls keep their dtype, text its buffers."""
    import pyarrow.types

    is_integer = pyarrow.types.is_integer(cells.type)
    if cells.null_count == 0 and (is_integer or pyarrow.types.is_floating(cells.type)):
        letter = (
            "f" if not is_integer else "i" if pyarrow.types.is_signed_integer(cells.type) else "u"
        )
        return array_of(cells, f"{letter}{cells.type.bit_width // 8}")
    if cells.null_count == 0 and pyarrow.types.is_boolean(cells.type):
        return np.array(cells.to_pylist(), dtype=np.bool_)
    if pyarrow.types.is_dictionary(cells.type) and _is_text(cells.type.value_type):
        cells = cells.cast(cells.type.value_type)
    if _is_text(cells.type) and (texts := ArrowCells.if_plain(cells)) is not None:
        return texts
    if pyarrow.types.is_timestamp(cells.type) and cells.type.unit == "ns":
        # pyarrow would return timestamps of pandas, since datetime has no nanoseconds.
        cells = cells.cast(pyarrow.timestamp("us", cells.type.tz), safe=False)
    text, wide = (_retyped(cells.type, kind) for kind in (pyarrow.string(), pyarrow.float64()))
    if wide != cells.type:
        # Cast directly, the float32 0.35 would be less than the threshold 0.35. Its text is the
        # shortest decimal that rounds to the same float32.
        cells = cells.cast(text).cast(wide)
    # np.array would turn a column of equally long lists into two dimensions.
    return np.fromiter(cells.to_pylist(), dtype=np.object_, count=len(cells))


def _is_text(kind: DataType) -> bool:
    import pyarrow.types

    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind))


def _retyped(nested: DataType, kind: DataType) -> DataType:
    """Replace float32 in a nested type."""
    import pyarrow.types

    if pyarrow.types.is_float32(nested):
        return kind
    if pyarrow.types.is_list(nested):
        return pyarrow.list_(_retyped(nested.value_type, kind))
    if pyarrow.types.is_large_list(nested):
        return pyarrow.large_list(_retyped(nested.value_type, kind))
    if pyarrow.types.is_struct(nested):
        return pyarrow.struct([(field.name, _retyped(field.type, kind)) for field in nested])
    return nested


PARQUET = TableFormat(_split, _read)
