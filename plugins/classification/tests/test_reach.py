"""Thresholds and scores that cannot mean what was asked are warned of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import Evaluator, evaluate

BINARY = ([1, 0, 1], [0.9, 0.1, 0.4])


NAMES = ["F1", "Precision", "Recall", "Counts", "Accuracy", "ConfusionMatrix", "Examples"]


@pytest.mark.parametrize("name", NAMES)
def test_threshold_of_a_binary_model_without_effect_is_warned_of(name: str) -> None:
    choice = {"name": name, "score_thresholds": 0.35}

    (warning,) = evaluate(*BINARY, [choice]).warnings

    assert warning == (
        "score_threshold 0.35 changes nothing, with hardmax: true the best of 2 labels always "
        "reaches it; set hardmax: false to predict every label from that score on"
    )
    assert evaluate(*BINARY, [{**choice, "hardmax": False}]).warnings == ()


@pytest.mark.parametrize("name", ["CohenKappa", "MCC", "ConfusionMatrix"])
@pytest.mark.parametrize("threshold", [0.35, 50])
def test_threshold_of_agreement_without_effect_is_warned_of(name: str, threshold: float) -> None:
    parts = [Evaluator([{"name": name, "score_thresholds": threshold}]) for _ in range(2)]
    parts[0].update([1, 0], [0.9, 0.1])
    parts[1].update([1], [0.4])
    parts[0].merge(parts[1])

    (warning,) = parts[0].compute().warnings

    assert warning.startswith(f"score_threshold {threshold:g}")
    assert ("changes nothing" if threshold < 1 else "write 0.5 for 50 %") in warning


@pytest.mark.parametrize("threshold", [None, 0, 0.5, 0.55, 0.75])
def test_threshold_that_can_exclude_a_prediction_is_no_warning(threshold: float | None) -> None:
    choices = [{"name": name, "score_thresholds": threshold} for name in (*NAMES, "MCC")]

    assert evaluate(*BINARY, choices).warnings == ()


TAGS = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]])


@pytest.mark.parametrize("scores", [TAGS * 1.0, TAGS * 0.8 + 0.1], ids=["saturated", "others"])
@pytest.mark.parametrize("name", ["F1", "Counts", "Examples"])
def test_multilabel_items_of_which_hardmax_predicts_one_label_are_warned_of(
    name: str, scores: Any, tmp_path: Path
) -> None:
    evaluator = Evaluator([name], "classification")
    evaluator.update(TAGS[1:2], scores[1:2] * 0.9)
    evaluator.update(TAGS, scores)
    (warning,) = evaluator.compute().warnings
    assert warning.startswith("items have several ground truths, but hardmax: true predicts only")
    evaluator.save(tmp_path / "state.npz")
    other = Evaluator([name], "classification")
    other.resume(tmp_path / "state.npz")
    assert other.compute().warnings == (warning,)

    choice = {"name": name, "hardmax": False, "score_thresholds": 0.5}
    report = evaluate(TAGS, scores, [choice])
    assert report.warnings == ()
    if name == "F1":
        assert report["F1"].find(average="macro").value == 1


@pytest.mark.parametrize(
    "predictions", [[[1, 1, 0], [0, 1, 1]], [[1, 0, 0], [0, 0, 0]]], ids=["two labels", "no label"]
)
def test_predicted_labels_as_floats_of_which_hardmax_takes_one_are_warned_of(
    predictions: Any,
) -> None:
    true = np.array([[1, 0, 0], [0, 1, 0]])
    scores = np.array(predictions, np.float64)

    (warning,) = evaluate(true, scores, ["F1"]).warnings

    assert warning.startswith("scores of exactly 0 or 1 give items several best labels")
    choice = {"name": "F1", "hardmax": False, "score_thresholds": 0.5}
    assert evaluate(true, scores, [choice, "ROCAUC"]).warnings == ()
    assert evaluate(true, np.roll(true, 1, 0) * 1.0, ["F1"]).warnings == ()


def test_threshold_above_chance_that_all_reach_is_no_warning() -> None:
    scores = np.full((4, 10), 0.02)
    scores[:, 3] = 0.82

    def warnings(threshold: float) -> tuple[str, ...]:
        choice = {"name": "F1", "score_thresholds": threshold}
        return evaluate([3, 3, 3, 1], scores, [choice]).warnings

    assert warnings(0.2) == ()
    assert "0.05 changes nothing" in warnings(0.05)[0]


@pytest.mark.parametrize("hardmax", [True, False])
def test_threshold_in_percent_is_warned_of(hardmax: bool) -> None:
    choice = {"name": "F1", "score_thresholds": 50, "hardmax": hardmax}

    (warning,) = evaluate(*BINARY, [choice]).warnings

    assert warning == (
        "score_threshold 50: no score reaches it, so that nothing is predicted; write 0.5 for 50 %"
    )
    logits = np.array([[60.0, -3.0], [-2.0, 55.0]])
    assert evaluate([0, 1], logits, [choice]).warnings == ()


def test_scores_that_sum_to_more_than_one_are_warned_of_by_the_log_loss() -> None:
    report = evaluate([1, 0, 1], [[0.8, 0.8], [0.8, 0.8], [0.5, 0.5]], ["LogLoss", "BrierScore"])

    # the truths score 0.8, 0.8 and 0.5
    assert report["LogLoss"].value == pytest.approx(-(2 * np.log(0.8) + np.log(0.5)) / 3)
    assert report.warnings == (
        "LogLoss: the scores of 2 items sum to more than 1; give probabilities, such as those of "
        "a softmax",
    )


@pytest.mark.parametrize(
    "scores",
    [
        [[0.33, 0.33, 0.33]],
        np.array([[0.1, 0.2, 0.7]], np.float32),
        [[0.115] * 8 + [0.08]],
        [{"a": 0.7, "b": 0.2}],
        [{"a": 0.5, "b": 0.5}],
    ],
)
def test_rounded_scores_and_short_lists_are_no_warning(scores: Any) -> None:
    if isinstance(scores[0], dict):
        rows = [{"label": "a", "predictions": one} for one in scores]
        assert evaluate(rows, ["LogLoss"]).warnings == ()
    else:
        assert evaluate([0], scores, ["LogLoss"]).warnings == ()


def test_labels_that_a_label_map_makes_one_are_no_warning() -> None:
    report = evaluate([0, 1], [[0.5, 0.25, 0.25]] * 2, ["LogLoss"], label_map={"2": "1"})

    assert report.warnings == ()


def test_count_of_sums_does_not_depend_on_the_split(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    scores = rng.random((64, 3))
    true = rng.integers(0, 3, 64)
    whole = evaluate(true, scores, ["LogLoss"]).warnings

    evaluator, other = Evaluator(["LogLoss"]), Evaluator(["LogLoss"])
    for start in range(0, 32, 5):
        evaluator.update(true[start : start + 5], scores[start : start + 5])
    other.update(true[35:], scores[35:])
    other.save(tmp_path / "state.npz")
    evaluator.resume(tmp_path / "state.npz")

    assert evaluator.compute().warnings == whole
    assert len(whole) == 1
