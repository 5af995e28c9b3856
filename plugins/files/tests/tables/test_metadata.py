from __future__ import annotations

from typing import Any

import pytest
from valor_files.tables.metadata import cell_value, columns_beside, unpacked
from valor_files.tables.table import Table


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("2020", 2020),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-05", 1e-05),
        ("1e3", "1e3"),
        ("1.10", "1.10"),
        ("1.0", 1.0),
        ("-0", "-0"),
        ("9" * 30, "9" * 30),
        ("9" * 5000, "9" * 5000),
        ("0." + "1" * 30, "0." + "1" * 30),
        ("True", True),
        ("false", False),
        ("007", "007"),
        ("1,5", "1,5"),
        ("", ""),
        ("rain", "rain"),
        ("nan", "nan"),
        (None, None),
        (3, 3),
        (["2020"], ["2020"]),
    ],
)
def test_cell_is_parsed_only_in_canonical_form(cell: Any, value: Any) -> None:
    assert cell_value(cell) == value
    assert type(cell_value(cell)) is type(value)


def test_cells_are_parsed_independently() -> None:
    table = Table({"uid": ["a"] * 4, "x": ["1", "a", "1", None]}, "t.csv", is_text=True)

    assert columns_beside(table, own=("uid",)) == {"x": [1, "a", 1, None]}


def test_mappings_are_transposed_to_columns() -> None:
    assert unpacked([{"weather": "rain"}, {"year": 2020}, {}]) == {
        "weather": ["rain", None, None],
        "year": [None, 2020, None],
    }


def test_number_too_large_for_float_stays_text() -> None:
    assert cell_value("1e999") == "1e999"


def test_repeated_text_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    monkeypatch.setattr("valor_files.tables.metadata.cell_value", judged.append)

    columns_beside(Table({"x": ["rain", "sun", "rain", None]}, "t.csv", is_text=True), own=())

    assert sorted(judged, key=str) == [None, "rain", "sun"]
