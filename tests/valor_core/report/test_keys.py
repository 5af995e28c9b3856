from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core import Result, Undefined
from valor_core.report.keys import flat_keys, key_text, pairs, safe


def result(value: Any, /, **parameters: Any) -> Result:
    return Result(type="Recall", parameters=parameters, value=value)


def test_every_number_has_a_key_with_what_tells_it_apart() -> None:
    results = [
        result(0.5, label="cat", hardmax=True, score_threshold=None),
        result({"x": [0, 1], "area": 1, "open": True}, bins=[1, 2]),
        result(Undefined("why"), label="dog"),
    ]

    assert flat_keys(results, "val/") == {
        "val/Recall/label:cat/hardmax:true/score_threshold:null": 0.5,
        "val/Recall/bins:1 2/area": 1.0,
    }


def test_numbers_of_a_slice_have_it_in_their_keys() -> None:
    whole = result({"tp": 1}, label="cat")
    rain = whole.in_slice({"weather": "rain", "night": True})

    assert flat_keys([whole, rain]) == {
        "Recall/label:cat/tp": 1.0,
        "Recall/weather:rain/night:true/label:cat/tp": 1.0,
    }


def test_a_label_has_the_same_key_whatever_other_labels_there_are() -> None:
    labels = ["日", "Köln", "n/a", "n_a", "n_x002F_a", "white/rosé", "e\u0301", "+", "-"]
    results = {label: result(number, label=label) for number, label in enumerate(labels)}

    alone = [key for one in results.values() for key in flat_keys([one])]

    assert alone == list(flat_keys(results.values())) == list(dict.fromkeys(alone))
    assert alone[:3] == ["Recall/label:日", "Recall/label:Köln", "Recall/label:n_x002F_a"]


def test_keys_of_other_ascii_labels_are_the_labels() -> None:
    for label in ("cat", "ice_cream", "n-1", "v1.5", "a:b", "traffic light", "x1_y2"):
        assert list(flat_keys([result(0.5, label=label)])) == [f"Recall/label:{label}"]


def test_numbers_that_nothing_tells_apart_are_all_kept() -> None:
    results = [result(number, label="cat") for number in range(3)]

    assert flat_keys(results) == {
        "Recall/label:cat": 0.0,
        "Recall/label:cat 2": 1.0,
        "Recall/label:cat 3": 2.0,
    }


values = st.one_of(st.text(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))


@given(st.lists(st.tuples(st.text(), values | st.lists(st.text())), max_size=5))
def test_keys_have_no_other_characters_than_trackers_take(
    parameters: list[tuple[str, Any]],
) -> None:
    results = [result(0.5, **{name: value}) for name, value in parameters]

    flat = flat_keys(results, "val/")

    assert len(flat) == len(parameters)
    assert all(re.fullmatch(r"[\w\-. :/]+", key) for key in flat)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "null"), (False, "false"), (0.5, "0.5"), ("a b", "a b"), ([1, None], "1 null")],
)
def test_a_value_is_written_as_people_would_write_it(value: Any, text: str) -> None:
    assert key_text(value) == text
    assert pairs({"name": value}) == [f"name:{text}"]


def decoded(part: str) -> str:
    return re.sub(r"_x([0-9A-F]{4,6})_", lambda found: chr(int(found[1], 16)), part)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("ice_cream-2.5: x", "ice_cream-2.5: x"),
        ("Köln", "Köln"),
        ("日本", "日本"),
        ("n/a", "n_x002F_a"),
        ("e\u0301", "e_x0301_"),
        ("🙂", "_x1F642_"),
        ("box_x1_y1", "box_x1_y1"),
        ("a_x002F_b", "a_x005F_x002F_b"),
    ],
)
def test_a_part_of_a_key_keeps_letters_and_digits_and_codes_what_trackers_refuse(
    part: str, text: str
) -> None:
    assert safe(part) == text
    assert decoded(text) == part


@given(st.text() | st.text(alphabet="_x02F/é"))
def test_no_two_parts_of_keys_become_one(part: str) -> None:
    assert decoded(safe(part)) == part
    assert re.fullmatch(r"[\w\-.: ]*", safe(part))
