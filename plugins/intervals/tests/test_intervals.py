"""Intervals by hand and against statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW
from valor_intervals import Interval, mean_interval, wilson_interval

from valor_core import Undefined
from valor_core.specs import Range

SHARE, GRADE = Range(0, 1), Range(1, 5)


def interval(values: list[float], range: Range = SHARE) -> Interval:
    found = mean_interval(np.array(values), range)
    assert isinstance(found, Interval)
    return found


def test_scores_of_0_and_1_have_wilson_interval() -> None:
    # z = 1.959964, z² = 3.841459, n = 4, p = 0.75:
    # center (0.75 + 3.841459 / 8) / (1 + 3.841459 / 4) = 1.230182 / 1.960365 = 0.627527
    # half   z · sqrt(0.75 · 0.25 / 4 + 3.841459 / 64) / 1.960365
    #        = 1.959964 · sqrt(0.046875 + 0.060023) / 1.960365 = 0.640817 / 1.960365 = 0.326887
    found = interval([1.0, 1.0, 0.0, 1.0])

    assert found.method == "Wilson"
    assert found.low == pytest.approx(0.627527 - 0.326887, abs=2e-6)
    assert found.high == pytest.approx(0.627527 + 0.326887, abs=2e-6)


def test_other_scores_have_student_interval() -> None:
    # mean 0.5; deviations -0.25, 0, 0.25; variance 0.125 / 2 = 0.0625; error 0.25 / sqrt(3)
    # t of 2 degrees of freedom 4.302653: half 4.302653 · 0.144338 = 0.621034: cut at 0 and 1
    found = interval([0.25, 0.5, 0.75])
    assert (found.low, found.high, found.method) == (0.0, 1.0, "Student")

    # mean 3; variance (4 + 1 + 0 + 1 + 4) / 4 = 2.5; error sqrt(0.5) = 0.707107
    # t of 4 degrees of freedom 2.776445: half 1.963243
    found = interval([1, 2, 3, 4, 5], GRADE)
    assert found.low == pytest.approx(3 - 1.963243, abs=1e-6)
    assert found.high == pytest.approx(3 + 1.963243, abs=1e-6)


def test_equal_ratings_of_1_are_not_treated_as_shares() -> None:
    assert mean_interval(np.array([1.0, 1.0, 1.0]), GRADE) == Undefined("equal scores")


@pytest.mark.parametrize(
    ("values", "reason"), [([], "no items"), ([0.5], "one item"), ([0.5, 0.5], "equal scores")]
)
def test_missing_interval_has_a_reason(values: list[float], reason: str) -> None:
    assert mean_interval(np.array(values), SHARE) == Undefined(reason)


def test_one_item_of_0_or_1_has_a_wide_interval() -> None:
    # p = 1, n = 1: low = (1 + z² / 2 - z · z / 2) / (1 + z²) = 1 / (1 + 3.841459)
    found = interval([1.0])

    assert found.low == pytest.approx(1 / 4.841459, abs=1e-6)
    assert found.high == 1.0


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_statsmodels(counts: tuple[int, int]) -> None:
    successes, trials = counts
    found = wilson_interval(successes / trials, trials)
    low, high = proportion_confint(successes, trials, method="wilson")

    assert found == pytest.approx((low, high), rel=1e-12, abs=1e-15)


scores = st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=2, max_size=60)


@given(scores)
def test_student_equals_statsmodels_within_range(values: list[float]) -> None:
    assume(len(set(values)) > 1)
    assume(not set(values) <= {0.0, 1.0})
    found = interval(values)
    low, high = DescrStatsW(values).tconfint_mean()

    assert found.low == pytest.approx(max(low, 0.0), abs=1e-12)
    assert found.high == pytest.approx(min(high, 1.0), abs=1e-12)


@given(scores, st.randoms())
def test_interval_does_not_depend_on_order(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert mean_interval(np.array(shuffled), SHARE) == mean_interval(np.array(values), SHARE)


@given(st.integers(1, 60), st.floats(0.05, 0.95))
def test_interval_contains_mean_and_stays_in_range(count: int, share: float) -> None:
    successes = math.floor(count * share)
    found = interval([1.0] * successes + [0.0] * (count - successes))

    assert 0 <= found.low <= successes / count <= found.high <= 1
