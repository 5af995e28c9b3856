from __future__ import annotations

from typing import Any

import pytest

from valor_core.readers.metadata import typed, typed_column, unpacked


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("2020", 2020),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e3", 1000.0),
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
def test_a_cell_becomes_what_it_is_written_as(cell: Any, value: Any) -> None:
    assert typed(cell) == value
    assert type(typed(cell)) is type(value)


def test_every_cell_of_a_column_is_judged_alone() -> None:
    assert typed_column(["1", "a", "1", None, ["x"]]) == [1, "a", 1, None, ["x"]]


def test_a_column_of_tables_becomes_columns() -> None:
    assert unpacked([{"weather": "rain"}, {"year": 2020}, {}]) == {
        "weather": ["rain", None, None],
        "year": [None, 2020, None],
    }


def test_a_number_too_large_for_a_float_stays_text() -> None:
    assert typed("1e999") == "1e999"


def test_a_text_that_is_repeated_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    monkeypatch.setattr("valor_core.readers.metadata.typed", judged.append)

    typed_column(["rain", "sun", "rain", 3, None])

    assert sorted(judged) == ["rain", "sun"]
