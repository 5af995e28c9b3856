from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import define
from cases import for_each
from valor_testing.difference import Difference, content, difference


@pytest.mark.parametrize(
    "value",
    [1, 0.5, "a", None, True, [1, (2, "b")], {"a": {"b": [0.1]}}, float("nan"), b"a"],
)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert difference(value, value) is None
    assert difference(content(value), content(value)) is None


@for_each(
    ("one", "other", "place"),
    [
        (1, 2, ""),
        (1, 1.0, ""),
        (0.0, -0.0, ""),
        (True, 1, ""),
        (float("nan"), 1.0, ""),
        ([1, 2], [1, 3], "[1]"),
        ([1], [1, 2], "length"),
        ([[1], [1]], [[1], [1, 2]], "[1].length"),
        ({"a": {"b": [0.5]}}, {"a": {"b": [0.25]}}, "a.b[0]"),
        ({"a": 1}, {}, "a"),
        ({}, {"a": 1}, "a"),
        ([1], {"a": 1}, ""),
    ],
)
def test_the_first_difference_is_placed(one: Any, other: Any, place: str) -> None:
    found = difference(one, other)

    assert found is not None
    assert found.place == place


def test_a_missing_key_is_called_missing() -> None:
    found = difference({"a": 1}, {})

    assert found is not None
    assert found.described("here", "there") == "a is 1 here and missing there"


def test_a_difference_of_whole_values_is_described_without_a_place() -> None:
    assert Difference("", 1, 2).described("here", "there") == "it is 1 here and 2 there"


@define
class Box:
    values: Any


class Plain:
    def __init__(self, number: int) -> None:
        self.number = number


def test_content_is_a_copy_that_changes_do_not_reach() -> None:
    tags = [["a"], {"b": {1, 2}}]
    column = np.empty(2, dtype=object)
    column[:] = tags
    value = {"box": Box(np.arange(3)), "column": column, "plain": Plain(1)}
    before = content(value)
    assert difference(before, content(value)) is None

    tags[0].append("c")  # type: ignore[attr-defined]
    found = difference(before, content(value))

    assert found == Difference("column.values[0].length", 1, 2)


def test_a_change_within_an_object_or_an_array_is_seen() -> None:
    value = {"box": Box(np.arange(3)), "plain": Plain(1)}
    before = content(value)

    value["box"].values[1] = 7
    assert difference(before, content(value)) == Difference("box.values.values[1]", 1, 7)

    value["box"].values[1] = 1
    value["plain"].number = 2
    found = difference(before, content(value))
    assert found is not None
    assert found.place == "plain"


def test_what_cannot_be_copied_is_told_by_its_name() -> None:
    one, other = (lambda: 1), (lambda: 1)

    assert difference(content(one), content(one)) is None
    assert difference(content(one), content(other)) is not None


def test_one_pixel_of_many_is_a_difference() -> None:
    image = np.zeros((100, 100), np.uint8)
    other = image.copy()
    other[99, 99] = 1

    assert difference(content(image), content(image.copy())) is None
    assert difference(content(image), content(other)) is not None
