"""Corrected means: by hand, against the reference program, and in simulations with known truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from valor_llm.calibration.estimates import Estimate, Share, prediction_powered_mean, rogan_gladen

from valor_core.results import Undefined

# Whole tens of thousandths: what two programs round differently is then no question of the data.
numbers = st.integers(-20_000, 50_000).map(lambda whole: whole / 10_000)
labelled = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=40)


@settings(deadline=None)
@given(labelled, st.lists(numbers, min_size=1, max_size=60), st.sampled_from([0.5, 0.9, 0.95]))
def test_the_corrected_mean_is_that_of_ppi_py(
    pairs: list[tuple[float, float]], others: list[float], level: float
) -> None:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate  # takes seconds, and mutes warnings

    human, judge = (np.array(own) for own in zip(*pairs, strict=True))
    unlabelled = np.array(others)
    assume(np.concatenate([judge, unlabelled]).var() > 1e-6)
    ours = prediction_powered_mean(human.tolist(), judge.tolist(), others, level)
    value = ppi_mean_pointestimate(human, judge, unlabelled).item()
    low, high = (one.item() for one in ppi_mean_ci(human, judge, unlabelled, alpha=1 - level))
    assert ours.value == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert ours.low == pytest.approx(low, rel=1e-12, abs=1e-12)
    assert ours.high == pytest.approx(high, rel=1e-12, abs=1e-12)


def test_a_corrected_mean_worked_by_hand() -> None:
    # human 1 0 1 0, judge 1 1 1 0, unlabelled seven of 1 and a 0.
    # covariance of the pairs: mean(human * judge) - 0.5 * 0.75 = 0.5 - 0.375 = 0.125
    # variance of all 12 of the judge, ten of them 1: 12/11 * (10/12 * 2/12) = 5/33
    # lambda = 0.125 / ((1 + 4/8) * 5/33) = 0.55
    # mean = 0.5 + 0.55 * (7/8 - 6/8) = 0.56875
    found = prediction_powered_mean([1, 0, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1, 0, 1, 1, 1])
    assert found.value == pytest.approx(0.56875, abs=1e-15)
    # variance: human - 0.55 judge is 0.45 -0.55 0.45 0, its mean 0.0875, its squares' 0.176875;
    # (0.176875 - 0.0875²) / 4 + 0.55² * (7/64) / 8
    half = 1.959963984540054 * math.sqrt((0.176875 - 0.0875**2) / 4 + 0.55**2 * 7 / 64 / 8)
    assert found.low == pytest.approx(0.56875 - half, abs=1e-12)
    assert found.high == pytest.approx(0.56875 + half, abs=1e-12)


def test_a_judge_that_says_the_same_of_all_changes_nothing() -> None:
    alone = prediction_powered_mean([1, 0, 1, 1], [1, 1, 1, 1], [])
    # labels alone: mean 0.75, variance 3/16 of 4 of them
    assert alone.value == 0.75
    half = 1.959963984540054 * math.sqrt(3 / 16 / 4)
    assert alone.high == pytest.approx(0.75 + half, abs=1e-15)
    assert prediction_powered_mean([1, 0, 1, 1], [1, 1, 1, 1], [1, 1]) == alone
    assert prediction_powered_mean([1, 0, 1, 1], [1, 0, 0, 1], []) == alone


def test_a_share_corrected_by_hand() -> None:
    # 120 of 200 are yes; of 50 yes of humans 45 were found, of 40 no 36.
    # (0.6 + 0.9 - 1) / (0.9 + 0.9 - 1) = 0.625
    found = rogan_gladen(Share(0.6, 200), Share(0.9, 50), Share(0.9, 40))
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(0.625, abs=1e-15)
    # The interval as the paper's equation has it, with z² = 3.841458820694124:
    # said (120 + z²/2) / (200 + z²), sensitivity 46/52, specificity 37/42
    z2 = 3.841458820694124
    said, se, sp = (120 + z2 / 2) / (200 + z2), 46 / 52, 37 / 42
    middle = (said + sp - 1) / (se + sp - 1)
    of_se, of_sp = se * (1 - se) / 52, sp * (1 - sp) / 42
    error = math.sqrt(
        said * (1 - said) / (200 + z2) + middle**2 * of_se + (1 - middle) ** 2 * of_sp
    ) / (se + sp - 1)
    shift = 2 * z2 * (middle * of_se - (1 - middle) * of_sp)
    assert found.low == pytest.approx(middle + shift - math.sqrt(z2) * error, abs=1e-12)
    assert found.high == pytest.approx(middle + shift + math.sqrt(z2) * error, abs=1e-12)
    assert 0.49 < found.low < 0.625 < found.high < 0.77


def test_a_corrected_share_stays_between_0_and_1() -> None:
    # (0.05 + 0.8 - 1) / 0.7 < 0 and (0.98 + 0.8 - 1) / 0.7 > 1
    assert rogan_gladen(Share(0.05, 100), Share(0.9, 30), Share(0.8, 30)).value == 0.0  # type: ignore[union-attr]
    assert rogan_gladen(Share(0.98, 100), Share(0.9, 30), Share(0.8, 30)).value == 1.0  # type: ignore[union-attr]


def test_of_a_judge_no_better_than_chance_nothing_is_said() -> None:
    found = rogan_gladen(Share(0.5, 100), Share(0.4, 30), Share(0.6, 30))
    assert found == Undefined("the judge's yes and no do not tell apart what humans tell apart")
    # 5 of 100 yes found, one no: as if 6 of 102 and 2 of 3, which is no better than chance
    little = rogan_gladen(Share(0.05, 100), Share(0.05, 100), Share(1.0, 1))
    assert little == Estimate(1.0, 0.0, 1.0)


def test_answers_about_one_item_that_are_all_alike_count_once() -> None:
    # 4 items with 3 answers each, all three alike: worth 4 answers, not 12
    alike = Share.of_answers([[True] * 3, [True] * 3, [False] * 3, [True] * 3])
    assert alike == Share(0.75, 4.0)
    # all yes: nothing to see of how they hang together, so that an item counts once
    assert Share.of_answers([[True] * 3, [True] * 3]) == Share(1.0, 2.0)
    assert Share.of_answers([[True], [], [True]]) == Share(1.0, 2.0)
    # answers that even each other out are worth no more than there are
    assert Share.of_answers([[True, False]] * 2 + [[True, False, False]]).size <= 7


@given(st.lists(st.booleans(), min_size=1, max_size=50))
def test_single_answers_are_worth_what_they_are(answers: list[bool]) -> None:
    of_answers = Share.of_answers([[one] for one in answers])
    of_scores = Share.of_scores([float(one) for one in answers])
    for found in (of_answers, of_scores):
        assert found.value == pytest.approx(sum(answers) / len(answers), abs=1e-15)
        assert found.size == pytest.approx(len(answers), rel=1e-9)


TRUTH, SENSITIVITY, SPECIFICITY = 0.7, 0.95, 0.6


def _labelled_run(random: np.random.Generator, labels: int, items: int) -> tuple[np.ndarray, ...]:  # type: ignore[type-arg]
    """Human and judge of labelled items, and the judge of the others."""
    human = random.random(labels + items) < TRUTH
    judge = np.where(human, random.random(labels + items) < SENSITIVITY, False)
    judge |= ~human & (random.random(labels + items) >= SPECIFICITY)
    return human[:labels], judge[:labels], judge[labels:]


def test_corrected_intervals_hold_the_truth_where_the_raw_mean_is_off() -> None:
    random = np.random.default_rng(14)
    runs, held = 400, {"raw": 0, "prediction-powered": 0, "rogan-gladen": 0}
    for _ in range(runs):
        human, judge, others = _labelled_run(random, 100, 900)
        said = np.concatenate([judge, others]).astype(float)
        half = 1.96 * said.std() / math.sqrt(len(said))
        held["raw"] += abs(said.mean() - TRUTH) <= half
        found = prediction_powered_mean(
            human.astype(float).tolist(),
            judge.astype(float).tolist(),
            others.astype(float).tolist(),
        )
        held["prediction-powered"] += found.low <= TRUTH <= found.high
        shares = (judge[human], ~judge[~human])
        by_label = [Share.of_answers([[bool(one)] for one in own]) for own in shares]
        share = rogan_gladen(Share.of_scores(said.tolist()), *by_label)
        assert isinstance(share, Estimate)
        held["rogan-gladen"] += share.low <= TRUTH <= share.high
    # The judge says yes to 0.7 * 0.95 + 0.3 * 0.4 = 0.785 of all; its interval is 0.025 to a side.
    assert held["raw"] / runs < 0.01
    # 95 % of 400 are 380; the standard deviation of that count is 4.4.
    assert 0.925 <= held["prediction-powered"] / runs <= 0.975
    assert 0.935 <= held["rogan-gladen"] / runs <= 0.995


def test_intervals_of_dependent_verdicts_hold_the_truth() -> None:
    """Items of five verdicts, all of which a careless reader answers alike in half of the items."""
    random = np.random.default_rng(15)
    runs, held, naive = 300, 0, 0

    def answers(items: int) -> tuple[list[list[bool]], list[list[bool]]]:
        human = random.random((items, 5)) < TRUTH
        fresh = np.where(human, random.random((items, 5)) < 0.9, random.random((items, 5)) < 0.2)
        alike = np.where(human, random.random((items, 1)) < 0.9, random.random((items, 1)) < 0.2)
        judge = np.where(random.random((items, 1)) < 0.7, alike, fresh)
        return human.tolist(), judge.tolist()

    for _ in range(runs):
        human, judge = answers(60)
        _, others = answers(400)
        shares = []
        for wanted in (True, False):
            hits = [
                [said == wanted for said, label in zip(*pair, strict=True) if label == wanted]
                for pair in zip(judge, human, strict=True)
            ]
            shares.append(hits)
        said = Share.of_scores([sum(own) / 5 for own in others])
        found = rogan_gladen(said, *map(Share.of_answers, shares))
        single = [Share.of_answers([[one] for own in hits for one in own]) for hits in shares]
        alone = rogan_gladen(said, *single)
        assert isinstance(found, Estimate)
        assert isinstance(alone, Estimate)
        held += found.low <= TRUTH <= found.high
        naive += alone.low <= TRUTH <= alone.high
    assert held / runs >= 0.93
    assert naive / runs < 0.92  # as if every verdict was independent of the others
