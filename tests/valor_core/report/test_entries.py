from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from valor_core import Result, Undefined
from valor_core.results.entries import Entry, entries_of, flat_keys


def result(value: Any, /, **parameters: Any) -> Result:
    return Result(type="Recall", parameters=parameters, value=value)


def test_every_number_has_key_with_its_parameters() -> None:
    results = [
        result(0.5, label="cat", hardmax=True, score_threshold=None),
        result({"x": [0, 1], "area": 1, "open": True}, bins=[1, 2]),
        result(Undefined("why"), label="dog"),
    ]

    assert flat_keys(results, "val/") == {
        "val/Recall/label:cat/hardmax:true/score_threshold:null": 0.5,
        "val/Recall/bins:1 2/area": 1.0,
    }


def test_keys_contain_the_slice() -> None:
    whole = result({"tp": 1}, label="cat")
    rain = whole.in_slice({"weather": "rain", "night": True})

    assert flat_keys([whole, rain]) == {
        "Recall/label:cat/tp": 1.0,
        "Recall weather:rain night:true/label:cat/tp": 1.0,
    }


def test_key_of_label_is_independent_of_other_labels() -> None:
    labels = ["日", "Köln", "n/a", "n_a", "n_x002F_a", "white/rosé", "e\u0301", "+", "-"]
    results = {label: result(number, label=label) for number, label in enumerate(labels)}

    alone = [key for one in results.values() for key in flat_keys([one])]

    assert alone == list(flat_keys(results.values())) == list(dict.fromkeys(alone))
    assert alone[:3] == ["Recall/label:日", "Recall/label:Köln", "Recall/label:n_x002F_a"]


def test_keys_of_other_ascii_labels_are_the_labels() -> None:
    for label in ("cat", "ice_cream", "n-1", "v1.5", "a:b", "traffic light", "x1_y2"):
        assert list(flat_keys([result(0.5, label=label)])) == [f"Recall/label:{label}"]


def test_numbers_with_equal_parameters_are_all_kept() -> None:
    results = [result(number, label="cat") for number in range(3)]

    assert flat_keys(results) == {
        "Recall/label:cat": 0.0,
        "Recall/label:cat 2": 1.0,
        "Recall/label:cat 3": 2.0,
    }


values = st.one_of(st.text(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))


@given(st.lists(st.tuples(st.text(), values | st.lists(st.text())), max_size=5))
def test_keys_use_only_characters_accepted_by_trackers(
    parameters: list[tuple[str, Any]],
) -> None:
    results = [result(0.5, **{name: value}) for name, value in parameters]

    flat = flat_keys(results, "val/")

    assert len(flat) == len(parameters)
    assert all(re.fullmatch(r"[\w\-. :/]+", key) for key in flat)


def test_table_with_few_numbers_has_entries() -> None:
    few, many = (result({f"n{i}": i for i in range(count)}) for count in (13, 14))

    assert [entry.part for entry in entries_of([few])] == [f"n{i}" for i in range(13)]
    assert list(entries_of([many])) == []
    assert len(flat_keys([many])) == 14


def test_table_of_nulls_has_an_entry_for_each() -> None:
    assert [entry.value for entry in entries_of([result({"AP": None, "AR": None})])] == [None, None]


def f1(value: float, /, **parameters: Any) -> Result:
    return Result(type="F1", metric="c.F1@1", parameters=parameters, value=value)


def test_short_key_contains_varying_parameters() -> None:
    shared = {"label_key": "class", "hardmax": True}
    results = [
        *(f1(at, label="n/a", average=None, at=at, **shared) for at in (0.25, 0.5)),
        *(f1(at, label=None, average="macro", at=at, **shared) for at in (0.25, 0.5)),
        Result(type="Accuracy", parameters=shared, value=0.75),
        Result(type="Counts", parameters=shared | {"label": "cat"}, value={"tp": 3, "fp": 1}),
    ]
    in_rain = results[4].in_slice({"weather": "rain"})

    assert flat_keys([*results, in_rain], "val/", short=True) == {
        "val/F1/n_x002F_a/at:0.25": 0.25,
        "val/F1/n_x002F_a/at:0.5": 0.5,
        "val/F1/macro/at:0.25": 0.25,
        "val/F1/macro/at:0.5": 0.5,
        "val/Accuracy": 0.75,
        "val/Accuracy weather:rain": 0.75,
        "val/Counts/cat/tp": 3.0,
        "val/Counts/cat/fp": 1.0,
    }


def test_ambiguous_short_keys_are_replaced_by_full_keys() -> None:
    results = [f1(0.25, label="macro"), f1(0.5, average="macro"), f1(0.75, label="cat")]
    silent = [f1(0.25, label="cat"), f1(0.5, label="cat", at=1)]

    assert list(flat_keys(results, short=True)) == ["F1/label:macro", "F1/average:macro", "F1/cat"]
    assert list(flat_keys(silent, short=True)) == ["F1/label:cat", "F1/cat/at:1"]


def test_key_of_slice_is_not_below_key_of_all_datums() -> None:
    whole = [
        Result(type="Accuracy", value=0.5),
        Result(type="F1", parameters={"average": "macro"}, value=0.5),
        Result(type="Counts", parameters={"label": "cat"}, value={"tp": 1, "fp": 2}),
    ]
    slices = [{"site": "east"}, {"site": "n/a"}, {"site": "east", "ink": "light"}, {"ink": None}]
    found = [*whole, *(one.in_slice(where) for where in slices for one in whole)]

    for short in (True, False):
        keys = flat_keys(found, "val/", short=short)
        assert len(keys) == 4 * (1 + len(slices))
        assert not [key for key in keys for other in keys if other.startswith(f"{key}/")]


def test_interval_that_is_no_pair_of_numbers_has_no_ends() -> None:
    for interval in (None, "ab", [0.5]):
        damaged = Result(value=0.5, details={"confidence": {"interval": None, "method": "none"}})
        damaged.details["confidence"]["interval"] = interval
        assert Entry(damaged, "", 0.5).ends == {}
