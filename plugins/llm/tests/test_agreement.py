"""Agreement between raters, by hand and against other programs."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from valor_llm.trust.agreement import (
    Coefficient,
    Level,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
)

from valor_core.results import Undefined

NAN = math.nan


def _labels(both: int, first: int, second: int, none: int) -> tuple[list[str], list[str]]:
    """Ratings of two raters, from the numbers of items with yes by both, one, the second, none."""
    pairs = [("yes", "yes")] * both + [("yes", "no")] * first
    pairs += [("no", "yes")] * second + [("no", "no")] * none
    return [one for one, _ in pairs], [other for _, other in pairs]


def _value(found: Coefficient | Undefined) -> float:
    assert isinstance(found, Coefficient)
    return found.value


def test_agreement_of_twenty_five_of_fifty_grants_worked_by_hand() -> None:
    rated = _labels(20, 5, 10, 15)
    # observed (20 + 15) / 50 = 0.7; the first says yes 25, the second 30 times of 50:
    # by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5; (0.7 - 0.5) / 0.5 = 0.4
    assert _value(cohen_kappa(*rated)) == pytest.approx(0.4, abs=1e-15)
    # AC1: yes on average 0.55; by chance 2 * 0.55 * 0.45 = 0.495; (0.7 - 0.495) / 0.505
    assert _value(gwet_ac1(*rated)) == pytest.approx(0.205 / 0.505, abs=1e-15)


def test_a_high_base_rate_pulls_kappa_down_and_ac1_not() -> None:
    # The example of Gwet's paper: 118, 5, 2 and 0 of 125.
    rated = _labels(118, 5, 2, 0)
    # kappa: 0.944 observed; by chance 0.984 * 0.96 + 0.016 * 0.04 = 0.94528
    assert _value(cohen_kappa(*rated)) == pytest.approx((0.944 - 0.94528) / 0.05472, abs=1e-12)
    # AC1: yes on average 0.972; by chance 2 * 0.972 * 0.028 = 0.054432
    assert _value(gwet_ac1(*rated)) == pytest.approx((0.944 - 0.054432) / 0.945568, abs=1e-12)
    assert round(_value(gwet_ac1(*rated)), 4) == 0.9408


# Four observers of twelve units, from Krippendorff's text of 2011, section D.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_is_that_of_the_published_table(level: Level, published: float) -> None:
    alpha = krippendorff_alpha(PUBLISHED, level)
    assert not isinstance(alpha, Undefined)
    assert round(alpha, 3) == published


def test_alpha_of_two_raters_worked_by_hand() -> None:
    # Pairs 1-1, 2-2, 3-2: six values, 1 twice, 2 three times, 3 once.
    # observed: 2-3 in both orders, distance 1: 2
    # expected: (2*2*3 * 1 + 2*2*1 * 4 + 2*3*1 * 1) / (6 - 1) = 34 / 5
    assert krippendorff_alpha([[1, 2, 3], [1, 2, 2]], "interval") == pytest.approx(1 - 2 / 6.8)


words = st.sampled_from(["yes", "no", "idk"])
pairs = st.lists(st.tuples(words, words), min_size=2, max_size=60)


@given(pairs)
def test_kappa_is_that_of_scikit_learn(rated: list[tuple[str, str]]) -> None:
    one, other = [list(labels) for labels in zip(*rated, strict=True)]
    assume(len({*one, *other}) > 1)
    assert _value(cohen_kappa(one, other)) == pytest.approx(
        cohen_kappa_score(one, other), abs=1e-12
    )


@given(pairs)
def test_the_error_of_kappa_is_that_of_statsmodels(rated: list[tuple[str, str]]) -> None:
    one, other = [list(labels) for labels in zip(*rated, strict=True)]
    known = sorted({*one, *other})
    assume(len(known) > 1)
    table = np.zeros((len(known), len(known)))
    for first, second in rated:
        table[known.index(first), known.index(second)] += 1
    with np.errstate(invalid="ignore"):  # its z value, which nobody asked for
        theirs = cohens_kappa(table).var_kappa
    found = cohen_kappa(one, other)
    assert isinstance(found, Coefficient)
    assert found.error is not None
    # They divide by the number of items, we by one less.
    ours = found.error**2 * (len(rated) - 1) / len(rated)
    assert ours == pytest.approx(theirs, abs=1e-12)


ratings = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([1.0, 2.0, 3.0, 5.0, NAN]), min_size=raters, max_size=raters),
        min_size=1,
        max_size=20,
    )
)


@given(ratings, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_that_of_the_package_krippendorff(rated: list[list[float]], level: Level) -> None:
    table = np.array(rated).T
    paired = table[:, (~np.isnan(table)).sum(axis=0) >= 2]
    values = np.unique(paired[~np.isnan(paired)])
    ours = krippendorff_alpha(table, level)
    if len(values) < 2:
        assert isinstance(ours, Undefined)
        return
    # Items with one rating alone are no part of it: they are left out for both.
    theirs = krippendorff.alpha(paired, level_of_measurement=level)
    assert ours == pytest.approx(theirs, abs=1e-12)


@given(pairs)
def test_the_error_of_ac1_is_that_of_leaving_items_out_one_by_one(
    rated: list[tuple[str, str]],
) -> None:
    """The jackknife's error, which both are for many items; these are the same items 40 times."""
    one, other = [list(labels) * 40 for labels in zip(*rated, strict=True)]
    found = gwet_ac1(one, other, ["yes", "no", "idk"])
    assert isinstance(found, Coefficient)
    assert found.error is not None
    count = len(one)
    left: dict[tuple[str, str], float] = {}
    for place, pair in enumerate(zip(one, other, strict=True)):
        if pair not in left:
            rest = [labels[:place] + labels[place + 1 :] for labels in (one, other)]
            left[pair] = _value(gwet_ac1(*rest, ["yes", "no", "idk"]))
    values = np.array([left[pair] for pair in zip(one, other, strict=True)])
    jackknife = math.sqrt((count - 1) / count * ((values - values.mean()) ** 2).sum())
    assert found.error == pytest.approx(jackknife, rel=0.1, abs=1e-9)


