"""Warnings for score thresholds of detection metrics that change nothing."""

from __future__ import annotations

import pytest

from valor_core import evaluate
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

BOX = Box(0, 0, 10, 10)


def images(*scores: float) -> list[Detection]:
    return [
        Detection(f"i{n}", [TrueObject("cat", BOX)], [PredictedObject({"cat": score}, BOX)])
        for n, score in enumerate(scores)
    ]


NAMES = ("Counts", "Precision", "Recall", "F1", "ConfusionMatrix", "LRP")


@pytest.mark.parametrize("name", NAMES)
def test_score_threshold_in_percent_warns(name: str) -> None:
    report = evaluate(images(0.3, 0.9), [{"name": name, "score_thresholds": 50}], task="detection")

    assert report.warnings == (
        "score_threshold 50: no score reaches it, so that nothing is predicted; write 0.5 for 50 %",
    )


@pytest.mark.parametrize("name", NAMES)
def test_thresholds_below_the_lowest_score_warn(name: str) -> None:
    thresholds = {"name": name, "score_thresholds": [0.05, 0.2, 0.5]}
    report = evaluate(images(0.3, 0.9), [thresholds], task="detection", slices=["site"])

    assert (
        "score_thresholds 0.05 and 0.2 give the same numbers, the lowest score is 0.3"
        in report.warnings
    )


@pytest.mark.parametrize("scores", [(30.0, 90.0), (0.3, 0.9), ()])
def test_thresholds_that_select_predictions_do_not_warn(scores: tuple[float, ...]) -> None:
    threshold = 50 if max(scores, default=0) > 1 else 0.5
    metrics = [{"name": name, "score_thresholds": threshold} for name in NAMES]

    report = evaluate(images(*scores), [*metrics, "DetailedPrecisionRecallCurve"], task="detection")

    assert [one for one in report.warnings if one.startswith("score_threshold")] == []
