import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests
from valor_intervals.comparison.significance import corrected, mcnemar, smallest_difference

from valor_core.errors import ConfigError

COUNTS = [(0, 1), (0, 6), (3, 3), (1, 9), (17, 30), (40, 41), (500, 590), (9000, 9400)]


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_mcnemar_equals_statsmodels(counts: tuple[int, int]) -> None:
    table = [[5, counts[0]], [counts[1], 7]]

    exact = reference_mcnemar(table, exact=True).pvalue
    with_correction = reference_mcnemar(table, exact=False, correction=True).pvalue
    without = reference_mcnemar(table, exact=False, correction=False).pvalue

    # Both compute the tails by other series; 1e-9 is the error of lgamma for 18,400 items.
    assert mcnemar(*counts) == pytest.approx(exact, rel=1e-9)
    assert mcnemar(*counts, "corrected") == pytest.approx(with_correction, rel=1e-12)
    assert mcnemar(*counts, "uncorrected") == pytest.approx(without, rel=1e-12)


def test_models_that_are_right_on_the_same_items_do_not_differ() -> None:
    assert [mcnemar(0, 0, method) for method in ("exact", "corrected", "uncorrected")] == [1.0] * 3


@pytest.mark.parametrize("count", [1, 2, 7, 100])
@pytest.mark.parametrize(("name", "reference"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_corrections_equal_statsmodels(count: int, name: str, reference: str) -> None:
    random = np.random.default_rng(count)
    values = np.concatenate([random.random(count) ** 3, [0.01, 0.01, 1.0]])

    assert corrected(values.tolist(), name) == multipletests(values, method=reference)[1].tolist()


def test_no_correction_returns_the_same_p_values() -> None:
    assert corrected([0.5, 0.01], "none") == [0.5, 0.01]
    assert corrected([], "bh") == corrected([], "holm") == []


def test_unknown_correction_is_rejected() -> None:
    with pytest.raises(
        ConfigError, match="correction: expected holm, bh or none, got 'bonferroni'"
    ):
        corrected([0.5], "bonferroni")


def test_smallest_difference_is_found_in_80_percent_of_samples() -> None:
    # Means of 400 differences with deviation 1: the error is 0.05.
    true = smallest_difference(0.05, 0.95)
    means = np.random.default_rng(0).normal(true, 0.05, 20_000)

    assert true == pytest.approx(0.05 * (1.959964 + 0.841621), rel=1e-6)
    assert (np.abs(means) > 1.959964 * 0.05).mean() == pytest.approx(0.8, abs=0.01)
