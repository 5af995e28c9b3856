from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_files import field_tables, json_cells
from valor_files.tables.table import Table

from valor_core.errors import ReadError


def test_lists_and_objects_in_text_are_parsed() -> None:
    table = Table({"cell": ['["a", 1]', '{"a": null}', "plain", "", None, [1]]}, "t.csv")

    assert json_cells(table, "cell") == [["a", 1], {"a": None}, "plain", "", None, [1]]


def test_numpy_numbers_become_python_numbers() -> None:
    (value,) = json_cells(Table({"label": np.array([3], np.uint8)}, "t.parquet"), "label")

    assert type(value) is int


def test_text_that_begins_like_json_but_is_invalid_is_rejected() -> None:
    with pytest.raises(ReadError, match="expected JSON, Expecting ',' delimiter"):
        json_cells(Table({"cell": ["[1]", "[1"]}, "t.csv"), "cell")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("[" * 100_000, "expected JSON, found values nested"),
        ("[" + "1" * 5000 + "]", "expected JSON, found an integer with too"),
        ('{"a": 1, "a": 2}', "expected JSON, found the key 'a' twice"),
    ],
)
def test_cell_nested_too_deeply_is_rejected(cell: str, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        json_cells(Table({"cell": ["[1]", cell]}, "t.csv", first_row=2), "cell")


def test_missing_object_is_empty_dict() -> None:
    assert field_tables(Table({"m": ['{"a": 1}', {"b": 2}, None]}, "t.csv"), "m") == [
        {"a": 1},
        {"b": 2},
        {},
    ]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("sun", "expected a table of fields, found 'sun'"),
        ("[1]", "expected a table of fields, found [1]"),
        (3, "expected a table of fields, found 3"),
        ([{}], "expected a table of fields, found [{}]"),
    ],
)
def test_cell_that_is_not_an_object_is_rejected(cell: Any, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        field_tables(Table({"m": [None, cell]}, "t.csv"), "m")
