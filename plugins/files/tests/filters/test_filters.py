from __future__ import annotations

import operator
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_files.filters import Filter

from valor_core.errors import ExpressionError, SchemaError

UIDS = np.array(["a", "b", "c", "d"])


def objects(*values: Any) -> np.ndarray[Any, Any]:
    return np.fromiter(values, dtype=object, count=len(values))


COLUMNS = {
    "weather": objects("rain", "sun", None, "rain"),
    "city": np.array(["Oslo", "Rome", "Bern", "Oslo"]),
    "year": np.array([2019, 2020, 2021, 2022]),
    "temperature": np.array([1.5, np.nan, -3.0, 20.0], dtype=np.float32),
    "night": np.array([True, False, True, False]),
    "indoor": objects(True, None, False, np.bool_(True)),
    "speed": objects(1, 2.5, None, float("nan")),
    "camera id": np.array([7, 8, 7, 8], dtype=np.uint8),
    "meta.source": objects("x", "y", "x", "y"),
    "box": objects([1], [2], [3], None),
}


def kept(text: str) -> str:
    mask = Filter.parse(text).mask(COLUMNS, UIDS, len(UIDS))
    assert mask.dtype == np.bool_
    return "".join(UIDS[mask])


def expect_refusal(match: str, text: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(match)):
        Filter.parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('weather == "rain"', "ad"),
        ("weather == 'rain'", "ad"),
        ('weather == "rain" and year >= 2020', "d"),
        ('weather == "sun" or year < 2020', "ab"),
        ('year == 2019 or weather == "rain" and year == 2022', "ad"),
        ('(year == 2019 or weather == "rain") and year == 2022', "d"),
        ('city in ["Oslo", "Rome"]', "abd"),
        ('city not in ["Oslo", "Rome",]', "c"),
        ('not city in ["Oslo"]', "bc"),
        ("not night", "bd"),
        ("not not night", "ac"),
        ("night == true", "ac"),
        ("night != True", "bd"),
        ("indoor", "ad"),
        ("indoor == false", "c"),
        ('city > "Bern"', "abd"),
        ('"Bern" < city', "abd"),
        ("2020 <= year and 2021 >= year", "bc"),
        ("2020 == year", "b"),
        ("2020 != year", "acd"),
        ("year in [2019, 2022.0]", "ad"),
        ("temperature >= -3", "acd"),
        ("temperature in [1.5, +2e1]", "ad"),
        ("speed > .5", "ab"),
        ("`camera id` == 7", "ac"),
        ("`camera id` != 2020", "abcd"),
        ('meta.source == "x"', "ac"),
        ('uid in ["b", "d", "nowhere"]', "bd"),
        ('NOT uid == "a" AND night', "c"),
    ],
)
def test_expression_selects_matching_datums(text: str, expected: str) -> None:
    assert kept(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("weather is missing", "c"),
        ("weather is null", "c"),
        ("weather is not missing", "abd"),
        ("temperature is none", "b"),
        ("speed is missing", "cd"),
        ("year is missing", ""),
        ("box is missing", "d"),
        ('weather != "rain"', "b"),
        ('weather not in ["rain"]', "b"),
        ('not weather == "rain"', "bc"),
        ("temperature != 1.5", "cd"),
        ("temperature not in [1.5]", "cd"),
        ("not indoor", "bc"),
    ],
)
def test_missing_value_only_matches_is_missing(text: str, expected: str) -> None:
    assert kept(text) == expected


def test_literal_is_rounded_alike_for_equality_and_membership() -> None:
    columns = {"score": np.array([0.1, 0.2], dtype=np.float32)}

    for text in ("score == 0.1", "score in [0.1]"):
        assert Filter.parse(text).mask(columns, UIDS[:2], 2).tolist() == [True, False]


def test_uids_can_be_integers_and_objects() -> None:
    large = 2**53 + 1

    by_number = Filter.parse(f"uid == {large}").mask({}, np.array([large, large - 1]), 2)
    by_text = Filter.parse('uid == "x"').mask({}, objects("x", "y"), 2)

    assert by_number.tolist() == [True, False]
    assert by_text.tolist() == [True, False]


def test_text_can_hold_quotes_backslashes_and_keywords() -> None:
    columns = {"name": np.array(['say "and"', "it's", "a\\b", "é✓"])}

    for position, literal in enumerate([r'"say \"and\""', r"'it\'s'", r'"a\\b"', '"é✓"']):
        mask = Filter.parse(f"name == {literal}").mask(columns, UIDS, 4)
        assert np.flatnonzero(mask).tolist() == [position]


