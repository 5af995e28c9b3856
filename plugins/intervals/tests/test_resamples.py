import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, poisson
from valor_intervals.bootstrap import bca_interval
from valor_intervals.estimates import interval_of
from valor_intervals.resamples import decoded_resamples, encoded_resamples, poisson_weights
from valor_intervals.student import student_quantile
from valor_intervals.weighted_states import exact_total

from valor_core.specs import Range


def test_weights_are_poisson_numbers_with_mean_one() -> None:
    weights = poisson_weights(0, range(100), 1000)

    shares = np.bincount(weights.ravel(), minlength=8)[:8] / weights.size
    # The standard error of a share is at most 0.0016.
    assert shares == pytest.approx(poisson.pmf(range(8), 1), abs=0.006)
    assert abs(np.corrcoef(weights[:, :20], rowvar=False) - np.eye(20)).max() < 0.15
    assert abs(np.corrcoef(weights[:20]) - np.eye(20)).max() < 0.5


def test_weights_depend_on_seed_group_and_resample_alone() -> None:
    weights = poisson_weights(3, [5, 8, 2], 50)

    assert (poisson_weights(3, [2, 5], 20) == weights[:20, [2, 0]]).all()
    assert (poisson_weights(4, [5, 8, 2], 50) != weights).any()


def test_weights_have_the_same_bits_on_every_machine() -> None:
    assert poisson_weights(0, [0, 1, 2], 4).tolist() == [[1, 0, 1], [3, 1, 1], [1, 2, 1], [2, 0, 3]]


@given(st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), min_size=1))
def test_kept_numbers_differ_by_less_than_a_step(numbers: list[float]) -> None:
    column = np.array(numbers)
    found = decoded_resamples(encoded_resamples(column))

    assert (np.isnan(found) == np.isnan(column)).all()
    defined = column[~np.isnan(column)]
    if len(defined):
        step = (defined.max() - defined.min()) / 65534
        assert abs(found[~np.isnan(found)] - defined).max() <= step / 2 + 1e-9


def test_unbiased_symmetric_resamples_have_quantiles_as_ends() -> None:
    resampled = np.linspace(0, 1, 9999)
    without = np.concatenate([np.full(200, 0.49), np.full(200, 0.51)])
    low, high = bca_interval(0.5, resampled, without, 0.9)

    tail = norm.cdf(-student_quantile(0.9, 399) * math.sqrt(400 / 399))
    assert low == pytest.approx(tail, abs=1e-4)
    assert high == pytest.approx(1 - tail, abs=1e-4)


def test_bca_interval_by_its_formula() -> None:
    # 70 % of the resamples are below the number: the bias is the normal quantile of 0.7.
    resampled = np.linspace(0, 1, 1000)
    without = np.array([1.0, 1.0, 1.0, 2.0] * 25)  # the influences are 0.25, 75 times, and -0.75
    low, _ = bca_interval(0.7, resampled, without, 0.95)

    bias = norm.ppf(0.7)
    skewness = (75 * 0.25**3 - 25 * 0.75**3) / (6 * (75 * 0.25**2 + 25 * 0.75**2) ** 1.5)
    z = bias - student_quantile(0.95, 99) * math.sqrt(100 / 99)
    assert low == pytest.approx(norm.cdf(bias + z / (1 - skewness * z)), abs=0.002)


def test_number_that_many_resamples_lack_has_no_interval() -> None:
    resampled = np.array([0.4, 0.6] * 49 + [np.nan] * 2)
    found = interval_of(0.5, np.array([0.45, 0.5, 0.55]), resampled, Range(0, 1), 0.95)

    assert found.interval is None
    assert found.method == "no interval: undefined in 2% of the resamples"


@given(
    st.lists(st.lists(st.integers(-(1 << 200), 1 << 200), min_size=2, max_size=2), min_size=1),
    st.data(),
)
def test_weighted_sums_of_large_integers_are_exact(
    units: list[list[int]], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(units), max_size=len(units)))
    wanted = [sum(w * row[i] for w, row in zip(weights, units, strict=True)) for i in range(2)]

    assert exact_total(units)(np.array(weights, np.float64)) == wanted
