from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_files.tables.cells import TextCells, numbered


def cells_of(texts: list[str]) -> TextCells:
    data = np.frombuffer("|".join(["", *texts]).encode(), np.uint8)
    widths = np.array([len(text.encode()) for text in texts], np.int64)
    stops = np.cumsum(widths + 1)
    return TextCells(data, stops - widths, stops)


@given(st.lists(st.text(alphabet="ab1é😀 ", max_size=12)))
def test_cells_are_the_text_they_were_made_of_and_none_where_it_is_empty(texts: list[str]) -> None:
    cells = cells_of(texts)

    expected = [text or None for text in texts]
    assert cells.tolist() == expected == list(cells) == [cells[i] for i in range(len(cells))]
    assert cells.has_empty == ("" in texts)


@given(st.lists(st.text(alphabet="ab1é😀", min_size=1, max_size=12), min_size=1))
def test_fixed_width_text_is_that_of_numpy(texts: list[str]) -> None:
    found = cells_of(texts).texts()

    assert found is not None
    assert np.array_equal(found, np.array(texts))


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_those_of_python_and_nan_where_there_is_none(
    numbers: list[float | None],
) -> None:
    found = cells_of(["" if number is None else repr(number) for number in numbers]).floats()

    assert found is None or found.tobytes() == np.array(numbers, np.float64).tobytes()
    assert (found is None) == all(number is None for number in numbers)


@given(
    st.lists(
        st.from_regex(r"[-+]?([0-9]{1,20}\.?[0-9]{0,20}|\.[0-9]{1,18})", fullmatch=True), min_size=1
    )
)
def test_plain_decimals_have_the_bits_that_python_gives_them(texts: list[str]) -> None:
    found = cells_of(texts).floats()

    assert found is not None
    assert found.tobytes() == np.array(list(map(float, texts))).tobytes()


@pytest.mark.parametrize("text", [".", "-", "-.", "1.2.3", "1-2", "--1", "1 2"])
def test_what_only_looks_like_a_decimal_makes_no_column_of_numbers(text: str) -> None:
    assert cells_of(["0.5", text]).floats() is None


@pytest.mark.parametrize("text", ["nan", "inf", "1_0", "1,5", "٣", "a", "0x1p3", "1e999"])
def test_what_is_no_finite_number_to_all_programs_makes_no_column_of_numbers(text: str) -> None:
    assert cells_of(["0.5", text]).floats() is None


@pytest.mark.parametrize("text", ["", "1.0", "1_0", "9223372036854775808", "0x1"])
def test_what_is_not_written_as_an_integer_makes_no_column_of_integers(text: str) -> None:
    assert cells_of(["1", text]).integers() is None


def test_one_cell_far_longer_than_the_others_does_not_widen_them_all() -> None:
    texts = ["a"] * 1000 + ["b" * 100_000]

    cells = cells_of(texts)

    assert cells.texts() is None
    assert cells.floats() is None
    assert cells.tolist() == texts
    assert cells.distinct()[1] == ["a", "b" * 100_000]


def test_values_are_numbered_as_they_first_appear() -> None:
    codes, values = numbered(["dog", None, "dog", "ant"])

    assert codes.tolist() == [0, 1, 0, 2]
    assert values == ["dog", None, "ant"]
