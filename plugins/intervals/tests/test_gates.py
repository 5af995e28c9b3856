"""Tests whether a number is not worse than in an earlier report."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from valor_intervals.differences import Pair, encoded
from valor_intervals.gates import not_worse
from valor_intervals.student import student_quantile


def pair(differences: list[float], a: float = 0.5) -> Pair:
    """Return a pair whose difference without each group is listed; the first is constant."""
    first = {"without": encoded([a] * len(differences))}
    second = {"without": encoded([a + one for one in differences])}
    return Pair(a, a + sum(differences) / len(differences), first, second)


# Four groups whose differences are 0.02 and 0.04 twice: their mean is 0.03 and the sum of their
# squared deviations 4 * 0.01**2 = 0.0004, so the standard error is sqrt(3 / 4 * 0.0004) = 0.017321.
# The 0.95 quantile of Student's t with 3 degrees of freedom is 2.353363, so the interval of level
# 0.9 is 0.03 - 0.040762 to 0.03 + 0.040762.
GAIN = [0.02, 0.04, 0.02, 0.04]


@pytest.mark.parametrize(
    ("differences", "margin", "expected"),
    [
        (GAIN, 0.0, "unclear"),
        (GAIN, 0.0107, "unclear"),
        (GAIN, 0.0108, "pass"),
        ([-one for one in GAIN], 0.0, "unclear"),
        ([-one for one in GAIN], 0.0708, "pass"),
        ([one - 0.1 for one in GAIN], 0.0, "fail"),
        ([one - 0.1 for one in GAIN], 0.0292, "fail"),
        ([one - 0.1 for one in GAIN], 0.0293, "unclear"),
    ],
)
def test_margin_decides(differences: list[float], margin: float, expected: str) -> None:
    found = not_worse(pair(differences), higher_is_better=True, margin=margin, alpha=0.05)

    assert found is not None
    assert found.outcome == expected


def test_lower_numbers_pass_where_lower_is_better() -> None:
    outcomes = [
        not_worse(pair([sign * one for one in GAIN]), higher_is_better=False, margin=m, alpha=0.05)
        for sign, m in ((-1, 0.0108), (1, 0.0108), (1, 0.0708))
    ]

    assert [one and one.outcome for one in outcomes] == ["pass", "unclear", "pass"]


def test_number_of_items_that_decides() -> None:
    found = not_worse(pair(GAIN), higher_is_better=True, margin=0.0, alpha=0.05)

    # With k times as many items, the interval reaches 0.040762 / sqrt(k) below 0.03.
    reach = student_quantile(0.9, 3) * math.sqrt(3 / 4 * 0.0004)
    assert found is not None
    assert found.times == pytest.approx((reach / 0.03) ** 2)


def test_no_number_of_items_decides_between_equal_numbers() -> None:
    found = not_worse(pair([0.02, -0.02, 0.02, -0.02]), higher_is_better=True, margin=0, alpha=0.05)

    assert found is not None
    assert found.outcome == "unclear"
    assert math.isinf(found.times)


def test_same_model_is_not_worse_than_itself() -> None:
    found = not_worse(pair([0.0] * 4), higher_is_better=True, margin=0, alpha=0.05)

    assert found is not None
    assert (found.outcome, found.low, found.high) == ("pass", 0, 0)


def test_numbers_without_kept_groups_cannot_be_judged() -> None:
    rows: tuple[dict[str, Any], ...] = ({}, {"without": encoded([0.5, 0.5])})

    assert not_worse(Pair(0.5, 0.5, *rows), higher_is_better=True, margin=0, alpha=0.05) is None


def test_a_loss_as_large_as_the_margin_passes_as_seldom_as_alpha_says() -> None:
    random = np.random.default_rng(0)
    groups, trials, margin = 50, 2000, 0.02
    passed = 0
    for _ in range(trials):
        # Means over groups of equal size; without a group, the mean of the others.
        lost = random.normal(-margin, 0.1, groups)
        without = (lost.sum() - lost) / (groups - 1)
        both = Pair(
            0.5,
            0.5 + lost.mean(),
            {"without": encoded([0.5] * groups)},
            {"without": encoded((0.5 + without).tolist())},
        )
        found = not_worse(both, higher_is_better=True, margin=margin, alpha=0.05)
        assert found is not None
        passed += found.outcome == "pass"

    # A share of 0.05 in 2,000 trials has a standard error of 0.0049.
    assert passed / trials == pytest.approx(0.05, abs=3 * 0.0049)