def test_what_is_undefined_says_why() -> None:
    nobody = Undefined("no items that both have rated")
    assert cohen_kappa([], []) == gwet_ac1([], []) == nobody
    same = Undefined("both raters say the same of every item, and nothing else")
    assert cohen_kappa(["yes"] * 3, ["yes"] * 3) == same
    assert gwet_ac1(["yes"] * 3, ["yes"] * 3) == same
    assert _value(gwet_ac1(["yes"] * 3, ["yes"] * 3, ["yes", "no"])) == 1.0
    assert krippendorff_alpha([[1.0, NAN], [NAN, 2.0]]) == Undefined("no items that two have rated")
    assert krippendorff_alpha([[1.0, 1.0], [1.0, 1.0]]) == Undefined(
        "all raters say the same of every item, and nothing else"
    )


def test_raters_of_other_numbers_of_items_are_an_error() -> None:
    with pytest.raises(ValueError, match="expected as many items of both raters, got 1 and 2"):
        cohen_kappa(["yes"], ["yes", "no"])


def test_items_of_one_group_count_as_one() -> None:
    one, other = ["yes", "no", "no", "yes", "no"], ["yes", "yes", "no", "no", "no"]
    single = [coefficient(one, other) for coefficient in (cohen_kappa, gwet_ac1)]
    groups = [*range(5)] * 4
    for coefficient, alone in zip((cohen_kappa, gwet_ac1), single, strict=True):
        fourfold = coefficient(one * 4, other * 4, groups=groups)
        assert isinstance(fourfold, Coefficient)
        assert isinstance(alone, Coefficient)
        assert fourfold.value == pytest.approx(alone.value, abs=1e-12)
        assert fourfold.error == pytest.approx(alone.error, abs=1e-12)
