import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import t as student
from valor_intervals.jackknife import estimate

from valor_core.specs import Range


def test_error_of_a_mean_is_the_standard_error() -> None:
    # Without each of 1, 2, 3, 6: means 11/3, 10/3, 3, 2, which have the mean 3. Their squared
    # deviations 4/9 + 1/9 + 0 + 1 = 14/9, times 3/4, are 7/6. The variance of the numbers is
    # (4 + 1 + 0 + 9) / 3 = 14/3, divided by 4 also 7/6.
    found = estimate(3.0, [11 / 3, 10 / 3, 3.0, 2.0], Range(), 0.95)

    assert found.error == pytest.approx(math.sqrt(7 / 6))
    assert found.method == "Student"
    assert found.groups == 3  # the mean without 3 is the mean


def test_degrees_of_freedom_are_groups_that_change_the_number() -> None:
    found = estimate(3.0, [11 / 3, 10 / 3, 3.0, 2.0], Range(), 0.9)

    half = student.ppf(0.95, 2) * math.sqrt(7 / 6)
    assert found.interval == pytest.approx((3 - half, 3 + half))


def test_share_of_independent_items_has_wilsons_interval_of_their_number() -> None:
    # 40 items of which 30 are right. The jackknife's variance of a share is p (1 - p) / (n - 1),
    # so that the size is n - 1, reduced by (1.96 / t)² for 39 degrees of freedom.
    right, count = 30, 40
    without = [(right - 1) / (count - 1)] * right + [right / (count - 1)] * (count - right)
    found = estimate(right / count, without, Range(0, 1), 0.95)

    z, t = student.ppf(0.975, math.inf), student.ppf(0.975, count - 1)
    size, p = (count - 1) * (z / t) ** 2, right / count
    middle = (p + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * math.sqrt(p * (1 - p) / size + z**2 / (4 * size**2))
    assert found.interval == pytest.approx((middle - half, middle + half))
    assert found.method == "Wilson"


def test_interval_stays_in_the_range_of_the_metric() -> None:
    assert estimate(0.5, [0.1, 2.0], Range(0), 0.95).interval[0] == 0  # type: ignore[index]


@pytest.mark.parametrize(
    ("without", "reason"),
    [
        ([0.5], "one group of items"),
        ([0.5, None], "undefined without one group of items"),
        ([0.5, 0.5], "the same without any group of items"),
        ([0.5, 0.5, 0.25], "it depends on one group of items"),
    ],
)
def test_number_without_an_interval_has_a_reason(without: list[float | None], reason: str) -> None:
    found = estimate(0.5, without, Range(0, 1), 0.95)

    assert (found.interval, found.method) == (None, f"no interval: {reason}")


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.floats(0, 1))
@example([0.0, 1e-301], 0.5)  # the squares of the differences are 0
def test_interval_contains_the_number(without: list[float], value: float) -> None:
    found = estimate(value, without, Range(0, 1), 0.95)

    if found.interval is not None:
        low, high = found.interval
        assert 0 <= low <= value + 1e-12
        assert value - 1e-12 <= high <= 1


def test_error_of_a_mean_equals_that_of_its_items() -> None:
    scores = np.random.default_rng(0).normal(size=50)
    without = [float(np.delete(scores, i).mean()) for i in range(50)]

    found = estimate(float(scores.mean()), without, Range(), 0.95)

    assert found.error == pytest.approx(scores.std(ddof=1) / math.sqrt(50))
