"""Records: tables whose suffix may be .json although every line is an object of its own."""

from __future__ import annotations

import gzip
from pathlib import Path

from valor_files import TableInMemory, TablePartition, TableSource, split_table, table_format

_GZIP = ".gz"
_SOME = 1 << 12


def split_records(path: TableSource, partition_bytes: int = 1 << 62) -> tuple[TablePartition, ...]:
    """Partitions of a table; a .json file that begins with an object is JSON Lines.

    Raises
    ------
    ReadError
        If the file is not there, is empty, or has an unknown suffix.
    """
    if isinstance(path, TableInMemory):
        return split_table(path)
    format = table_format(path)
    if format == "json" and _begins_with_an_object(path):
        format = "jsonl"
    return split_table(path, partition_bytes=partition_bytes, format=format)


def _begins_with_an_object(path: Path) -> bool:
    try:
        with (gzip.open if path.suffix.lower() == _GZIP else open)(path, "rb") as stream:
            start = stream.read(_SOME)
    except (OSError, EOFError):
        return False  # whoever reads it says what is wrong
    return bool(start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"))
