"""Lists and objects in cells, which CSV files contain as JSON text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from valor_core.errors import ReadError, short_repr
from valor_core.schemas import Codes
from valor_files.tables import strict_json
from valor_files.tables.strict_json import StrictJsonError
from valor_files.tables.table import Table


def json_cells(table: Table, name: str) -> Sequence[Any]:
    """Parse the cells of a column that begin like a JSON list or object.

    NumPy numbers become Python numbers.

    Raises
    ------
    ReadError
        If such text is not valid JSON.

    Examples
    --------
    >>> json_cells(Table({"label": ["dog", '["dog", "cat"]', None]}, "t.csv"), "label")
    ['dog', ['dog', 'cat'], None]
    """
    values: list[Any] = table.values(name).tolist()
    if str not in set(map(type, values)):
        return values
    return [
        _parsed(value, table, row, name) if _is_nested(value) else value
        for row, value in enumerate(values)
    ]


def distinct_json_cells(table: Table, name: str) -> tuple[Codes, Codes, list[Any]]:
    """Parse each distinct cell once: code of each cell, first row and value of each code.

    Raises
    ------
    ReadError
        If such text is not valid JSON.

    Examples
    --------
    >>> distinct_json_cells(Table({"label": ["dog", '["cat"]', "dog"]}, "t.csv"), "label")
    (array([0, 1, 0]), array([0, 1]), ['dog', ['cat']])
    """
    codes, values = table.distinct(name)
    rows = np.empty(len(values), dtype=np.int64)
    rows[codes[::-1]] = np.arange(len(codes))[::-1]  # the first row overwrites later ones
    pairs = zip(rows.tolist(), values, strict=True)
    parsed_values = [
        _parsed(value, table, row, name) if _is_nested(value) else value for row, value in pairs
    ]
    return codes, rows, parsed_values


def _is_nested(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in ("[", "{")


def field_tables(table: Table, name: str) -> list[dict[str, Any]]:
    """Parse a column of objects; missing cells become empty dicts.

    Raises
    ------
    ReadError
        If a cell is not an object.

    Examples
    --------
    >>> field_tables(Table({"metadata": ['{"city": "Oslo"}', None]}, "t.csv"), "metadata")
    [{'city': 'Oslo'}, {}]
    """
    cells = json_cells(table, name)
    for row, cell in enumerate(cells):
        if not isinstance(cell, (dict, type(None))):
            raise ReadError(
                f"{table.place(row, name)}: expected a table of fields, found {short_repr(cell)}"
            )
    return [cell or {} for cell in cells]


def _parsed(text: str, table: Table, row: int, name: str) -> Any:
    try:
        return strict_json.parse_json(text)
    except StrictJsonError as error:
        raise ReadError(f"{table.place(row, name)}: expected JSON, {error}") from error
    except json.JSONDecodeError as error:
        raise ReadError(
            f"{table.place(row, name)}: expected JSON, {error.msg}, found {short_repr(text)}"
        ) from error
