from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from valor_core import Result, Undefined
from valor_core.report.entries import entries_of, flat_keys


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


def test_the_numbers_of_a_table_are_entries_unless_they_are_too_many_for_columns() -> None:
    few, many = (result({f"n{i}": i for i in range(count)}) for count in (12, 13))

    assert [entry.part for entry in entries_of([few])] == [f"n{i}" for i in range(12)]
    assert list(entries_of([many])) == []
    assert len(flat_keys([many])) == 13


def test_a_table_of_nulls_has_an_entry_for_each() -> None:
    assert [entry.value for entry in entries_of([result({"AP": None, "AR": None})])] == [None, None]
