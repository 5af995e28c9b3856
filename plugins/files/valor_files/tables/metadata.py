"""Metadata columns of tables, with parsed numbers and booleans for CSV."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from valor_core.errors import ReadError, and_more
from valor_files.tables.table import Table

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_TRUTH = {"true": True, "false": False}


def cell_value(value: Any) -> Any:
    """Parse a number or boolean in text; other values are returned unchanged.

    Values are parsed one by one, so the result does not depend on the partitions of a file. Text is
    a number only in the form that Python prints: ``1.10`` and ``007``, which may be a version and a
    code, stay text.

    Examples
    --------
    >>> [cell_value(text) for text in ("2020", "0.5", "true", "rain", "1.10", None)]
    [2020, 0.5, True, 'rain', '1.10', None]
    """
    if not isinstance(value, str):
        return value
    if value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    if not _NUMBER.fullmatch(value):
        return value
    number = int(value) if _INTEGER.fullmatch(value) else float(value)
    return number if str(number) == value else value


def columns_beside(table: Table, own: Collection[str]) -> dict[str, list[Any]]:
    """Metadata columns of a table: all columns that a reader does not use.

    Numbers and booleans in text are parsed only for formats without types, such as CSV.

    Parameters
    ----------
    table : Table
        The table.
    own : collection of str
        Names of the columns that the reader uses.

    Examples
    --------
    >>> cells = {"uid": ["a"], "year": ["2020"]}
    >>> columns_beside(Table(cells, "a.csv", is_text=True), own=("uid",))
    {'year': [2020]}
    >>> columns_beside(Table(cells, "a.jsonl"), own=("uid",))
    {'year': ['2020']}
    """
    names = [name for name in table.names if name not in own]
    column = _typed_column if table.is_text else _column
    return {name: column(table, name) for name in names}


def metadata_by_uid(
    table: Table, column: str, uids: Collection[str], expected: str
) -> dict[str, list[Any]]:
    """Metadata columns in the order of the items; None for items without a row.

    Parameters
    ----------
    table : Table
        Table with a row per item.
    column : str
        Column of the uids.
    uids : collection of str
        Uids of the items, each once.
    expected : str
        Description of a valid uid, for errors.

    Raises
    ------
    ReadError
        If a uid is repeated, or belongs to no item.

    Examples
    --------
    >>> table = Table({"uid": ["b"], "weather": ["rain"]}, "a.csv")
    >>> metadata_by_uid(table, "uid", ["a", "b"], "the name of an image")
    {'weather': [None, 'rain']}
    """
    rows = {uid: row for row, uid in enumerate(table.uids(column).tolist())}
    valid = set(uids)
    unknown = [uid for uid in rows if uid not in valid]
    if unknown:
        raise ReadError(
            f"{table.place(rows[unknown[0]], column)}: expected {expected}, found "
            f"{unknown[0]!r}{and_more(len(unknown) - 1)}"
        )
    return {
        name: [cells[rows[uid]] if uid in rows else None for uid in uids]
        for name, cells in columns_beside(table, own=(column,)).items()
    }


def _column(table: Table, name: str) -> list[Any]:
    cells: list[Any] = table.values(name).tolist()
    return cells


def _typed_column(table: Table, name: str) -> list[Any]:
    """Column of parsed cells; each distinct text is parsed once."""
    codes, texts = table.distinct(name)
    values = [cell_value(text) for text in texts]
    return [values[code] for code in codes.tolist()]


def unpacked(tables: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Transpose mappings of fields into columns.

    Examples
    --------
    >>> unpacked([{"weather": "rain"}, {}])
    {'weather': ['rain', None]}
    """
    tables = list(tables)
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: [table.get(name) for table in tables] for name in names}
