"""Every metric of the plugin keeps every law of the conformance kit, by default and otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from valor_testing import cases

SEVERAL = {"score_thresholds": [0.5, 0.0, 0.35], "hardmax": False}

SCALE = ["ant", "bee", "cat", "dog", "owl", "black", "white"]


THRESHOLDS = Path(__file__).with_name("thresholds.json")
"""Report with thresholds of the labels, to apply."""

PARAMETERS = {
    "classification.Accuracy": [
        {},
        {"score_thresholds": [0.35, 0.0], "hardmax": False, "multilabel": "jaccard"},
        {"multilabel": "hamming"},
        {"top_k": 2, "score_thresholds": [0.5, 0.1]},
        {"balanced": True},
    ],
    "classification.Precision": [{}, SEVERAL | {"zero_division": None}],
    "classification.Recall": [{}, SEVERAL | {"zero_division": 1.0, "average": ["macro"]}],
    "classification.F1": [
        {},
        SEVERAL | {"include_prediction_only_labels": True},
        SEVERAL | {"average": ["samples", "micro"], "zero_division": None},
        {"average": "samples"},
    ],
    "classification.FBeta": [{}, SEVERAL | {"beta": 0.5}],
    "classification.Counts": [{}, SEVERAL],
    "classification.ROCAUC": [{}, {"bins": 4}],
    "classification.mROCAUC": [{}, {"average": "weighted", "bins": 7}],
    "classification.ROCCurve": [{}, {"drop_intermediate": False}],
    "classification.AveragePrecision": [{}, {"average": ["weighted", "none"], "bins": 4}],
    "classification.BestThreshold": [
        {},
        {"objective": "youden", "average": "none"},
        {"objective": "cost", "false_negative_cost": 3, "average": "micro"},
        {"objective": "recall_at_precision", "minimum": 0.5},
        {"apply": THRESHOLDS},
    ],
    "classification.PrecisionRecallCurve": [
        {},
        {"score_thresholds": [0.7, 0.35], "zero_division": None},
    ],
    "classification.DetailedPrecisionRecallCurve": [
        {},
        {"score_thresholds": [0.5, -1.0], "max_examples": 3},
    ],
    "classification.ConfusionMatrix": [
        {},
        SEVERAL | {"max_examples": 2},
        {"normalize": "truth"},
        {"normalize": "prediction"},
        {"normalize": "all", "hardmax": False, "score_thresholds": 0.35},
    ],
    "classification.Examples": [
        {},
        SEVERAL | {"errors_only": True, "limit": 2, "offset": 1},
    ],
    "classification.MatthewsCorrelation": [{}, {"score_thresholds": [0.5, 0.1]}],
    "classification.CohenKappa": [
        {},
        {"weights": "quadratic", "score_thresholds": [0.5, 0.1], "order": SCALE},
    ],
    "classification.BrierScore": [{}, {"scale_by_half": True}],
    "classification.CalibrationError": [{}, {"bins": 3}, {"bins": 4, "positive": "cat"}],
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=name)
        for name, check in cases("classification", parameters=PARAMETERS)
    ],
)
def test_the_plugin_conforms(check: Callable[[], None]) -> None:
    check()
