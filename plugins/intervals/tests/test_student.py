"""The quantile of Student's t distribution: tables, and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from valor_intervals import student_quantile


@pytest.mark.parametrize(
    ("level", "degrees", "t"),
    [
        (0.5, 1, 1.0),  # tan(pi / 4)
        (0.5, 2, 0.816497),  # 1 / sqrt(1.5)
        (0.95, 1, 12.706205),  # as printed in every table of t
        (0.95, 2, 4.302653),
        (0.95, 3, 3.182446),
        (0.95, 10, 2.228139),
        (0.99, 30, 2.749996),
    ],
)
def test_it_is_what_tables_have(level: float, degrees: int, t: float) -> None:
    assert student_quantile(level, degrees) == pytest.approx(t, abs=5e-7)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_quantiles_agree_with_scipy_to_twelve_digits(level: float) -> None:
    degrees = [*range(1, 100), *range(100, 2100, 97), 1999, 2000, 10**6]

    ours = np.array([student_quantile(level, each) for each in degrees])

    # Quantiles of SciPy 1.13 have ten digits, its probabilities more. A step of Newton's method
    # converts the errors of probabilities to those of quantiles.
    tails = stats.t.sf(ours, degrees)
    theirs = ours + (tails - (1 - level) / 2) / stats.t.pdf(ours, degrees)
    assert ours.tolist() == pytest.approx(theirs.tolist(), rel=1e-12)


@given(st.integers(1, 10**7))
def test_fewer_items_make_a_wider_interval(degrees: int) -> None:
    wider, narrower = (student_quantile(0.95, n) for n in (degrees, degrees + 1))

    assert wider > narrower or degrees > 10**5
    assert narrower > 1.959963984540054  # the normal quantile
