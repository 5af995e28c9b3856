from __future__ import annotations

import pytest

from valor_core import Detection, Evaluator, evaluate
from valor_core.errors import SchemaError, ValorError
from valor_core.schemas.detection import PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

BOX = Box(0, 0, 2, 1)
PREDICTED = [PredictedObject({"dog": 0.5}, BOX)]
IGNORED = Detection("b", [TrueObject("dog", BOX), TrueObject("dog", BOX, ignored=True)], PREDICTED)
METRICS = ["AP", "F1", "ConfusionMatrix", "COCOSummary", "ErrorAnalysis", "LRP"]


@pytest.mark.parametrize("metric", METRICS)
def test_ignored_object_raises_error_instead_of_counting(metric: str) -> None:
    with pytest.raises(
        ValorError,
        match=r"item 'b', groundtruths\[1\]: expected ignored=False, metrics of this version count "
        "all objects, got True",
    ):
        evaluate([Detection("a"), IGNORED], [metric])


@pytest.mark.parametrize("metric", METRICS)
def test_searched_labels_raise_error_instead_of_counting(metric: str) -> None:
    item = Detection("a", [TrueObject("dog", BOX)], PREDICTED, searched=["dog"])

    with pytest.raises(ValorError, match="searched: expected None, metrics of this version count"):
        evaluate([item], [metric])


def test_evaluator_goes_on_after_ignored_object() -> None:
    evaluator = Evaluator(["Counts"], task="detection")
    evaluator.update([Detection("a", [TrueObject("dog", BOX)], PREDICTED)])

    with pytest.raises(SchemaError, match="expected ignored=False"):
        evaluator.update([IGNORED])

    assert evaluator.compute()["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}
