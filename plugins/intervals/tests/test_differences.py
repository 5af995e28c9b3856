import math

import numpy as np
import pytest
from scipy.stats import t as student
from valor_intervals.comparison.significance import holm
from valor_intervals.differences import Pair, decoded, differences, encoded


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
