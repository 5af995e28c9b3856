"""Nested cells: lists and tables, which CSV files hold as JSON text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from valor_core.errors import ReadError, shown
from valor_core.readers.tables import strict_json
from valor_core.readers.tables.strict_json import StrictJsonError
from valor_core.readers.tables.table import Table


def parsed(table: Table, name: str) -> Sequence[Any]:
    """A column whose text becomes what it says, where it begins like a JSON list or table.

    Numbers of NumPy become Python's.

    Raises
    ------
    ReadError
        If such text is no JSON; names the cell.

    Examples
    --------
    >>> parsed(Table({"label": ["dog", '["dog", "cat"]', None]}, "t.csv"), "label")
    ['dog', ['dog', 'cat'], None]
    """
    values = table.values(name).tolist()
    return [
        _parsed(value, table, row, name)
        if isinstance(value, str) and value[:1] in ("[", "{")
        else value
        for row, value in enumerate(values)
    ]


def field_tables(table: Table, name: str) -> list[dict[str, Any]]:
    """A column that holds a table of fields for each item, empty where there is none.

    Raises
    ------
    ReadError
        If a cell holds anything else; names the cell.

    Examples
    --------
    >>> field_tables(Table({"metadata": ['{"city": "Oslo"}', None]}, "t.csv"), "metadata")
    [{'city': 'Oslo'}, {}]
    """
    cells = parsed(table, name)
    for row, cell in enumerate(cells):
        if not isinstance(cell, (dict, type(None))):
            raise ReadError(
                f"{table.place(row, name)}: expected a table of fields, found {shown(cell)}"
            )
    return [cell or {} for cell in cells]


def _parsed(text: str, table: Table, row: int, name: str) -> Any:
    try:
        return strict_json.parse_json(text)
    except StrictJsonError as error:
        raise ReadError(f"{table.place(row, name)}: expected JSON, {error}") from error
    except json.JSONDecodeError as error:
        raise ReadError(
            f"{table.place(row, name)}: expected JSON, {error.msg}, found {shown(text)}"
        ) from error
    except RecursionError as error:
        raise ReadError(
            f"{table.place(row, name)}: expected JSON, found values nested too deeply"
        ) from error
    except ValueError as error:
        raise ReadError(
            f"{table.place(row, name)}: expected JSON, found an integer with too many digits"
        ) from error
