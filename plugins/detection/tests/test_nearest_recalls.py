"""Precision at the true positives nearest to recalls, by hand and by its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_detection.kernels.columns import GroupedMatches, RankedMatches
from valor_detection.matching.precisions import Nearest


def ranked(*outcomes: str) -> RankedMatches:
    """Rank predictions of each label: T is true, F is false at the only threshold."""
    text = "".join(outcomes)
    count = len(text)
    starts = np.cumsum([0, *map(len, outcomes)])
    matched = np.array([each == "T" for each in text], np.uint64)
    return RankedMatches(
        starts,
        np.arange(count),
        np.zeros(count, np.int32),
        np.ones(count, bool),
        matched,
        np.zeros(count, np.uint64),
        1,
    )


def by_definition(outcomes: str, truths: int, points: int) -> list[float]:
    """Precision at the recalls, walking through the true positives one by one."""
    at = [rank for rank, outcome in enumerate(outcomes) if outcome == "T"]
    chosen: list[int] = []
    recall = 0.0
    for i in range(len(at)):
        is_last = i == len(at) - 1
        here, following = (i + 1) / truths, (i + 2) / truths
        if not is_last and following - recall < recall - here:
            continue
        chosen.append(i)
        recall += 1 / (points - 1)
    values = [0.0] * points
    for point, i in enumerate(chosen):
        values[point] = (i + 1) / (at[i] + 1)
    return [max(values[point:]) for point in range(points)]


def test_terms_by_hand() -> None:
    # Of 10 ground truths, true positives 1, 2, 5, 7 and 10 are nearest to 0, 1/4, 1/2, 3/4 and 1.
    # 6 are found, at ranks 1, 3, 4, 5, 6 and 8: the last one has the fourth point, 6/8.
    # Precisions: 1, 2/3, 5/6, 6/8 and nothing; the greatest here or later: 1, 5/6, 5/6, 3/4, 0.
    terms = Nearest(points=5).terms(ranked("TFTTTTFT"), np.array([10]))

    assert terms[0, :, 0].tolist() == [1, 5 / 6, 5 / 6, 3 / 4, 0]
    without_first = Nearest(points=5, skipped=1).terms(ranked("TFTTTTFT"), np.array([10]))
    assert without_first[0, :, 0].tolist() == [5 / 6, 5 / 6, 3 / 4, 0]


@pytest.mark.parametrize("points", [5, 41])
def test_terms_equal_definition(points: int) -> None:
    draw = np.random.default_rng(0)
    outcomes = ["".join(draw.choice(["T", "F"], size=n, p=(0.7, 0.3))) for n in range(400)]
    found = np.array([each.count("T") for each in outcomes])
    truths = found + draw.integers(1, 20, size=len(found))

    terms = Nearest(points=points).terms(ranked(*outcomes), truths)[0].T

    for each, count, line in zip(outcomes, truths.tolist(), terms.tolist(), strict=True):
        assert line == by_definition(each, count, points)


def test_perfect_terms_are_those_of_true_positives_only() -> None:
    found = np.array([0, 1, 3, 40, 41, 60, 99, 100, 350])
    truths = np.array([5, 1, 4, 40, 41, 80, 100, 100, 400])
    nearest = Nearest(points=41, skipped=1)

    terms = nearest.terms(ranked(*("T" * count for count in found.tolist())), truths)

    assert terms[0].tolist() == nearest.perfect_terms(found, truths).tolist()


def test_weighted_terms_without_zero_weights_equal_selected_images() -> None:
    outcomes, weights = "TFTTFTTFTT", np.array([1, 0, 1, 1, 1, 0, 1, 1, 0, 1], np.int32)
    kept = "".join(one for one, weight in zip(outcomes, weights.tolist(), strict=True) if weight)
    matches = GroupedMatches(
        ranked(outcomes),
        np.arange(10, dtype=np.int32),
        np.zeros(2, np.int64),
        np.empty(0, np.int32),
    )
    nearest: Any = Nearest(points=5)
    truths = np.array([7])

    weighted = nearest.weighted_terms(matches, weights, truths)

    assert weighted.tolist() == nearest.terms(ranked(kept), truths).tolist()
