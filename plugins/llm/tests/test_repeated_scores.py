"""Spread and flip rate of repeats, calculated by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from valor_llm.trust.panels import RepeatedScores, most_frequent


def repeats(*values: float | None, judge: str = "m") -> dict[str, object]:
    """Details of an item with some repeats, None for one that failed."""
    rows = [
        {"judge": judge, "repeat": n, **({"error": "no reply"} if v is None else {"value": v})}
        for n, v in enumerate(values, 1)
    ]
    return {"scorings": rows}


def test_the_spread_is_the_mean_of_standard_deviations_within_items() -> None:
    # 0, 1, 1: mean 2/3, squares (4/9 + 1/9 + 1/9) / 2 = 1/3, deviation 0.577350
    # 1, 1, 1: 0
    found = RepeatedScores.of([repeats(0, 1, 1), repeats(1, 1, 1)])

    assert found.spread == pytest.approx(math.sqrt(1 / 3) / 2)


def test_the_flip_rate_is_the_share_of_pairs_that_differ() -> None:
    # 0, 1, 1: pairs 01, 01, 11: two of three differ; 1, 1, 1: none of three; 2 / 6
    found = RepeatedScores.of([repeats(0, 1, 1), repeats(1, 1, 1)])

    assert found.flip_rate == 2 / 6


def test_a_repeat_that_failed_is_in_no_pair() -> None:
    # 0, 1: one pair, which differs; 1 alone: no pair
    found = RepeatedScores.of([repeats(0, None, 1), repeats(None, 1, None)])

    assert found.flip_rate == 1.0
    assert found.failed == (3,)
    assert found.spread == pytest.approx(math.sqrt(0.5))


def test_repeats_of_different_judges_are_no_pairs() -> None:
    one, other = repeats(0, 0, judge="a"), repeats(1, 1, judge="b")
    both = {"scorings": [*one["scorings"], *other["scorings"]]}  # type: ignore[misc]

    found = RepeatedScores.of([both])

    assert found.flip_rate == 0.0
    assert found.by_judge.tolist() == [[0.0, 1.0]]


def test_items_scored_once_have_neither() -> None:
    found = RepeatedScores.of([{"verdicts": []}, {}])

    assert (found.judges, found.values.shape, found.spread, found.flip_rate) == (
        (),
        (0, 0, 0),
        None,
        None,
    )


def test_most_frequent_reason_is_reported_and_the_first_in_alphabetical_order_if_tied() -> None:
    assert most_frequent([Counter({"b": 2, "c": 1}), Counter({"a": 2})]) == {
        "most_frequent_failure": "a"
    }
    assert most_frequent([Counter()]) == {}


def test_an_undefined_scoring_is_no_score_and_no_failure() -> None:
    rows = [
        {"judge": "m", "repeat": 1, "value": 1.0},
        {"judge": "m", "repeat": 2, "undefined": "-"},
    ]
    found = RepeatedScores.of([{"scorings": rows}])

    assert np.isnan(found.values).tolist() == [[[False, True]]]
    assert found.failed == (0,)
