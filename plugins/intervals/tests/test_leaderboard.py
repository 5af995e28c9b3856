from statistics import NormalDist

import numpy as np
import pytest
from valor_intervals import leaderboard, rank_intervals
from valor_intervals.comparison.leaderboard import Ranked

from valor_core import Registry, Report, Text, evaluate, metric
from valor_core.errors import ConfigError


@metric("lab.Right", task="text", higher_is_better=True)
def right(item) -> float:
    return float(item.response == "yes")


@metric("lab.Errors", task="text", higher_is_better=False)
def errors(item) -> float:
    return float(item.response != "yes")


@metric("lab.Length", task="text", higher_is_better=None)
def length(item) -> float:
    return len(item.response)


@pytest.fixture
def registry() -> Registry:
    found = Registry()
    for one in (right, errors, length):
        found.add(one)
    return found


def report(correct: int, items: int = 60, **options) -> Report:
    texts = [
        Text(i, response="yes" if i < correct else "no", references="yes") for i in range(items)
    ]
    return evaluate(texts, [right, errors, length], items=True, **options)


def test_intervals_count_significantly_better_and_worse_models() -> None:
    p = {(0, 1): 0.001, (0, 2): 0.001, (0, 3): 0.001, (1, 2): 0.3, (1, 3): 0.04, (2, 3): 0.06}

    assert rank_intervals([4.0, 3.0, 2.0, 1.0], p) == [(1, 1), (2, 3), (2, 4), (3, 4)]
    assert rank_intervals([4.0, 3.0, 2.0, 1.0], p, 0.99) == [(1, 1), (2, 4), (2, 4), (2, 4)]
    assert rank_intervals([1.0, 2.0], {(0, 1): 0.01}, higher_is_better=False) == [(1, 1), (2, 2)]
    assert rank_intervals([1.0, 1.0], {}) == [(1, 2), (1, 2)]


def test_reports_are_ranked_by_each_number_with_a_direction(registry: Registry) -> None:
    found = leaderboard(
        {"small": report(20), "large": report(52), "medium": report(50)}, registry=registry
    )

    by_right, by_errors = found.rankings
    assert by_right.rows == (
        Ranked("large", 52 / 60, 1, 1, 2),
        Ranked("medium", 50 / 60, 2, 1, 2),
        Ranked("small", 20 / 60, 3, 3, 3),
    )
    assert [(one.name, one.low, one.high) for one in by_errors.rows] == [
        ("large", 1, 2),
        ("medium", 1, 2),
        ("small", 3, 3),
    ]


def test_equal_reports_share_a_rank(registry: Registry) -> None:
    found = leaderboard({"a": report(30), "b": report(30), "c": report(55)}, registry=registry)

    assert [(one.rank, one.low, one.high) for one in found.rankings[0].rows] == [
        (1, 1, 1),
        (2, 2, 3),
        (2, 2, 3),
    ]


def test_p_values_are_corrected_for_all_pairs(registry: Registry) -> None:
    # 6 discordant items: p = 2 / 2**6 = 0.03, times 3 pairs is not significant.
    reports = {"a": report(30), "b": report(36), "c": report(36)}

    corrected = leaderboard(reports, registry=registry).rankings[0]
    uncorrected = leaderboard(reports, registry=registry, correction="none").rankings[0]

    assert {(one.low, one.high) for one in corrected.rows} == {(1, 3)}
    assert [(one.low, one.high) for one in uncorrected.rows] == [(1, 2), (1, 2), (3, 3)]


def test_reports_with_intervals_are_ranked_without_rows(registry: Registry) -> None:
    reports = {
        name: Report.from_dict({**report(right, confidence=0.95).to_dict(), "items": []})
        for name, right in (("small", 20), ("large", 52), ("medium", 50))
    }

    ranking = leaderboard(reports, registry=registry).rankings[0]

    assert [(one.low, one.high) for one in ranking.rows] == [(1, 2), (1, 2), (3, 3)]


def test_reports_without_tests_have_no_ranks(registry: Registry) -> None:
    reports = {
        str(right): Report.from_dict({**report(right).to_dict(), "items": []})
        for right in (20, 40, 60)
    }

    assert leaderboard(reports, registry=registry).rankings == ()


def test_reports_of_other_items_are_named(registry: Registry) -> None:
    found = leaderboard(
        {"a": report(20), "b": report(40), "c": report(40, items=50)}, registry=registry
    )

    assert found.incomparable == (
        "a, then c: data: 60 items, then 50",
        "b, then c: data: 60 items, then 50",
    )


def test_leaderboard_prints_the_best_first(registry: Registry) -> None:
    found = leaderboard({"small": report(20), "large": report(52)}, registry=registry)

    assert str(found).splitlines()[:3] == [
        "Right",
        "  1  large: 0.8667, rank 1 to 1",
        "  2  small: 0.3333, rank 2 to 2",
    ]
    assert repr(found) == "<Leaderboard of 2 rankings; print(leaderboard) lists them>"
    assert found.to_dict()["rankings"][0]["ranks"][0] == {
        "report": "large",
        "value": 52 / 60,
        "rank": 1,
        "interval": [1, 1],
    }


def test_one_report_is_rejected() -> None:
    with pytest.raises(ConfigError, match="leaderboard: expected two reports or more, got 1"):
        leaderboard({"a": report(3)})


def test_all_true_ranks_are_in_the_intervals() -> None:
    # 300 leaderboards of four models of which two are equal; at least 95 % contain all true ranks.
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        columns = random.normal(size=(100, 1)) + random.normal(size=(100, 4)) + [0.5, 0.5, 0.2, 0.0]
        p = {}
        for i in range(4):
            for j in range(i):
                change = columns[:, i] - columns[:, j]
                distance = abs(change.mean()) / (change.std(ddof=1) / 10)
                p[i, j] = min(1.0, 6 * 2 * (1 - NormalDist().cdf(distance)))
        intervals = rank_intervals(columns.mean(0).tolist(), p)
        true = [(1, 2), (1, 2), (3, 3), (4, 4)]
        covered += all(a <= c and d <= b for (a, b), (c, d) in zip(intervals, true, strict=True))

    assert covered / 300 >= 0.95


def test_ranking_has_the_differences_of_all_pairs(registry: Registry) -> None:
    reports = {"a": report(20), "b": report(50), "c": report(52)}

    ranking = leaderboard(reports, registry=registry).rankings[0]

    assert set(ranking.tests) == {("a", "b"), ("a", "c"), ("b", "c")}
    forward, back = ranking.difference("a", "c"), ranking.difference("c", "a")
    assert forward is not None
    assert back is not None
    assert forward.low < 32 / 60 < forward.high
    assert (back.low, back.high) == (-forward.high, -forward.low)
    assert forward.p == back.p == pytest.approx(3 * 2 / 2**32)
