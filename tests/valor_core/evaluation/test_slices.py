from __future__ import annotations

import datetime
import json
import math
import re
from typing import Any

import numpy as np
import pytest

from valor_core.errors import ConfigError, SchemaError
from valor_core.evaluation import Slices
from valor_core.evaluation.slices import slice_from_json
from valor_core.schemas.datum import Datums
from valor_core.schemas.slice_values import slice_to_json
from valor_core.schemas.text.batch import Text, TextBatch


def batch(*facts: dict[str, Any]) -> TextBatch:
    return TextBatch.of(Text(i, response="x", metadata=fact) for i, fact in enumerate(facts))


def split(slices: Slices, data: TextBatch) -> dict[Any, list[int]]:
    return {key: data.datums.uids[places].tolist() for key, places in slices.split(data)}


def test_batch_is_not_split_without_slices() -> None:
    assert split(Slices(), batch({"a": 1}, {"a": 2})) == {(): [0, 1]}


def test_batch_is_split_by_combinations_of_all_fields() -> None:
    data = batch({"a": "x", "b": 1}, {"a": "y", "b": 1}, {"a": "x", "b": 1}, {"a": "x", "b": 2})

    assert split(Slices(["a", ["a", "b"]]), data) == {
        ("x", 1): [0, 2],
        ("y", 1): [1],
        ("x", 2): [3],
    }


def test_missing_values_form_a_slice() -> None:
    data = batch({"a": "x"}, {}, {"a": None})

    assert split(Slices(["a"]), data) == {("x",): [0], (None,): [1, 2]}


def test_nan_is_a_missing_value() -> None:
    data = batch({"a": 1.5}, {"a": math.nan}, {"a": float("nan")}, {"a": None})

    assert split(Slices(["a"]), data) == {(1.5,): [0], (None,): [1, 2, 3]}


def test_values_are_converted_for_json() -> None:
    data = batch({"a": datetime.date(2024, 1, 2)}, {"a": np.int64(3)}, {"a": math.inf})

    keys = list(split(Slices(["a"]), data))

    assert json.dumps(keys) == '[["2024-01-02"], [3], ["inf"]]'


@pytest.mark.parametrize(
    ("unit", "name"), [("D", "2024-01-02"), ("us", "2024-01-02 00:00:00"), ("ns", None)]
)
def test_numpy_dates_become_dates(unit: str, name: str | None) -> None:
    column = np.array(["2024-01-02", "NaT", "2024-01-02"], dtype=f"datetime64[{unit}]")
    data = TextBatch(Datums(["a", "b", "c"], {"day": column}), *[[None] * 3] * 2, *[[()] * 3] * 3)

    assert split(Slices(["day"]), data) == {
        (name or "2024-01-02 00:00:00",): ["a", "c"],
        (None,): ["b"],
    }


@pytest.mark.parametrize("year", [2020, 2020.0, np.float32(2020), np.int64(2020)])
def test_integers_of_all_types_name_the_same_slice(year: Any) -> None:
    keys = list(split(Slices(["year"]), batch({"year": year})))

    assert json.dumps(keys) == "[[2020]]"


def test_fractions_and_huge_numbers_stay_floats() -> None:
    keys = list(split(Slices(["x"]), batch({"x": 0.5}, {"x": 1e300})))

    assert json.dumps(keys) == "[[0.5], [1e+300]]"


def test_single_field_needs_no_list() -> None:
    assert Slices("weather").fields == ("weather",)


def test_slices_are_sorted_groups_of_combinations() -> None:
    slices = Slices(["b", ["a", "b"]])
    keys = [(2, "x"), (10, "x"), (None, "y")]

    groups = list(slices.groups([(b, a) for b, a in keys]))

    assert groups == [
        ({"b": 2}, [(2, "x")]),
        ({"b": 10}, [(10, "x")]),
        ({"b": None}, [(None, "y")]),
        ({"a": "x", "b": 2}, [(2, "x")]),
        ({"a": "x", "b": 10}, [(10, "x")]),
        ({"a": "y", "b": None}, [(None, "y")]),
    ]


def test_marginal_includes_all_matching_combinations() -> None:
    slices = Slices(["a", "b"])

    groups = list(slices.groups([("x", 1), ("y", 1), ("x", 2)]))

    assert ({"a": "x"}, [("x", 1), ("x", 2)]) in groups
    assert ({"b": 1}, [("x", 1), ("y", 1)]) in groups


def test_mixed_values_sort_numbers_first_and_missing_last() -> None:
    slices = Slices(["a"])

    groups = slices.groups([("b",), (None,), (2,), ("a",), (1.5,)])

    assert [where["a"] for where, _ in groups] == [1.5, 2, "a", "b", None]


def test_too_many_combinations_are_rejected_with_count() -> None:
    slices = Slices(["a", "b"], at_most=2)

    slices.check([(1, 1), (1, 2), (1, 1)])
    with pytest.raises(
        ConfigError, match="slices: expected at most 2 combinations of a, b, found 3 so far"
    ):
        slices.check([(1, 1), (1, 2), (2, 1)])


def test_batch_without_field_is_a_slice_of_missing_values() -> None:
    assert split(Slices(["weather"]), batch({"city": "Oslo"})) == {(None,): [0]}


def test_empty_batch_has_no_slices() -> None:
    assert split(Slices(["a"]), batch()) == {}


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ([[]], "slices[0]: expected at least one field, found none"),
        (["a", []], "slices[1]: expected at least one field, found none"),
        ([["a", "b", "a"]], "slices[0]: expected each field once, found a, b, a"),
    ],
)
def test_empty_or_repeated_combination_is_rejected(wanted: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        Slices(wanted)


def test_duplicate_slice_is_reported_once() -> None:
    assert Slices(["a", ["a"], "b"]).wanted == (("a",), ("b",))


@pytest.mark.parametrize("facts", [(True, 1, 0, False), (1, True, False, 0)])
def test_true_and_one_are_different_slices(facts: tuple[Any, ...]) -> None:
    slices = Slices(["night"])
    keys = [key for key, _ in slices.split(batch(*({"night": fact} for fact in facts)))]

    assert json.dumps([where for where, _ in slices.groups(keys)]) == (
        '[{"night": 0}, {"night": 1}, {"night": false}, {"night": true}]'
    )
    assert [slice_from_json(slice_to_json(key)) for key in keys] == keys


def test_value_with_lone_surrogate_is_rejected() -> None:
    with pytest.raises(
        SchemaError, match=r"metadata: expected Unicode text, got 'a\\ud800', a lone surrogate"
    ):
        split(Slices(["city"]), batch({"city": "a\ud800"}))
