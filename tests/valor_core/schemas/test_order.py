from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core.schemas.columns import natural, natural_order


def test_numbers_are_sorted_by_value_before_other_names() -> None:
    assert sorted(["b", "10", "9", "a", "", "a10"], key=natural) == ["9", "10", "", "a", "a10", "b"]


def test_leading_zeros_do_not_change_order() -> None:
    assert sorted(["5", "007", "10", "7", "0", "00"], key=natural) == [
        "0",
        "00",
        "5",
        "007",
        "7",
        "10",
    ]


def test_integers_are_sorted_by_value() -> None:
    assert sorted([10, 9, -1], key=natural) == [-1, 9, 10]
    assert natural_order(np.array([10, 9, -1])).tolist() == [2, 1, 0]


def test_signed_and_decimal_numbers_are_sorted_by_their_value() -> None:
    names = ["cat", "0.5", "-10", "10", "+3", "-0.25", "9.75", "1e3", "-", "007"]
    ascending = ["-10", "-0.25", "0.5", "+3", "007", "9.75", "10", "-", "1e3", "cat"]

    assert sorted(names, key=natural) == ascending
    assert [names[place] for place in natural_order(np.array(names))] == ascending


def test_integers_and_numeric_names_have_same_order() -> None:
    assert sorted(["10", 9, "-1"], key=natural) == ["-1", 9, "10"]


@given(st.lists(st.floats(-50, 50).map(lambda value: f"{value:.2f}"), min_size=2))
def test_decimals_are_sorted_by_value(names: list[str]) -> None:
    values = [float(names[place]) for place in natural_order(np.array(names))]

    assert values == sorted(values)


@given(
    st.lists(st.integers(0, 200).map(str) | st.text("ab1+-.٢", min_size=1, max_size=3), min_size=1)
)
def test_a_column_is_sorted_like_its_names(names: list[str]) -> None:
    order = natural_order(np.array(names))

    assert [names[place] for place in order] == sorted(names, key=natural)


@pytest.mark.parametrize("names", [np.array([], np.int64), np.array([], "U1")])
def test_empty_column_is_sorted(names: np.ndarray) -> None:
    assert natural_order(names).tolist() == []
