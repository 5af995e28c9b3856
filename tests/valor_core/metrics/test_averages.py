from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from valor_core.results import (
    Failed,
    Undefined,
    exact_mean,
    macro_mean,
    mean_of_defined,
    ratio,
    ratios,
    weighted_mean,
)

COUNTS = np.array([3, 1, 0])


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        (False, ((1.0 + 0.5) / 2, {"label only in predictions": 1})),
        (True, ((1.0 + 0.5 + 0.0) / 3, {})),
    ],
)
def test_macro_mean_excludes_and_counts_labels_without_ground_truth(
    include: bool, expected: tuple[float, dict[str, int]]
) -> None:
    assert macro_mean([1.0, 0.5, 0.0], COUNTS, include) == expected


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_averages_accept_lists_of_counts(kind: Any) -> None:
    values, counts = kind([1.0, 0.5, 0.0]), kind([3, 1, 0])

    assert macro_mean(values, counts) == (0.75, {"label only in predictions": 1})
    assert weighted_mean(values, counts) == (0.875, {})
    assert mean_of_defined(values, "labels") == (0.5, {})
    assert exact_mean(values) == 0.5
    assert ratios(counts, kind([4, 4, 0]), None) == [0.75, 0.25, None]


def test_mean_excludes_and_counts_undefined_values() -> None:
    values = [1.0, Undefined("no predictions"), 0.0]

    assert macro_mean(values, COUNTS) == (
        1.0,
        {"no predictions": 1, "label only in predictions": 1},
    )
    assert weighted_mean(values, COUNTS) == (1.0, {"no predictions": 1})


def test_weighted_mean_uses_number_of_ground_truths() -> None:
    # (3 * 1 + 1 * 0.5) / 4
    assert weighted_mean([1.0, 0.5, 0.25], COUNTS) == (0.875, {})


def test_macro_mean_without_values_is_undefined() -> None:
    assert weighted_mean([0.5], np.array([0])) == (Undefined("no labels with a value"), {})
    assert macro_mean([], np.array([], np.int64)) == (Undefined("no labels with a value"), {})


def test_ratio_divides() -> None:
    assert ratio(np.int64(1), np.int64(4), 0.0, "why") == 0.25
    assert type(ratio(np.int64(1), np.int64(4), 0.0, "why")) is float


@pytest.mark.parametrize(
    ("zero_division", "expected"), [(0.0, 0.0), (1, 1.0), (None, Undefined("no predictions"))]
)
def test_zero_division_sets_value_of_0_over_0(zero_division: float | None, expected: Any) -> None:
    assert ratio(0, 0, zero_division, "no predictions") == expected


def test_mean_counts_excluded_values_by_reason() -> None:
    values = [0.25, Undefined("no truths"), 0.75, Undefined("no truths"), Failed("no reply")]

    assert mean_of_defined(values, "labels") == (0.5, {"no truths": 2, "no reply": 1})


def test_mean_of_no_numbers_is_undefined() -> None:
    assert mean_of_defined([Undefined("why")], "labels") == (
        Undefined("no labels with a value"),
        {"why": 1},
    )


@pytest.mark.parametrize("count", [2, 3, 6, 7])
def test_mean_does_not_overflow(count: int) -> None:
    assert mean_of_defined([sys.float_info.max] * count, "labels") == (sys.float_info.max, {})
    assert mean_of_defined([-sys.float_info.max] * count, "labels") == (-sys.float_info.max, {})


def test_mean_is_independent_of_order() -> None:
    values = [1e16, 1.0, -1e16, 0.1]

    assert mean_of_defined(values, "labels") == mean_of_defined(values[::-1], "labels")
