from __future__ import annotations

from typing import Any

import pytest

from valor_core import Result
from valor_core.sliced import SlicedResult, pairs, safe, written


def test_a_slice_is_called_by_its_values() -> None:
    result = Result(value=0.5)

    assert SlicedResult({}, result).slice == ""
    assert SlicedResult({"weather": None, "year": 2020}, result).slice == "weather:null/year:2020"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), (False, "false"), (0.5, "0.5"), ("a b", "a b"), ([1, None], "1 null")],
)
def test_a_value_is_written_as_people_would_write_it(value: Any, text: str) -> None:
    assert written(value) == text
    assert pairs({"name": value}) == [f"name:{text}"]


def test_a_part_of_a_key_has_no_slash_of_its_own() -> None:
    assert safe("n/a: 猫_-.") == "n_a: __-."
