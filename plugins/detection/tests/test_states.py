from __future__ import annotations

import sys
from collections.abc import Iterator

from attrs import frozen
from valor_detection.parameters.errors import CalibrationParameters
from valor_detection.states import Overlaps, overlaps, protocol_of, ranking
from valor_labels import label_parameters
from valor_testing import check_metric

from valor_core.evaluation import Evaluator
from valor_core.parameters import changed_parameters
from valor_core.results import Result, mean_of_defined
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.specs import MetricSpec, Range
from valor_core.states import StateRequest


@frozen
class MeanTrueScore:
    """Mean score of the matched predictions of each label."""

    parameters: CalibrationParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the overlaps."""
        return (overlaps((self.parameters.iou_threshold,), protocol_of(self.parameters)),)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield one result for each label."""
        ranked = ranking(state.table, self.parameters)
        changed = changed_parameters(self.parameters)
        for code in (code for codes in state.table.seen.values() for code in codes):
            scores = ranked.scores[ranked.is_true & (ranked.labels == code)].tolist()
            value, _ = mean_of_defined(scores, "true positives")
            label = label_parameters(state.table.labels[code])
            yield Result(parameters=label | changed, value=value)


MEAN_TRUE_SCORE = MetricSpec(
    name="mylab.MeanTrueScore",
    task="detection",
    summary="Mean score of the predictions that found a ground truth",
    parameters=CalibrationParameters,
    implementation=f"{__name__}:MeanTrueScore",
    higher_is_better=None,
    range=Range(),
)


def test_a_metric_of_another_plugin_on_overlaps_keeps_all_laws() -> None:
    for parameters in ({}, {"matching": "ranked", "iou_threshold": 0.75}):
        check_metric(MEAN_TRUE_SCORE, parameters=parameters)


def test_metric_of_another_plugin_shares_the_state_of_the_family() -> None:
    near, far = Box(0, 0, 4, 4), Box(9, 9, 12, 12)
    items = [
        Detection("a", [TrueObject("dog", near)], [PredictedObject({"dog": 0.5}, near)]),
        Detection("b", [TrueObject("dog", near)], [PredictedObject({"dog": 0.75}, near)]),
        Detection("c", [TrueObject("dog", near)], [PredictedObject({"dog": 0.9}, far)]),
    ]
    evaluator = Evaluator([MEAN_TRUE_SCORE, "CalibrationError", "AP"], "detection")
    evaluator.update(items)

    assert len(evaluator.evaluation.plan.requests) == 1
    # of a and b: (0.5 + 0.75) / 2
    assert evaluator.compute()["MeanTrueScore", "dog"].value == 0.625


def test_states_have_the_documented_attributes() -> None:
    states = sys.modules["valor_detection.states"]

    assert all(name in (states.__doc__ or "") for name in states.__all__)
