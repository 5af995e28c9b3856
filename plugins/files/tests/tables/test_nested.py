from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from messages import refused
from valor_files import field_tables, parsed
from valor_files.tables.table import Table

from valor_core.errors import ReadError


def test_lists_and_tables_as_text_become_what_they_say() -> None:
    table = Table({"cell": ['["a", 1]', '{"a": null}', "plain", "", None, [1]]}, "t.csv")

    assert parsed(table, "cell") == [["a", 1], {"a": None}, "plain", "", None, [1]]


def test_numbers_are_pythons() -> None:
    (value,) = parsed(Table({"label": np.array([3], np.uint8)}, "t.parquet"), "label")

    assert type(value) is int


def test_text_that_only_begins_like_json_is_refused_with_its_place() -> None:
    with refused(ReadError):
        parsed(Table({"cell": ["[1]", "[1"]}, "t.csv"), "cell")


@pytest.mark.parametrize(
    "cell",
    [
        "[" * 100_000,
        "[" + "1" * 5000 + "]",
        '{"a": 1, "a": 2}',
    ],
)
def test_a_cell_of_100_000_brackets_is_named_with_its_row(cell: str) -> None:
    with refused(ReadError):
        parsed(Table({"cell": ["[1]", cell]}, "t.csv", first_row=2), "cell")


def test_a_missing_table_of_fields_is_an_empty_one() -> None:
    assert field_tables(Table({"m": ['{"a": 1}', {"b": 2}, None]}, "t.csv"), "m") == [
        {"a": 1},
        {"b": 2},
        {},
    ]


@pytest.mark.parametrize("cell", ["sun", "[1]", 3, [{}]])
def test_anything_but_a_table_of_fields_is_refused_with_its_place(cell: Any) -> None:
    with refused(ReadError):
        field_tables(Table({"m": [None, cell]}, "t.csv"), "m")
