from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest
from valor_classification.readers.classes import (
    class_codes,
    class_column,
    class_names,
    plain_array,
)

from valor_core.errors import SchemaError


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ([2, 0], [2, 0]),
        ([2.0, 0.0], [2, 0]),
        (np.array([2, 0.0], object), [2, 0]),
        ([2, 0.0], [2, 0]),
        ([2**53 - 1, 0.0], [2**53 - 1, 0]),
        (np.array([2, 0], np.uint8), [2, 0]),
        ([2**63 - 1, 0], [2**63 - 1, 0]),
        (np.array(["dog", "2"], object), ["dog", "2"]),
        (["dog", "cat"], ["dog", "cat"]),
        ([True, False], [True, False]),
        ([], []),
    ],
)
def test_class_has_one_name_in_arrays_of_any_type(values: Any, column: list[Any]) -> None:
    assert class_column(values, "y_true").tolist() == column


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", None], "y_true[1]: expected a class as text or number, got None"),
        ([1.0, float("nan")], "y_true[1]: expected a class as text or number, got nan"),
        ([b"a"], "y_true[0]: expected a class as text or number, got b'a'"),
        (np.array([0, {}], object), "y_true[1]: expected a class as text or number, got {}"),
        ([[0], [1, 2]], "y_true: expected rows of one length, got [[0], [1, 2]]"),
        (
            np.ma.masked_array(["a", "b"], [True, False]),
            "y_true[0]: expected a value, found a masked one",
        ),
    ],
)
def test_a_missing_class_names_its_place(values: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        class_column(values, "y_true")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([float("nan"), "a"], "y_true[0]: expected a class as text or number, got nan"),
        (("a", float("nan")), "y_true[1]: expected a class as text or number, got nan"),
        ([1, 2, "a"], "y_true[2]: expected a number like the values before it, got 'a'"),
        (["a", 1.0], "y_true[1]: expected text like the values before it, got 1.0"),
        ([True, 2], "y_true[1]: expected true or false like the values before it, got 2"),
        ([2.0, 2**53 + 1], "y_true[1]: expected a class as text or number, got 9007199254740993,"),
        ([2**70], "y_true[0]: expected a class in 64 bits, got 1180591620717411303424"),
        ([1, 2**63], "y_true[1]: expected a class as text or number, got 9223372036854775808,"),
        (
            np.array([2**63], np.uint64),
            "y_true[0]: expected a class in 64 bits, got 9223372036854775808",
        ),
        ([1.0, 1.5], "y_true[1]: expected a class as text or whole number, got 1.5"),
        ([1e300], "y_true[0]: expected a class as text or whole number, got 1e+300"),
        ([float("inf")], "y_true[0]: expected a class as text or whole number, got inf"),
        ([0, 2.0**53], "expected a class as text or whole number, got 9007199254740992.0"),
        ([["a", 1], ["b", "c"]], "y_true[0, 1]: expected text like the values before it, got 1"),
        (
            np.array([1, "a"], object),
            "y_true[1]: expected a number like the values before it, got 'a'",
        ),
        ([1j], "y_true[0]: expected a class as text or number, got 1j"),
    ],
)
def test_list_of_mixed_values_never_becomes_text(values: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        class_column(values, "y_true")


class Animal(str, Enum):  # noqa: UP042 - Python 3.11's StrEnum is its own text
    CAT = "cat"
    HORSE = "horse"


@pytest.mark.parametrize("make", [list, tuple, lambda cells: np.array(cells, object)])
def test_members_of_a_text_enum_are_their_texts(make: Callable[[Any], Any]) -> None:
    column = class_column(make([Animal.CAT, Animal.HORSE]), "y_true")

    assert column.tolist() == ["cat", "horse"]


def test_a_mask_that_hides_nothing_is_nothing() -> None:
    assert plain_array(np.ma.masked_array([1, 2], [False, False]), "y_true").tolist() == [1, 2]


def test_columns_are_named_by_their_numbers_or_by_labels() -> None:
    assert class_names(None, 3).tolist() == [0, 1, 2]
    assert class_names(["a", "b"], 2).tolist() == ["a", "b"]
    for labels in (["a"], [["a", "b"]], "ab"):
        with pytest.raises(
            SchemaError,
            match="labels: expected a class for each of the 2 columns of y_score, got 1",
        ):
            class_names(labels, 2)


def test_text_is_sorted_only_where_every_class_shows() -> None:
    names, codes = class_codes(np.array(["c", "a", "b", "a"]), None, 3)

    assert (names.tolist(), codes.tolist()) == (["a", "b", "c"], [2, 0, 1, 0])
    for shown in (["c", "a"], ["a", "b", "c", "d"]):
        with pytest.raises(
            SchemaError, match="y_true: expected all 3 classes of the columns of y_score, found"
        ):
            class_codes(np.array(shown), None, 3)


def test_numbers_are_never_taken_for_sorted_classes() -> None:
    assert class_codes(np.array([1, 2]), None, 3)[1].tolist() == [1, 2]
    with pytest.raises(
        SchemaError, match=r"y_true\[1\]: expected the number of a column of y_score, 0 to 2, got 3"
    ):
        class_codes(np.array([1, 3, 2]), None, 3)


def test_no_true_classes_have_no_codes() -> None:
    assert class_codes(np.array([]), None, 3)[1].tolist() == []
    assert class_codes(np.array([], "U1"), ["a", "b"], 2)[1].tolist() == []
    assert class_codes(np.array([], np.int64), None, 0)[1].tolist() == []


def test_what_makes_no_array_says_why() -> None:
    class Elsewhere:
        def __array__(self, *_: Any, **__: Any) -> Any:
            raise TypeError("Use Tensor.cpu() to copy the tensor to host memory first.")

    with pytest.raises(SchemaError, match="y_score: expected an array, got"):
        plain_array(Elsewhere(), "y_score")
