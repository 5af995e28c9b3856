"""JSON Lines files, and JSON files with one list of objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any, Final, NoReturn

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more, short_repr
from valor_files.tables import strict_json
from valor_files.tables.arrow import are_flat, object_columns, pyarrow_for
from valor_files.tables.cuts import line_cuts
from valor_files.tables.strict_json import (
    SPACE,
    StrictJsonError,
    is_surely_strict,
    parse_lines,
)
from valor_files.tables.table import Table, TableFormat, TablePartition

JsonRecord = dict[str, Any]

# Larger blocks trigger Python's garbage collector, which takes longer than parsing.
_BLOCK_LINES: Final = 256


def _split(uncut: TablePartition, partition_bytes: int) -> tuple[TablePartition, ...]:
    """Split a file into partitions of whole lines; JSON lists and gzip files stay uncut.

    Parameters
    ----------
    uncut : TablePartition
        The file as one partition.
    partition_bytes : int
        Minimum size of partitions, except the last.
    """
    if uncut.format == "json" or uncut.is_gzip:
        return (uncut,)
    return uncut.cut(line_cuts(uncut, partition_bytes))


def _read(partition: TablePartition) -> Table:
    """Read a partition into a table with one column per key of its records.

    Raises
    ------
    ReadError
        If a line, or an item of the list, is not a JSON object.
    """
    return _read_list(partition) if partition.format == "json" else _read_lines(partition)


def _read_lines(partition: TablePartition) -> Table:
    content = partition.content()
    is_flat = are_flat(content)
    arrow = pyarrow_for(partition.path.stat().st_size, "json") if is_flat else None
    if arrow is not None:
        by_line = cache(lambda: _line_by_line(partition, content))
        columns = object_columns(content, arrow, lambda name: list(by_line().columns[name]))
        if columns is not None:
            return Table(columns, str(partition.path), partition.first_row, unit="line")
    return _line_by_line(partition, content)


def _line_by_line(partition: TablePartition, content: bytes) -> Table:
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    numbers = None
    if content.startswith(b"{") + content.count(b"\n{") < len(lines):
        lines, numbers = _filled(lines, partition.first_row)
    table = Table({}, str(partition.path), partition.first_row, numbers, "line")
    blocks = (
        _records(lines[start : start + _BLOCK_LINES], start, table)
        for start in range(0, len(lines), _BLOCK_LINES)
    )
    return evolve(table, columns=_columns(blocks))


def _filled(lines: list[bytes], first_row: int) -> tuple[list[bytes], NDArray[np.int64] | None]:
    """Lines that are not blank, and their numbers if they are not consecutive."""
    kept = np.flatnonzero([bool(line) and not line.isspace() for line in lines])
    is_all = not len(kept) or kept[-1] < len(kept)
    return [lines[index] for index in kept.tolist()], None if is_all else first_row + kept


def _records(lines: Sequence[bytes], start: int, table: Table) -> Sequence[JsonRecord]:
    """Parse lines of objects, all at once if possible."""
    records = _flat_records(lines)
    if records is None:
        records = parse_lines(lines)
    return _records_one_by_one(lines, start, table) if records is None else records


def _flat_records(lines: Sequence[bytes]) -> list[JsonRecord] | None:
    """Parse lines of objects; None if a line may have nested objects or braces in strings."""
    data = b"[" + b",".join(lines) + b"]"
    if [line[:1] for line in lines].count(b"{") < len(lines) or data.count(b"{") > len(lines):
        return None
    try:
        text = data.decode("utf-8")
        records: list[JsonRecord] = json.loads(text)
    except (ValueError, RecursionError):
        return None
    # The first character of each line is its only opening brace. As many objects as lines mean
    # that each brace opens an item of the list, so object i begins where line i does. Only the
    # comma that joined the lines separates the objects, so object i also ends where line i does.
    if len(records) != len(lines) or set(map(type, records)) != {dict}:
        return None
    return records if is_surely_strict(text, records) else None


def _records_one_by_one(lines: Sequence[bytes], start: int, table: Table) -> Sequence[JsonRecord]:
    records = []
    for index, line in enumerate(lines, start):
        text = line.decode("utf-8").strip(SPACE)
        try:
            value = _parsed(text, "line")
        except _NotJsonError as error:
            _reject_line(table, index, text, str(error), error)
        if not isinstance(value, dict):
            _reject_line(table, index, text, f"found {short_repr(value)}", None)
        records.append(value)
    return records


def _reject_line(
    table: Table, index: int, text: str, finding: str, cause: Exception | None
) -> NoReturn:
    is_list = table.row(index) == 1 and text.startswith("[")
    raise ReadError(
        f"{table.source}, line {table.row(index)}: expected one JSON object per line, {finding}",
        remedy="Use the suffix .json for a file with one list of objects." if is_list else None,
    ) from cause


def _read_list(partition: TablePartition) -> Table:
    table = Table({}, str(partition.path), 1, None, "record")
    try:
        value = _parsed(partition.content().decode("utf-8"), "file")
    except _NotJsonError as error:
        is_lines = error.is_extra and error.line > 1
        place = f", line {error.line}" if error.line else ""
        raise ReadError(
            f"{table.source}{place}: expected a JSON list of objects, {error}",
            remedy="Use the suffix .jsonl for files with one object per line."
            if is_lines
            else None,
        ) from error
    if not isinstance(value, list):
        raise ReadError(
            f"{table.source}: expected a JSON list of objects, found {short_repr(value)}"
        )
    bad = [index for index, record in enumerate(value) if not isinstance(record, dict)]
    if bad:
        raise ReadError(
            f"{table.source}, record {bad[0] + 1}: expected an object, "
            f"found {short_repr(value[bad[0]])}{and_more(len(bad) - 1)}"
        )
    return evolve(table, columns=_columns([value]))


class _NotJsonError(ValueError):
    """Invalid JSON; the message follows "expected …, "."""

    def __init__(self, finding: str, line: int = 0, *, is_extra: bool = False) -> None:
        super().__init__(finding)
        self.line = line
        self.is_extra = is_extra


def _parsed(text: str, unit: str) -> object:
    try:
        return strict_json.parse_json(text)
    except StrictJsonError as error:
        raise _NotJsonError(str(error)) from error
    except json.JSONDecodeError as error:
        raise _NotJsonError(
            _finding(error, unit), error.lineno, is_extra=error.msg == "Extra data"
        ) from error


def _finding(error: json.JSONDecodeError, unit: str) -> str:
    if error.msg.startswith("Unterminated string"):
        return f"the {unit} ends inside a string"
    if error.pos >= len(error.doc.rstrip()):
        return f"the {unit} ends too early"
    problem = error.msg.removesuffix(" at").rstrip(": ")
    return f"{problem[0].lower()}{problem[1:]} at character {error.colno}"


def _columns(blocks: Iterable[Sequence[JsonRecord]]) -> dict[str, list[Any]]:
    """Columns of all keys of the records; missing cells are None."""
    columns: dict[str, list[Any]] = {}
    count = 0
    for records in blocks:
        cells = _uniform_columns(records)
        for name in dict.fromkeys(chain(columns, cells or chain.from_iterable(records))):
            if name not in columns:
                columns[name] = [None] * count
            if name in cells:
                columns[name].extend(cells[name])
            else:
                columns[name].extend([record.get(name) for record in records])
        count += len(records)
    return columns


def _uniform_columns(records: Sequence[JsonRecord]) -> dict[str, list[Any]]:
    """Columns of records with equal keys; empty if their keys differ."""
    names = records[0] if records else ()
    if len(set(map(len, records))) != 1:
        return {}
    try:
        return {name: list(map(itemgetter(name), records)) for name in names}
    except KeyError:
        return {}


JSON = TableFormat(_split, _read)
