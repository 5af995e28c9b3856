import numpy as np
import pytest
from messages import refused

from valor_core.plugin import (
    StateError,
    check_same_length,
    saved_column,
    saved_labels,
    saved_number,
    saved_offsets,
    saved_positions,
    saved_uids,
)
from valor_core.schemas.label import Label


@pytest.mark.parametrize(
    ("array", "options"),
    [
        (None, {}),
        (np.zeros(2, np.float32), {}),
        (np.zeros((2, 2)), {}),
        (np.zeros(2), {"shape": (3,)}),
        (np.array([np.nan]), {}),
        (np.array([-1.0]), {"low": 0}),
        (np.array([2.0]), {"high": 1}),
    ],
)
def test_a_column_that_is_not_as_expected_says_what_is_wrong(array, options):
    with refused(StateError):
        saved_column({"scores": array}, "scores", np.float64, **options)


@pytest.mark.parametrize("array", [[0, 3], [1, 2], [0, 3, 2], [0, -1, 2]])
def test_offsets_rise_from_0_to_the_total(array):
    with refused(StateError):
        saved_offsets({"starts": np.array(array)}, "starts", count=2, total=2)


@pytest.mark.parametrize("value", [True, 1.0, "1", None])
def test_a_number_is_a_whole_one(value):
    with refused(StateError):
        saved_number({"read": value}, "read")


def test_a_number_below_its_least_is_refused():
    with refused(StateError):
        saved_number({"read": -1}, "read", low=0)


def test_columns_of_one_length_are_let_through():
    check_same_length({"labels": [0], "scores": [0.5]})


def test_offsets_whose_differences_do_not_fit_64_bits_are_refused():
    with refused(StateError):
        saved_offsets({"starts": np.array([0, 2**63 - 1, -2, 2])}, "starts", count=3, total=2)


@pytest.mark.parametrize(
    "array",
    [
        [0, 3],
        [-1, 0],
        [1, 0],
    ],
)
def test_positions_are_in_order_and_each_is_one_of_the_things(array):
    with refused(StateError):
        saved_positions({"datums": np.array(array)}, "datums", count=3)


@pytest.mark.parametrize(
    "array",
    [
        ["a", "a"],
        [1, 1],
        [0.5],
        ["\ud800"],
        np.array([0x110000], np.uint32).view("U1"),
        np.array(["a"], ">U1"),
    ],
)
def test_uids_are_text_or_whole_numbers_each_once(array):
    with refused(StateError):
        saved_uids({"uids": np.asarray(array)}, "uids")


def test_text_without_characters_is_text():
    assert saved_uids({"uids": np.array([""])}, "uids").tolist() == [""]
    assert saved_uids({"uids": np.empty(0, "U3")}, "uids").tolist() == []


@pytest.mark.parametrize(
    "found",
    [
        None,
        ["dog"],
        [Label("class", "dog")] * 2,
    ],
)
def test_labels_are_labels_each_once(found):
    with refused(StateError):
        saved_labels({"labels": found}, "labels")
