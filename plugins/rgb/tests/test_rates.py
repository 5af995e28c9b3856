from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from valor_rgb.metrics.outcome_counts import Share


def test_interval_equals_hand_calculation() -> None:
    # z = 1.959964, z² = 3.841459, p = 8 / 10, n = 10; 1 + z² / n = 1.384146
    # middle = (0.8 + 3.841459 / 20) / 1.384146 = 0.992073 / 1.384146 = 0.716740
    # half = 1.959964 / 1.384146 * sqrt(0.8 * 0.2 / 10 + 3.841459 / 400)
    #      = 1.416010 * sqrt(0.016 + 0.00960365) = 1.416010 * 0.160011 = 0.226577
    low, high = Share(8, 10).interval(0.95)

    assert low == pytest.approx(0.716740 - 0.226577, abs=2e-6)
    assert high == pytest.approx(0.716740 + 0.226577, abs=2e-6)


@given(st.integers(1, 500).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_an_interval_is_that_of_scipy(confidence: float, counts: tuple[int, int]) -> None:
    low, high = Share(*counts).interval(confidence)

    found = binomtest(*counts).proportion_ci(confidence, method="wilson")
    # Two ways to round the same formula.
    assert low == pytest.approx(found.low, abs=1e-14)
    assert high == pytest.approx(found.high, abs=1e-14)
    assert low is not None
    assert high is not None
    assert 0 <= low <= counts[0] / counts[1] <= high <= 1


def test_at_the_ends_the_bound_is_the_end() -> None:
    assert Share(0, 7).interval(0.95)[0] == 0.0
    assert Share(7, 7).interval(0.95)[1] == 1.0


def test_a_rate_of_nothing_has_no_value() -> None:
    assert Share(0, 0).value is None
    assert Share(0, 0).record(0.95) == {
        "rate": None,
        "low": None,
        "high": None,
        "numerator": 0,
        "denominator": 0,
    }
