"""Resampling of items. `plugins/text/tests/test_significance.py` compares it with sacrebleu."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import permutation_test
from valor_intervals.comparison import resampling
from valor_intervals.comparison.resampling import approximate_randomization, means, paired_bootstrap


def scores(*values: float) -> np.ndarray:
    return np.stack([np.array(values, float), np.ones(len(values))], axis=1)


def test_randomization_equals_all_swaps_of_few_items() -> None:
    first = scores(0.1, 0.4, 0.4, 0.9, 0.2, 0.3)
    second = scores(0.3, 0.4, 0.9, 0.8, 0.6, 0.7)
    change = (second - first)[:, 0]
    sums = [abs(np.dot(signs, change)) for signs in product((1, -1), repeat=6)]
    share = np.mean(np.array(sums) >= abs(change.sum()) - 1e-12)

    assert approximate_randomization(first, second, means) == pytest.approx(share, abs=0.01)


def test_randomization_equals_scipy() -> None:
    random = np.random.default_rng(1)
    first = random.random(12)
    second = first + random.normal(0.05, 0.2, 12)
    found = permutation_test(
        (first, second),
        lambda one, other: one.mean() - other.mean(),
        permutation_type="samples",
        n_resamples=np.inf,
    )

    p = approximate_randomization(scores(*first), scores(*second), means)

    # SciPy counts all 4,096 swaps, the other 10,000 random ones: three standard errors.
    assert p == pytest.approx(found.pvalue, abs=0.015)


def test_equal_differences_count_unless_strict() -> None:
    # Each swap of an item reverses one of five equal gains: 2 of 32 swaps keep the difference.
    first, second = scores(0, 0, 0, 0, 0), scores(0.5, 0.5, 0.5, 0.5, 0.5)

    assert approximate_randomization(first, second, means) == pytest.approx(1 / 16, abs=0.01)
    assert approximate_randomization(first, second, means, strict=True) == 1 / 10_001


def test_bootstrap_interval_and_error_of_a_mean() -> None:
    random = np.random.default_rng(2)
    first = random.normal(size=300)
    second = first + random.normal(0.2, 0.5, 300)
    error = np.std(second - first, ddof=1) / np.sqrt(300)

    found = paired_bootstrap(scores(*first), scores(*second), means)

    low, high = found.interval(0.95)
    assert found.error == pytest.approx(error, rel=0.1)
    assert (low + high) / 2 == pytest.approx((second - first).mean(), abs=error / 4)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)


@pytest.mark.parametrize("items", [7, 64, 1000])
def test_results_do_not_depend_on_the_memory_used(
    items: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(items)
    first, second = (scores(*random.random(items).round(3)) for _ in range(2))

    def both() -> tuple[float, float, list[float]]:
        found = paired_bootstrap(first, second, means, resamples=200)
        shuffled = approximate_randomization(first, second, means, trials=500)
        return shuffled, found.p, found.second.tolist()

    expected = both()
    monkeypatch.setattr(resampling, "_AT_ONCE", items * 40)

    assert both() == expected
