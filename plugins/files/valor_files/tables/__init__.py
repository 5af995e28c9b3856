"""Formats, partitions and tables of files of records.

Files are split without parsing them, and each partition can be read in another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import evolve

from valor_core.errors import ReadError, SchemaError, short_repr
from valor_files.files import checked_size
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
    """Infer the format of a file from its suffix, ignoring case and ``.gz``.

    Raises
    ------
    ReadError
        If the suffix is not supported.

    Examples
    --------
    >>> table_format("preds.jsonl.gz")
    'jsonl'
    """
    path = Path(path)
    suffix = _suffix(path)
    format = _SUFFIXES.get(suffix)
    if format is None or (format == "parquet" and _is_gzip(path)):
        suffixes = ", ".join(_SUFFIXES)
        raise ReadError(
            f"{path}: expected a file with a supported suffix, found "
            f"{short_repr(''.join(path.suffixes[-2:]) if _is_gzip(path) else suffix)}",
            remedy=f"Supported suffixes are {suffixes}; all but .parquet also with .gz.",
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
        File, or a table in memory, which is one partition.
    partition_bytes : int, default 4 MiB
        Approximate size of a partition.
    format : {"csv", "tsv", "jsonl", "json", "parquet"}, optional
        Format of the file. Inferred from the suffix by default.
    may_be_read_ahead : bool, default False
        Whether several threads may read small partitions ahead of time. The reader must be
        thread-safe.

    Returns
    -------
    tuple of TablePartition
        At least one.

    Raises
    ------
    ReadError
        If the file is missing or empty, or its suffix is not supported.
    SchemaError
        If `partition_bytes` is not positive, or the format is not supported.

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
        raise SchemaError(
            f"format: expected one of {', '.join(_FORMATS)}, got {short_repr(format)}"
        )
    if isinstance(path, TableInMemory):
        return (path,)
    uncut = _uncut(Path(path), format)
    parts = _FORMATS[uncut.format].split(uncut, partition_bytes)
    are_small = uncut.path.stat().st_size <= len(parts) * _READ_AHEAD_BYTES and not uncut.is_gzip
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
        Partition or file.
    columns : mapping of str to str, optional
        Column names in the file by standard name. Errors use the names in the file.

    Raises
    ------
    ReadError
        If the file is invalid, or lacks a column of `columns`.
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
        part = source if isinstance(source, TablePartition) else _in_one_piece(Path(source))
        table = _FORMATS[part.format].read(part)
    return table if columns is None else table.renamed(columns)


def _uncut(path: Path, format: str | None = None) -> TablePartition:
    size = checked_size(path)
    return TablePartition(path, format or table_format(path), 0, size, 1, _is_gzip(path))


def _in_one_piece(path: Path) -> TablePartition:
    uncut = _uncut(path)
    return _FORMATS[uncut.format].split(uncut, 2**63)[0]


def _suffix(path: Path) -> str:
    return Path(path.stem if _is_gzip(path) else path.name).suffix.lower()


def _is_gzip(path: Path) -> bool:
    return path.suffix.lower() == _GZIP_SUFFIX
