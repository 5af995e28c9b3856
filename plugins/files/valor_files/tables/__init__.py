"""Formats, partitions and tables of files of records.

A file is split without being parsed, and every partition can be read in another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import evolve

from valor_core.errors import ReadError, SchemaError, shown
from valor_files.files import file_size
from valor_files.tables.csv import CSV
from valor_files.tables.in_memory import TableInMemory, TableSource
from valor_files.tables.jsonl import JSON
from valor_files.tables.parquet import PARQUET
from valor_files.tables.table import (
    DEFAULT_PARTITION_BYTES,
    Table,
    TableFormat,
    TablePartition,
)

__all__ = [
    "DEFAULT_PARTITION_BYTES",
    "Table",
    "TableInMemory",
    "TablePartition",
    "TableSource",
    "read_table",
    "split_table",
    "table_format",
]

_SUFFIXES: Final[Mapping[str, str]] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
}
_FORMATS: Final[Mapping[str, TableFormat]] = {
    "csv": CSV,
    "tsv": CSV,
    "jsonl": JSON,
    "json": JSON,
    "parquet": PARQUET,
}
_GZIP_SUFFIX: Final = ".gz"
_READ_AHEAD_BYTES: Final = 2**25
"""Maximum size of a partition that threads may read before its turn."""


def table_format(path: str | Path) -> str:
    """Format of a file by its suffix in any case, with or without ``.gz``.

    Raises
    ------
    ReadError
        If no format has the suffix.

    Examples
    --------
    >>> table_format("preds.jsonl.gz")
    'jsonl'
    """
    path = Path(path)
    suffix = _suffix(path)
    format = _SUFFIXES.get(suffix)
    if format is None or (format == "parquet" and _is_gzip(path)):
        known = ", ".join(_SUFFIXES)
        raise ReadError(
            f"{path}: expected a file with a known suffix, found "
            f"{shown(''.join(path.suffixes[-2:]) if _is_gzip(path) else suffix)}",
            remedy=f"Known are {known}; all but .parquet also with .gz.",
        )
    return format


def split_table(
    path: str | Path | TableInMemory,
    *,
    partition_bytes: int = DEFAULT_PARTITION_BYTES,
    format: str | None = None,
    may_be_read_ahead: bool = False,
) -> tuple[TablePartition, ...]:
    r"""Split a file into partitions of whole records, in order.

    CSV and JSON Lines are cut where a record ends, Parquet between row groups. A JSON list, a
    compressed file, and a CSV file with quotes inside unquoted cells are one partition.

    Parameters
    ----------
    path : str, Path or TableInMemory
        The file, whose suffix says what it is; or a table in memory, which is one partition.
    partition_bytes : int, default 4 MiB
        About how large a partition is.
    format : {"csv", "tsv", "jsonl", "json", "parquet"}, optional
        What the file holds, where its suffix does not say so.
    may_be_read_ahead : bool, default False
        Whether threads may read partitions before their turn, several at a time, if they are small:
        for a reader that keeps nothing which only one thread may use.

    Returns
    -------
    tuple of TablePartition
        At least one.

    Raises
    ------
    ReadError
        If the file is not there, is empty, or has an unknown suffix.
    SchemaError
        If `partition_bytes` is not positive, or there is no such format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "preds.csv")
    ...     _ = path.write_text("uid,score\na,0.5\nb,0.25\n", encoding="utf-8")
    ...     parts = split_table(path, partition_bytes=15)
    ...     [read_table(part).strings("uid").tolist() for part in parts]
    [['a'], ['b']]
    """
    if partition_bytes < 1:
        raise SchemaError(f"partition_bytes: expected 1 or more, got {partition_bytes}")
    if format is not None and format not in _FORMATS:
        raise SchemaError(f"format: expected one of {', '.join(_FORMATS)}, got {shown(format)}")
    if isinstance(path, TableInMemory):
        return (path,)
    whole = _whole(Path(path), format)
    parts = _FORMATS[whole.format].split(whole, partition_bytes)
    are_small = whole.path.stat().st_size <= len(parts) * _READ_AHEAD_BYTES and not whole.is_gzip
    if may_be_read_ahead and are_small:
        return tuple([evolve(part, may_be_read_ahead=True) for part in parts])
    return parts


def read_table(
    source: TablePartition | str | Path, *, columns: Mapping[str, str] | None = None
) -> Table:
    """Read a partition or a file into a table.

    Parameters
    ----------
    source : TablePartition, str or Path
        What to read.
    columns : mapping of str to str, optional
        Standard column names, each with the name it has in the file; errors use the latter.

    Raises
    ------
    ReadError
        If the file is not what its suffix says, or has no column of a name in `columns`.
    MissingExtraError
        If reading the format needs a package that is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "preds.jsonl")
    ...     _ = path.write_text('{"image_id": "a", "score": 0.5}', encoding="utf-8")
    ...     table = read_table(path, columns={"uid": "image_id"})
    >>> table.strings("uid"), table.floats("score")
    (array(['a'], dtype=object), array([0.5]))
    """
    if isinstance(source, TableInMemory):
        table = source.table
    else:
        whole = source if isinstance(source, TablePartition) else _in_one_piece(Path(source))
        table = _FORMATS[whole.format].read(whole)
    return table if columns is None else table.renamed(columns)


def _whole(path: Path, format: str | None = None) -> TablePartition:
    size = file_size(path)
    return TablePartition(path, format or table_format(path), 0, size, 1, _is_gzip(path))


def _in_one_piece(path: Path) -> TablePartition:
    whole = _whole(path)
    return _FORMATS[whole.format].split(whole, 2**63)[0]


def _suffix(path: Path) -> str:
    return Path(path.stem if _is_gzip(path) else path.name).suffix.lower()


def _is_gzip(path: Path) -> bool:
    return path.suffix.lower() == _GZIP_SUFFIX
