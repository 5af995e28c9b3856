"""Precision, recall and F1 averaged over items, by hand and against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk
from valor_classification.readers.arrays import from_arrays

from valor_core import evaluate

from .support import REGISTRY, SETS, results_of, value_of

AT_HALF: dict[str, Any] = {"hardmax": False, "score_thresholds": 0.5, "average": "samples"}

# SETS at 0.5: a {dog, cat} true and predicted; b {dog} true, {dog, bee} predicted; c neither; d
# {bee} true, none predicted.


def test_mean_over_items_of_their_precision_recall_and_f1() -> None:
    assert value_of(SETS, "Precision", **AT_HALF) == (1 + 1 / 2 + 0 + 0) / 4
    assert value_of(SETS, "Recall", **AT_HALF) == (1 + 1 + 0 + 0) / 4
    # b: 2 / (2 + 1 + 0)
    assert value_of(SETS, "F1", **AT_HALF) == pytest.approx((1 + 2 / 3 + 0 + 0) / 4, rel=1e-15)
    # b: 5 / (5 + 1)
    assert value_of(SETS, "FBeta", **AT_HALF) == pytest.approx((1 + 5 / 6) / 4, rel=1e-15)


def test_zero_division_is_the_value_of_items_without_labels() -> None:
    ones = AT_HALF | {"zero_division": 1.0}

    # c and d predict nothing; c has no ground truth
    assert value_of(SETS, "Precision", **ones) == (1 + 1 / 2 + 1 + 1) / 4
    assert value_of(SETS, "Recall", **ones) == (1 + 1 + 1 + 0) / 4
    assert value_of(SETS, "F1", **ones) == pytest.approx((1 + 2 / 3 + 1 + 0) / 4, rel=1e-15)


def test_null_excludes_items_without_labels_and_counts_them() -> None:
    result = results_of(SETS, {"name": "Precision", **AT_HALF, "zero_division": None}).only

    assert result.value == (1 + 1 / 2) / 2
    assert result.left_out == {"no predictions": 2}


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
def test_random_sets_equal_scikit_learn(zero_division: float) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        count, width = int(rng.integers(3, 40)), int(rng.integers(2, 6))
        truths = rng.integers(0, 2, (count, width))
        scores = rng.random((count, width)).round(1)
        batch = from_arrays(truths, scores)
        weights = rng.integers(1, 8, count) / 4 if seed % 2 else None
        if weights is not None:
            batch = from_arrays(truths, scores, metadata={"weight": weights})
        choices = [
            {"name": name, **AT_HALF, "zero_division": zero_division}
            for name in ("Precision", "Recall", "F1", "FBeta")
        ]
        results = results_of(batch, *choices, weights=None if weights is None else "weight")
        settings: dict[str, Any] = {
            "average": "samples",
            "zero_division": zero_division,
            "sample_weight": weights,
        }
        predicted = (scores >= 0.5).astype(int)
        wanted = [
            sk.precision_score(truths, predicted, **settings),
            sk.recall_score(truths, predicted, **settings),
            sk.f1_score(truths, predicted, **settings),
            sk.fbeta_score(truths, predicted, beta=2, **settings),
        ]
        found = [one.value for one in results]
        assert found == pytest.approx(wanted, rel=1e-12)


def test_f1_of_single_labels_is_accuracy() -> None:
    batch = from_arrays([0, 1, 2, 1], np.eye(3)[[0, 1, 1, 2]] * 0.9)

    assert value_of(batch, "F1", average="samples") == 2 / 4


def test_best_label_of_items_with_several_ground_truths_has_a_warning() -> None:
    report = evaluate(SETS, [{"name": "F1", "average": "samples"}], registry=REGISTRY)

    assert any("hardmax: true predicts only the best label" in one for one in report.warnings)


@pytest.mark.parametrize("name", ["f1_samples", "samples_f1", "precision_samples"])
def test_name_of_scikit_learn(name: str) -> None:
    (found,) = results_of(SETS, name)

    assert found.parameters["average"] == "samples"
