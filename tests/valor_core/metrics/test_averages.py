from __future__ import annotations

import numpy as np
import pytest

from valor_core.plugin import Undefined, label_coordinates, macro, weighted
from valor_core.schemas.label import Label

COUNTS = np.array([3, 1, 0])


def test_a_result_says_its_label_by_key_and_value() -> None:
    assert label_coordinates(Label("animal", "dog")) == {"label_key": "animal", "label": "dog"}


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        (False, ((1.0 + 0.5) / 2, {"label only in predictions": 1})),
        (True, ((1.0 + 0.5 + 0.0) / 3, {})),
    ],
)
def test_labels_without_ground_truth_are_left_out_of_the_macro_mean_and_counted(
    include: bool, expected: tuple[float, dict[str, int]]
) -> None:
    assert macro([1.0, 0.5, 0.0], COUNTS, include) == expected


def test_what_is_undefined_is_left_out_of_a_mean_and_counted() -> None:
    values = [1.0, Undefined("no predictions"), 0.0]

    assert macro(values, COUNTS) == (
        1.0,
        {"no predictions": 1, "label only in predictions": 1},
    )
    assert weighted(values, COUNTS) == (1.0, {"no predictions": 1})


def test_the_weighted_mean_goes_by_the_number_of_ground_truths() -> None:
    # (3 * 1 + 1 * 0.5) / 4
    assert weighted([1.0, 0.5, 0.25], COUNTS) == (0.875, {})


def test_a_mean_of_nothing_is_undefined() -> None:
    assert weighted([0.5], np.array([0])) == (Undefined("no labels with a value"), {})
    assert macro([], np.array([], np.int64)) == (Undefined("no labels with a value"), {})
