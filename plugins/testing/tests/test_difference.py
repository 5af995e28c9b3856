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
def test_value_equals_itself(value: Any) -> None:
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
def test_first_difference_has_path(one: Any, other: Any, place: str) -> None:
    found = difference(one, other)

    assert found is not None
    assert found.place == place


def test_missing_key_is_shown_as_missing() -> None:
    found = difference({"a": 1}, {})

    assert found is not None
    assert found.described("here", "there") == "a is 1 here and missing there"


def test_difference_of_scalars_has_no_path() -> None:
    assert Difference("", 1, 2).described("here", "there") == "it is 1 here and 2 there"


@define
class Box:
    values: Any


class Plain:
    def __init__(self, number: int) -> None:
        self.number = number


def test_content_is_deep_copy() -> None:
    tags = [["a"], {"b": {1, 2}}]
    column = np.empty(2, dtype=object)
    column[:] = tags
    value = {"box": Box(np.arange(3)), "column": column, "plain": Plain(1)}
    before = content(value)
    assert difference(before, content(value)) is None

    tags[0].append("c")  # type: ignore[attr-defined]
    found = difference(before, content(value))

    assert found == Difference("column.values[0].length", 1, 2)


def test_content_covers_objects_and_arrays() -> None:
    value = {"box": Box(np.arange(3)), "plain": Plain(1)}
    before = content(value)

    value["box"].values[1] = 7
    assert difference(before, content(value)) == Difference("box.values.values[1]", 1, 7)

    value["box"].values[1] = 1
    value["plain"].number = 2
    found = difference(before, content(value))
    assert found is not None
    assert found.place == "plain"


def test_unpicklable_values_are_compared_by_identity() -> None:
    one, other = (lambda: 1), (lambda: 1)

    assert difference(content(one), content(one)) is None
    assert difference(content(one), content(other)) is not None


def test_single_pixel_of_large_image_is_difference() -> None:
    image = np.zeros((100, 100), np.uint8)
    other = image.copy()
    other[99, 99] = 1

    assert difference(content(image), content(image.copy())) is None
    assert difference(content(image), content(other)) is not None
