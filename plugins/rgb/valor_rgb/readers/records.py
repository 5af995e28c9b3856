"""Records: tables whose suffix may be .json although every line is an object of its own."""

from __future__ import annotations

import gzip
from pathlib import Path

from valor_core.readers.tables import TablePartition, jsonl, split_table, table_format
from valor_core.readers.tables.table import file_size

_GZIP = ".gz"
_SOME = 1 << 12


def split_records(path: Path, partition_bytes: int = 1 << 62) -> tuple[TablePartition, ...]:
    """Partitions of a table; a .json file that begins with an object is JSON Lines.

    Raises
    ------
    ReadError
        If the file is not there, is empty, or has an unknown suffix.
    """
    if table_format(path) != "json":
        return split_table(path, partition_bytes=partition_bytes)
    size = file_size(path)
    is_gzip = path.suffix.lower() == _GZIP
    is_lines = _begins_with_an_object(path, is_gzip)
    format = "jsonl" if is_lines else "json"
    return jsonl.split(TablePartition(path, format, 0, size, 1, is_gzip), partition_bytes)


def _begins_with_an_object(path: Path, is_gzip: bool) -> bool:
    try:
        with (gzip.open if is_gzip else open)(path, "rb") as stream:
            start = stream.read(_SOME)
    except (OSError, EOFError):
        return False  # whoever reads it says what is wrong
    return bool(start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"))