def test_filter_has_text_and_fields_and_is_picklable() -> None:
    text = 'weather == "rain" and not (uid in ["a"] or `camera id` is missing)'
    parsed = Filter.parse(text)

    again = pickle.loads(pickle.dumps(parsed))

    assert parsed.text == text
    assert parsed.fields == ("camera id", "uid", "weather")
    assert again == parsed == Filter.parse(text)
    assert hash(again) == hash(parsed)
    assert again.mask(COLUMNS, UIDS, 4).tolist() == [False, False, False, True]


def test_empty_batch_needs_no_columns() -> None:
    assert Filter.parse("anything").mask({}, np.array([]), 0).tolist() == []


def test_columns_are_not_modified() -> None:
    frozen_columns = {"year": np.array([2019, 2020]), "weather": objects("rain", None)}
    for column in frozen_columns.values():
        column.flags.writeable = False

    Filter.parse('year > 2019 and weather == "rain"').mask(frozen_columns, UIDS[:2], 2)

    assert frozen_columns["year"].tolist() == [2019, 2020]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('weather = "rain"', "expected an operator such as == at character 9"),
        ("a <> 3", "expected an operator such as == at character 3, found '<>'"),
        ("a && b", "expected an operator such as == at character 3, found '&&'"),
        ("a | b", "expected an operator such as == at character 3, found '|'"),
        ("! a", "expected a field or a value at character 1, found '!'"),
        ("", "expected a field or a value at character 1, found the end"),
        ("a and", "expected a field or a value at character 6"),
        ("in == 3", "expected a field or a value at character 1, found 'in'"),
        ("a == rain", "expected a value at character 6, found 'rain'"),
        ("a == null", "expected a value at character 6, found 'null'"),
        ('a == "x', "expected a value at character 6, found '\"x'"),
        ("`a == 3", "filter '`a == 3': expected a field or a value"),
        ("a == 12ab", "expected a value at character 6, found '12ab'"),
        ("2000 <= a < 2020", "expected 'and', 'or' or the end at character 11"),
        ("a == 1 b", "expected 'and', 'or' or the end at character 8, found 'b'"),
        ("1 == 1", "expected a field at character 6, found '1'"),
        ('"x"', "expected an operator such as == at character 4"),
        ("len(a)", "expected an operator such as == at character 4"),
        ("a[0] == 1", "expected an operator such as == at character 2"),
        ("(a", "expected a closing parenthesis at character 3"),
        ("a not 3", "expected 'in' after 'not' at character 7, found '3'"),
        ("a is 3", "expected 'missing' after 'is' at character 6, found '3'"),
        ("a in 3", "expected a list such as [1, 2] at character 6, found '3'"),
        ("a in []", "expected a value at character 7, found ']'"),
        ("a in [1 2]", "expected ',' or ']' at character 9, found '2'"),
        ('a in [1, "x"]', "at character 10, found '\"x\"'"),
        ("a == 1e999", "expected a number of at most 64 bits at character 6"),
        ("a == 99999999999999999999", "expected a number of at most 64 bits at character 6"),
        (r'a == "C:\data"', "after a backslash in the text at character 6"),
        ("a == f'x'", "expected a value at character 6, found 'f'"),
        ("a == 'x' 'y'", "expected 'and', 'or' or the end at character 10"),
        ("a == (1)", "expected a value at character 6, found '('"),
        ("(a) == 1", "expected 'and', 'or' or the end at character 5"),
        ("a in (1, 2)", "expected a list such as [1, 2] at character 6"),
        ("a in [[1]]", "expected a value at character 7, found '['"),
        ("a == 1, b", "expected 'and', 'or' or the end at character 7"),
        ("a)", "expected 'and', 'or' or the end at character 2"),
        ("a in [1", "expected ',' or ']' at character 8, found the end"),
        ("a == b if c else d", "expected a value at character 6, found 'b'"),
        ("lambda: a", "expected an operator such as == at character 7"),
        ("[a for a in b]", "expected a field or a value at character 1, found '['"),
        ("{a}", "expected a field or a value at character 1, found '{'"),
        ("a := 1", "expected an operator such as == at character 3, found ':='"),
        ("a + 1 == 2", "expected an operator such as == at character 3, found '+'"),
        ("a == - 1", "expected a value at character 6, found '-'"),
        ("a == 0x10", "expected a value at character 6, found '0x10'"),
        ("a == 1_000", "expected a value at character 6, found '1_000'"),
        ("a == 1 # one", "expected 'and', 'or' or the end at character 8, found '#'"),
        ("a == 1 and\x00", "expected a field or a value at character 11"),
        ("a not in b", "expected a list such as [1, 2] at character 10"),
        ("`a` == `b`", "expected a value at character 8, found '`b`'"),
        ("(2000 <= a < 2020)", "expected a closing parenthesis at character 12"),
    ],
)
def test_invalid_filter_is_rejected_with_character_position(text: str, message: str) -> None:
    expect_refusal(message, text)


