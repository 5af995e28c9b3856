import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from valor_intervals.comparison.significance import holm
from valor_intervals.differences import Pair, decoded, differences, encoded, group_difference
from valor_intervals.gates import not_worse
from valor_intervals.resamples import encoded_resamples


def row(without: list[float | None]) -> dict[str, object]:
    return {"without": encoded(without)}


def test_difference_by_hand() -> None:
    # Differences without each group: 0.1, 0.2, 0.3, with mean 0.2. The squared deviations sum to
    # 0.02, times 2/3: the error is the root of 0.04/3. Each group changes the difference of 0.21.
    pair = Pair(0.5, 0.71, row([0.5, 0.5, 0.5]), row([0.6, 0.7, 0.8]))

    (found,) = differences([pair], 0.95)

    error = math.sqrt(0.04 / 3)
    assert found is not None
    assert found.low == pytest.approx(0.21 - student.ppf(0.975, 2) * error)
    assert found.p == pytest.approx(2 * student.sf(0.21 / error, 2))
    assert not found.is_clear


def test_items_that_both_models_find_hard_cancel_out() -> None:
    random = np.random.default_rng(0)
    hard = random.normal(size=100)
    first, second = (row((hard + shift).tolist()) for shift in (0.0, 1.0 + hard * 1e-9))
    (found,) = differences([Pair(0.0, 1.0, first, second)], 0.95)

    assert found is not None
    assert found.is_clear
    assert found.high - found.low < 1e-6


def resampled(shift: float, spread: float = 0.0) -> dict[str, Any]:
    """Return 200 groups of symmetric influence, and 999 resamples at equal distances."""
    around = np.tile([-1.0, 1.0], 100) * 0.001 * spread
    numbers = shift + spread * (np.arange(1, 1000) / 1000 - 0.5)
    return {**row((shift + around).tolist()), "resampled": encoded_resamples(numbers)}


def test_difference_of_resamples_by_hand() -> None:
    # The resampled differences are -0.099, -0.098, ..., 0.899. 0 is number 100 of 999, the quantile
    # 100 / (999 + 1) = 0.1, with the normal quantile -1.2816. Divided by sqrt(200 / 199), it is
    # that of Student's distribution with 199 degrees of freedom whose two tails are the p-value.
    pair = Pair(0.5, 0.9, resampled(0.5), resampled(0.9, spread=1.0))

    (found,) = differences([pair], 0.9)

    assert found is not None
    scale = math.sqrt(200 / 199)
    assert found.method == "bootstrap, percentile"
    assert found.p == pytest.approx(2 * student.sf(-norm.ppf(0.1) / scale, 199), abs=1e-4)
    reach = norm.cdf(student.ppf(0.95, 199) * scale) - 0.5
    assert (found.low, found.high) == pytest.approx((0.4 - reach, 0.4 + reach), abs=1e-4)


@pytest.mark.parametrize("difference", [-1.5, -0.9, -0.5, -0.3])
def test_interval_at_the_level_of_the_p_value_ends_at_0(difference: float) -> None:
    random = np.random.default_rng(1)
    numbers = difference + random.gamma(4, 0.2, 2000)
    first = {**row([0.0] * 200), "resampled": encoded_resamples(np.zeros(2000))}
    second = {**row(random.random(200).tolist()), "resampled": encoded_resamples(numbers)}
    pair = Pair(0.0, difference, first, second)

    (found,) = differences([pair], 0.95)
    assert found is not None
    assert 1 / 2000 < found.p < 1
    (at_0,) = differences([pair], 1 - found.p)

    assert at_0 is not None
    assert min(abs(at_0.low), abs(at_0.high)) < 1e-4


def test_difference_with_one_sign_in_all_resamples_has_students_p_value() -> None:
    # The error of the jackknife: 200 squares of 0.001, times 199 / 200.
    pair = Pair(0.0, 0.6, resampled(0.0), resampled(0.6, spread=1.0))
    near, far = differences([pair], 0.95), group_difference(pair, 0.95, resamples=False)

    assert near[0] is not None
    assert far is not None
    assert (near[0].method, far.method) == ("bootstrap, percentile", "jackknife")
    assert near[0].p == far.p == pytest.approx(2 * student.sf(0.6 / 0.001 / math.sqrt(199), 199))
    # A smaller difference relative to its error: at most one of the 999 resamples.
    wide = {**row((0.6 + np.tile([-1.0, 1.0], 100) * 0.05).tolist())}
    (found,) = differences(
        [Pair(0.0, 0.6, resampled(0.0), resampled(0.6, spread=1.0) | wide)], 0.95
    )
    assert found is not None
    assert found.p == pytest.approx(1 / 999)


def test_differences_below_the_precision_of_kept_resamples_are_0() -> None:
    # The two ranges differ, so the same numbers have other codes. A single one of 1,000 differs.
    same = np.random.default_rng(2).random(999)
    first, second = (
        row([0.5, 0.5, last]) | {"resampled": encoded_resamples(np.append(same, one))}
        for last, one in ((0.4, 2.0), (0.5, 3.0))
    )

    (found,) = differences([Pair(0.5, 0.6, first, second)], 0.8)

    assert found is not None
    assert (found.low, found.high, found.p) == (0.0, 0.0, 1.0)


def test_gate_uses_the_resamples_of_both_reports() -> None:
    # The 90 % interval of the difference of 0.4 is about -0.05 to 0.85.
    pair = Pair(0.5, 0.9, resampled(0.5), resampled(0.9, spread=1.0))
    found = not_worse(pair, higher_is_better=True, margin=0.0, alpha=0.05)

    assert found is not None
    assert found.outcome == "unclear"
    assert found.low == pytest.approx(0.4 - 0.45, abs=0.003)
    assert not_worse(pair, higher_is_better=True, margin=0.06, alpha=0.05).outcome == "pass"


@pytest.mark.parametrize(
    "other", [{"resampled": "no base64"}, {}, {"resampled": encoded_resamples(np.zeros(5))}]
)
def test_reports_without_the_same_resamples_leave_out_groups(other: dict[str, Any]) -> None:
    second = row(decoded(resampled(0.9, spread=1.0)["without"]).tolist()) | other
    (found,) = differences([Pair(0.5, 0.9, resampled(0.5), second)], 0.95)

    assert found is not None
    assert found.method == "jackknife"


@pytest.mark.parametrize(
    "second",
    [
        {"without": encoded([0.5])},
        {"without": "no base64"},
        {},
        {"without": encoded([0.5, None])},
    ],
)
def test_unusable_numbers_give_no_difference(second: dict[str, object]) -> None:
    assert differences([Pair(0.5, 0.6, row([0.4, 0.6]), second), None], 0.95) == [None, None]


def test_holm_by_hand() -> None:
    # In rising order 0.01 * 4, 0.02 * 3, 0.03 * 2, 0.5 * 1, each at least the one before.
    assert holm([0.5, 0.02, 0.01, 0.03]) == pytest.approx([0.5, 0.06, 0.04, 0.06])
    assert holm([]) == []


def test_numbers_of_a_report_keep_their_bits() -> None:
    numbers = np.random.default_rng(0).random(100).tolist()

    assert decoded(encoded(numbers)).tolist() == numbers
