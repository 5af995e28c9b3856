"""Panels: how scores become one, agreement, and means without each judge."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from valor_llm.trust.panels import RepeatedScores, combined, mean_of, panel_details, weighted_kappa

NAN = float("nan")


@pytest.mark.parametrize(
    ("scores", "mean", "median", "majority"),
    [
        ([1.0, 1.0, 0.0], 2 / 3, 1.0, 1.0),
        ([1.0, 2.0, 5.0], 8 / 3, 2.0, 8 / 3),  # each once: no majority, so their mean
        ([1.0, 2.0, 2.0, 5.0], 2.5, 2.0, 2.0),
        ([1.0, 1.0, 4.0, 4.0], 2.5, 2.5, 2.5),
        ([0.5], 0.5, 0.5, 0.5),
    ],
)
def test_scores_become_one(
    scores: list[float], mean: float, median: float, majority: float
) -> None:
    assert combined(scores, "mean") == mean
    assert combined(scores, "median") == median
    assert combined(scores, "majority") == majority


def test_the_mean_over_items_takes_the_judges_that_there_are() -> None:
    # items: (1 + 0) / 2, 1 alone, none: (0.5 + 1) / 2
    assert mean_of(np.array([[1.0, 0.0], [1.0, NAN], [NAN, NAN]]), "mean") == 0.75
    assert mean_of(np.array([[NAN]]), "mean") is None


def test_a_weighted_kappa_by_hand() -> None:
    # 1 and 2, 3 and 3, 5 and 4: squares 1 + 0 + 1, mean 2/3
    # by chance: variances 8/3 and 2/3, means 3 and 3: 10/3; 1 - (2/3) / (10/3)
    assert weighted_kappa(np.array([1.0, 3, 5]), np.array([2.0, 3, 4])) == pytest.approx(0.8)


whole = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=40)


@given(whole)
def test_kappa_of_ratings_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    one, other = map(list, zip(*pairs, strict=True))
    assume(len({*one, *other}) > 1)
    theirs = cohen_kappa_score(one, other, labels=[1, 2, 3, 4, 5], weights="quadratic")

    ours = weighted_kappa(np.array(one, float), np.array(other, float))

    assert ours == pytest.approx(theirs, abs=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_kappa_of_verdicts_is_plain_kappa(pairs: list[tuple[bool, bool]]) -> None:
    one, other = map(list, zip(*pairs, strict=True))
    assume(len({*one, *other}) > 1)

    ours = weighted_kappa(np.array(one, float), np.array(other, float))

    assert ours == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)


def test_kappa_takes_items_that_both_have_scored() -> None:
    one, other = np.array([1.0, 0, NAN, 1]), np.array([1.0, 0, 1, NAN])

    assert weighted_kappa(one, other) == 1.0
    assert weighted_kappa(one[2:], other[2:]) is None
    assert weighted_kappa(one[:1], other[:1]) is None


def test_a_report_says_who_moves_the_mean() -> None:
    # items by judge a, b, c: (1, 1, 0), (1, 0, 0), (1, c failed, b 1)
    values = np.array([[[1.0], [1.0], [0.0]], [[1.0], [0.0], [0.0]], [[1.0], [1.0], [NAN]]])
    scorings = RepeatedScores(("a", "b", "c"), values, (Counter(), Counter(), Counter(busy=1)))

    found = panel_details(scorings, "majority")

    assert found["panel"]["judges"] == 3
    assert found["panel"]["combined_by"] == "majority"
    assert found["panel_judges"] == [
        # without a: 1 and 0 tie to 0.5; 0; 1
        {"judge": "a", "mean": 1.0, "scored": 3, "failed": 0, "mean_without": 0.5},
        # without b: 0.5, 0.5, 1
        {"judge": "b", "mean": 2 / 3, "scored": 3, "failed": 0, "mean_without": 2 / 3},
        # without c: 1, 0.5, 1
        {
            "judge": "c",
            "mean": 0.0,
            "scored": 2,
            "failed": 1,
            "mean_without": 2.5 / 3,
            "most_frequent_failure": "busy",
        },
    ]
    assert [pair["judges"] for pair in found["panel_pairs"]] == ["a and b", "a and c", "b and c"]
    assert [pair["items"] for pair in found["panel_pairs"]] == [3, 2, 2]
    # b and c: 1, 0 and 0, 0: squares 1/2; by chance 1/4 + 0 + 1/4: 1 - 1 = 0
    assert found["panel_pairs"][2]["weighted_kappa"] == 0.0


def test_alpha_is_none_where_all_say_the_same() -> None:
    scorings = RepeatedScores(("a", "b"), np.ones((2, 2, 1)), (Counter(), Counter()))

    assert panel_details(scorings, "mean")["panel"]["krippendorff_alpha"] is None
