"""JSON Lines of flat objects in which nothing is odd, read by column at once, by pyarrow.

Lines that are blank, broken or hold several objects, tables within them, and numbers that are not
finite are left to the reader that goes line by line, which also has the words for what it refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from valor_files.tables.arrow import ArrowCells, array_of
from valor_files.tables.cells import NumberCells

_MOST_BYTES: Final = 2**30


def are_flat(content: bytes) -> bool:
    """Whether the first of some objects seems to have neither lists nor tables in it.

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
    """Columns of the objects, one on each line; nothing if anything is odd.

    Parameters
    ----------
    content : bytes
        Text in UTF-8 that ends with a line.
    arrow : module
        pyarrow.
    exactly : callable
        Gives the cells of a column as the reader that goes line by line gives them.
    """
    body = content.rstrip(b" \t\r\n")
    lines = body.count(b"\n") + 1
    # Within an object, a closing brace is not followed by an opening one, and no text has a line
    # feed in it. So as many objects as lines mean one on each.
    ends = body.count(b"}\n{") + (body.count(b"}\r\n{") if b"\r" in body else 0)
    if len(body) > _MOST_BYTES or ends != lines - 1 or not body.startswith(b"{"):
        return None
    table = _parsed(arrow, body)
    if table is None or table.num_rows != lines:
        return None
    columns: dict[str, Any] = {}
    for name, cells in zip(table.column_names, table.columns, strict=True):
        columns[name] = _column(arrow, cells, partial(exactly, name))
        if columns[name] is None:
            return None
    return columns


def _parsed(arrow: Any, body: bytes) -> Any:
    """The table that pyarrow makes of it, in which text that looks like a date stays text."""
    table = _read(arrow, body, None)
    if table is None:
        return None
    dated = [field.name for field in table.schema if arrow.types.is_timestamp(field.type)]
    if not dated:
        return table
    again = _read(arrow, body, arrow.schema([(name, arrow.string()) for name in dated]))
    return None if again is None else again.select(table.column_names)


def _read(arrow: Any, body: bytes, schema: Any) -> Any:
    reading = arrow.json.ReadOptions(use_threads=False, block_size=len(body) + 1)
    parsing = arrow.json.ParseOptions(explicit_schema=schema)
    try:
        return arrow.json.read_json(arrow.BufferReader(body), reading, parsing)
    except (arrow.ArrowException, UnicodeDecodeError):
        return None


def _column(arrow: Any, cells: Any, exactly: Callable[[], list[Any]]) -> Any:
    """One column; nothing if it cannot be told what stands in the file."""
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
        is_odd = ~np.isfinite(numbers) | ((numbers == 0) & np.signbit(numbers))
        if is_odd.any():
            return None
    return NumberCells(numbers, exactly)