@pytest.mark.parametrize(
    "name", ["class", "lambda", "None_", "ﬁ", "été", "²", "a..b.", "missing", "field", "`a 'b\n`"]
)
def test_field_names_may_be_invalid_python_names(name: str) -> None:
    parsed = Filter.parse(f"{name} == 007 and not {name} is missing")

    assert parsed.fields == (name.strip("`"),)
    assert parsed.mask({name.strip("`"): np.array([7, 8])}, UIDS[:2], 2).tolist() == [True, False]


def test_text_may_contain_control_characters() -> None:
    columns = {"name": np.array(["a\nb", "a\x00b", "ﬁ", "fi"])}

    for row, value in enumerate(columns["name"]):
        mask = Filter.parse(f'name\n==\n"{value}"').mask(columns, UIDS, 4)
        assert np.flatnonzero(mask).tolist() == [row]


def test_metadata_fields_exclude_uid() -> None:
    assert Filter.parse('uid == "a" and night').metadata_fields == ("night",)


def test_number_with_many_zeros_and_long_list_are_parsed() -> None:
    assert kept("year == " + "0" * 5000 + "2020") == "b"
    assert kept(f"year in [{', '.join(map(str, range(2021, 50_000)))}]") == "cd"
    assert kept(" or ".join(["year == 2019"] * 5000)) == "a"


def test_long_invalid_number_is_rejected_quickly() -> None:
    with pytest.raises(ExpressionError, match="expected a value at character 6"):
        Filter.parse("a == " + "1" * 100_000 + "a")


def test_only_deep_nesting_is_rejected() -> None:
    assert kept("(" * 49 + "night" + ")" * 49) == "ac"
    assert kept("not (" * 24 + "night" + ")" * 24) == "ac"
    expect_refusal("expected at most 50 nested conditions", "(" * 5000 + "night")
    expect_refusal("expected at most 50 nested conditions", "not " * 5000 + "night")


def test_filter_of_another_type_is_rejected() -> None:
    with pytest.raises(ExpressionError, match="expected text, got 3"):
        Filter.parse(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('wether == "rain"', "expected a metadata field, found 'wether'"),
        ("city < 3", "field 'city' holds text and cannot"),
        ("weather >= 3", "field 'weather' holds text and cannot"),
        ('year == "2020"', "cannot be compared with the text '2020'"),
        ("city in [1, 2]", "field 'city' holds text and cannot"),
        ("weather", "cannot be used as a condition by itself"),
        ("year == true", "cannot be compared with true, found 2019"),
        ("box == 1", "cannot be compared with the number 1"),
    ],
)
def test_expression_incompatible_with_columns_is_rejected(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(message)):
        kept(text)


def test_mixed_column_names_first_mismatching_datum() -> None:
    columns = {"year": objects(None, 2020, "2021", "n/a")}

    with pytest.raises(ExpressionError, match="field 'year' holds text and cannot"):
        Filter.parse("year > 2000").mask(columns, UIDS, 4)


def test_timedeltas_are_rejected_with_their_type() -> None:
    columns = {"age": np.array([3], dtype="timedelta64[D]")}

    with pytest.raises(ExpressionError, match="cannot be compared with the text '3'"):
        Filter.parse('age == "3"').mask(columns, UIDS[:1], 1)


def test_column_of_another_length_is_rejected() -> None:
    with pytest.raises(SchemaError, match="expected 2 values of field 'year'"):
        Filter.parse("year > 3").mask(COLUMNS, UIDS[:2], 2)


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS = st.integers(-3, 3) | st.sampled_from([-0.5, 0.5, 1.0])


@given(st.lists(st.none() | NUMBERS, min_size=1), st.sampled_from(sorted(OPERATORS)), NUMBERS)
def test_comparison_equals_python_per_datum(values: list[Any], symbol: str, number: float) -> None:
    uids = np.arange(len(values))

    found = Filter.parse(f"x {symbol} {number}").mask({"x": objects(*values)}, uids, len(values))

    compare = OPERATORS[symbol]
    assert found.tolist() == [value is not None and compare(value, number) for value in values]


@given(st.text(alphabet="ab1.\"'`\\()[],=<>! &|orinst"))
def test_any_text_parses_or_raises_expression_error(text: str) -> None:
    refusals = []

    try:
        Filter.parse(text)
    except ExpressionError as error:
        refusals.append(str(error))

    assert all(refusal.startswith("filter ") for refusal in refusals)
