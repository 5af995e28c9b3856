from __future__ import annotations

import math

import numpy as np
import pytest
from valor_classification.readers.arrays import from_arrays

from valor_core.schemas import Datums, Label
from valor_core.schemas.classification import Classification, ClassificationBatch, ScoreMatrix

from .support import SETS, failure_of, reason_of, results_of, value_of

HALVES = (
    Classification("a", "dog", {"dog": 0.5, "cat": 0.5}),
    Classification("b", "cat", {"dog": 0.75, "cat": 0.25}),
)


def test_log_loss() -> None:
    # (-ln 1/2 - ln 1/4) / 2
    assert value_of(HALVES, "LogLoss") == pytest.approx(1.5 * math.log(2), rel=1e-15)


def test_brier_score() -> None:
    # (1/4 + 1/4 + 9/16 + 9/16) / 2
    assert value_of(HALVES, "BrierScore", scale_by_half=False) == 13 / 16
    assert value_of(HALVES, "BrierScore", scale_by_half=True) == 13 / 32


def test_the_brier_score_of_two_labels_is_halved_and_that_of_three_is_not() -> None:
    third = Classification("c", "bird", {"bird": 1.0})

    assert value_of(HALVES, "BrierScore") == 13 / 32
    # (1/4 + 1/4 + 9/16 + 9/16 + 0) / 3
    assert value_of([*HALVES, third], "BrierScore") == 13 / 24


def test_a_perfect_prediction_costs_nothing_to_speak_of() -> None:
    items = [Classification("a", "dog", {"dog": 1.0, "cat": 0.0})]

    assert value_of(items, "BrierScore") == 0.0
    assert value_of(items, "LogLoss") == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_impossible_truth_costs_the_machine_epsilon(dtype: type) -> None:
    batch = from_arrays([0], np.array([[0.0, 1.0]], dtype=dtype))

    wanted = -math.log(np.finfo(dtype).eps)

    assert value_of(batch, "LogLoss") == pytest.approx(wanted, rel=1e-15)
    assert value_of(batch, "BrierScore") == 1.0


def test_a_label_that_is_not_listed_has_the_score_zero() -> None:
    items = [Classification("a", "dog", {"cat": 0.5}), Classification("b", "dog")]

    # (1 + 1/4 + 1) / 2, halved
    assert value_of(items, "BrierScore") == 9 / 16
    assert value_of(items, "LogLoss") == pytest.approx(-math.log(np.finfo(np.float64).eps))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_brier_score_of_near_perfect_scores_is_not_lost(dtype: type) -> None:
    error = 2.0**-20
    scores = np.array([[1 - error, error]] * 3, dtype)
    batch = from_arrays([0, 0, 0], scores)

    assert value_of(batch, "BrierScore", scale_by_half=False) == 2 * error**2


def test_brier_score_does_not_depend_on_columns_or_layout() -> None:
    rng = np.random.default_rng(3)
    scores = rng.dirichlet(np.ones(7), 50)
    truths, order, names = rng.integers(0, 7, 50), rng.permutation(7), list("abcdefg")
    batch = from_arrays(truths, scores, labels=names)
    shuffled = from_arrays(
        np.argsort(order)[truths], scores[:, order], labels=[names[code] for code in order]
    )
    listed = ClassificationBatch.of(batch.items())
    value = value_of(batch, "BrierScore")

    exact = math.fsum(((scores - np.eye(7)[truths]) ** 2).ravel().tolist()) / 50
    assert value == exact
    assert value_of(shuffled, "BrierScore") == value
    assert value_of(listed, "BrierScore") == value


def test_brier_score_counts_truths_that_have_no_column_and_skips_items_without_truth() -> None:
    labels = [Label("class", name) for name in ("a", "b", "c")]
    scores = ScoreMatrix([[0.5, 0.25], [1.0, 0.0], [0.25, 0.75]], [0, 1])
    batch = ClassificationBatch(Datums(["x", "y", "z"]), labels, [0, 2], [2, 1], scores)

    # x: .25 + .0625 + 1 for c; z: .0625 + .0625
    assert value_of(batch, "BrierScore") == (1.3125 + 0.125) / 2


def test_items_without_ground_truth_do_not_take_part() -> None:
    stray = Classification("c", predictions={"dog": 0.3})

    assert results_of([*HALVES, stray], "LogLoss", "BrierScore") == results_of(
        HALVES, "LogLoss", "BrierScore"
    )
    for name in ("LogLoss", "BrierScore"):
        assert reason_of([stray], name) == "no items with ground truth"


def test_log_loss_of_several_ground_truths_is_undefined_and_brier_score_is_not() -> None:
    assert failure_of(SETS, "LogLoss") == (
        "expected one ground truth of the key for each item, found several on 1 item; "
        "BrierScore takes several"
    )
    # a: .01 + .04 + .04, b: .09 + .36, d: .81
    wanted = pytest.approx((0.09 + 0.45 + 0.81) / 3, rel=1e-14)
    assert value_of(SETS, "BrierScore") == wanted


@pytest.mark.parametrize("name", ["LogLoss", "BrierScore", "CalibrationError"])
@pytest.mark.parametrize("score", [1.5, -0.25])
def test_scores_outside_0_and_1_fail_with_a_remedy(name: str, score: float) -> None:
    items = [*HALVES, Classification("c", "dog", {"dog": score})]

    reason = failure_of(items, name)

    assert reason is not None
    assert "expected scores in [0, 1], found 1 outside" in reason
    assert "softmax or a sigmoid" in reason


def test_scores_outside_in_one_key_do_not_cost_another_its_value() -> None:
    dog, size = ("animal", "dog"), ("size", "big")
    item = Classification("a", [dog, size], [(dog, 0.5), (size, 12.5)])

    for name in ("LogLoss", "BrierScore", "CalibrationError"):
        results = results_of([item], name)
        assert results.find(label_key="animal").only.error is None
        assert results.find(label_key="size").only.error is not None
