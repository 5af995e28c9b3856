from __future__ import annotations

import sys

from valor_segmentation.parameters.pixels import LabelParameters
from valor_segmentation.states import LabelQuotient
from valor_testing import check_metric

from valor_core.evaluation import Evaluator
from valor_core.results import NumberOrReason, ratio
from valor_core.schemas.segmentation import Segmentation
from valor_core.specs import MetricSpec, Range


class Dice(LabelQuotient):
    """Pixels on which both sides agree, of half of the pixels of both: 2 tp / (2 tp + fp + fn)."""

    def value(self, tp: int, fp: int, fn: int) -> NumberOrReason:
        """The quotient."""
        return ratio(2 * tp, 2 * tp + fp + fn, self.parameters.zero_division, "no pixels")


DICE = MetricSpec(
    name="mylab.PixelDice",
    task="segmentation",
    summary="Dice coefficient of each label",
    parameters=LabelParameters,
    implementation=f"{__name__}:Dice",
    higher_is_better=True,
    range=Range(0, 1),
)


def test_a_metric_of_another_plugin_on_pixel_counts_keeps_all_laws() -> None:
    for parameters in ({}, {"zero_division": None, "average": ["macro", "micro"]}):
        check_metric(DICE, parameters=parameters)


def test_a_metric_of_another_plugin_shares_the_one_state_with_the_familys_own() -> None:
    evaluator = Evaluator([DICE, "F1", "IOU", "Accuracy"], "segmentation")
    evaluator.update([Segmentation("a", [[1, 1, 0]], [[1, 0, 0]], labels=["cat"])])
    report = evaluator.compute()

    assert len(evaluator.evaluation.plan.requests) == 1
    # 2 * 1 / (2 * 1 + 0 + 1)
    assert report["PixelDice", "cat"].value == report["F1", "cat"].value == 2 / 3


def test_states_publish_what_their_docs_name() -> None:
    states = sys.modules["valor_segmentation.states"]

    assert all(name in (states.__doc__ or "") for name in states.__all__)
