import re

import numpy as np
import pytest

from valor_core.errors import StateError
from valor_core.schemas.label import Label
from valor_core.states.saved_columns import (
    check_same_length,
    saved_column,
    saved_labels,
    saved_number,
    saved_offsets,
    saved_positions,
    saved_uids,
)


@pytest.mark.parametrize(
    ("array", "options", "message"),
    [
        (None, {}, "scores: expected an array, found None"),
        (np.zeros(2, np.float32), {}, "scores: expected an array of float64, found float32"),
        (np.zeros((2, 2)), {}, "scores: expected the shape any, found 2 by 2"),
        (np.zeros(2), {"shape": (3,)}, "scores: expected the shape 3, found 2"),
        (np.array([np.nan]), {}, "scores: expected finite numbers, found nan"),
        (np.array([-1.0]), {"low": 0}, "scores: expected numbers of 0 or more, found -1.0"),
        (np.array([2.0]), {"high": 1}, "scores: expected numbers of at most 1, found 2.0"),
    ],
)
def test_invalid_column_is_rejected(array, options, message: str):
    with pytest.raises(StateError, match=re.escape(message)):
        saved_column({"scores": array}, "scores", np.float64, **options)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([0, 3], "starts: expected the shape 3, found 2"),
        ([1, 2], "starts: expected the shape 3, found 2"),
        ([0, 3, 2], "starts: expected increasing offsets from 0 to 2"),
        ([0, -1, 2], "starts: expected increasing offsets from 0 to 2"),
    ],
)
def test_offsets_must_increase_from_0_to_total(array, message: str):
    with pytest.raises(StateError, match=re.escape(message)):
        saved_offsets({"starts": np.array(array)}, "starts", count=2, total=2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (True, "read: expected a whole number, found True"),
        (1.0, "read: expected a whole number, found 1.0"),
        ("1", "read: expected a whole number, found '1'"),
        (None, "read: expected a whole number, found None"),
    ],
)
def test_number_must_be_an_integer(value, message: str):
    with pytest.raises(StateError, match=re.escape(message)):
        saved_number({"read": value}, "read")


def test_number_below_minimum_is_rejected():
    with pytest.raises(StateError, match="read: expected 0 or more, found -1"):
        saved_number({"read": -1}, "read", low=0)


def test_columns_of_equal_length_are_accepted():
    check_same_length({"labels": [0], "scores": [0.5]})


def test_overflowing_offsets_are_rejected():
    with pytest.raises(StateError, match="starts: expected increasing offsets from 0 to 2"):
        saved_offsets({"starts": np.array([0, 2**63 - 1, -2, 2])}, "starts", count=3, total=2)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([0, 3], "datums: expected numbers of at most 2, found 3"),
        ([-1, 0], "datums: expected numbers of 0 or more, found -1"),
        ([1, 0], "datums: expected ascending numbers"),
    ],
)
def test_positions_must_be_ascending_and_in_range(array, message: str):
    with pytest.raises(StateError, match=re.escape(message)):
        saved_positions({"datums": np.array(array)}, "datums", count=3)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (["a", "a"], "uids: item 'a': expected each uid once, found it 2 times"),
        ([1, 1], "uids: item 1: expected each uid once, found it 2 times"),
        ([0.5], "uids: expected an array of int64, found float64"),
        (["\ud800"], "uids: expected text, found the character 0xd800"),
        (np.array([0x110000], np.uint32).view("U1"), "uids: expected text, found the character"),
        (np.array(["a"], ">U1"), "uids: expected an array of text, found >U1"),
    ],
)
def test_uids_must_be_distinct_strings_or_integers(array, message: str):
    with pytest.raises(StateError, match=re.escape(message)):
        saved_uids({"uids": np.asarray(array)}, "uids")


def test_empty_text_is_accepted():
    assert saved_uids({"uids": np.array([""])}, "uids").tolist() == [""]
    assert saved_uids({"uids": np.empty(0, "U3")}, "uids").tolist() == []


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "labels: expected labels, found None"),
        (["dog"], "labels: expected labels, found ['dog']"),
        ([Label("class", "dog")] * 2, "labels: expected distinct labels, found one twice"),
    ],
)
def test_labels_must_be_distinct(found, message: str):
    with pytest.raises(StateError, match=re.escape(message)):
        saved_labels({"labels": found}, "labels")
