"""Parameters of the metrics that count pixels."""

from __future__ import annotations

from typing import Literal

from valor_core.parameters import Within, parameter, parameters
from valor_segmentation.parameters import fields


def _prediction_only() -> bool:
    include: bool = parameter(
        default=False,
        help="Whether labels that are predicted but have no true pixel take part in the macro "
        "mean.",
    )
    return include


@parameters
class LabelParameters:
    """Parameters of Precision, Recall and F1."""

    average: tuple[fields.Average, ...] = fields.average(("none", "micro", "macro", "weighted"))
    zero_division: float | None = parameter(
        default=0.0,
        help="Value of 0/0; null makes it undefined, left out of means and counted.",
        check=Within(0, 1),
    )
    include_prediction_only_labels: bool = _prediction_only()


@parameters
class IOUParameters:
    """Parameters of IOU."""

    average: tuple[fields.Average, ...] = fields.average(("none",))
    include_prediction_only_labels: bool = _prediction_only()


@parameters
class MeanIOUParameters:
    """Parameters of mIOU."""

    average: Literal["macro", "weighted"] = parameter(
        default="macro",
        help="Plain mean over labels, or the mean by true pixels (frequency weighted).",
    )
    background: bool = parameter(
        default=False, help="Whether background takes part in the mean like a label."
    )
    include_prediction_only_labels: bool = _prediction_only()


@parameters
class AccuracyParameters:
    """Parameters of Accuracy."""

    background: bool = parameter(
        default=True, help="Whether pixels whose ground truth is background count."
    )


@parameters
class ConfusionMatrixParameters:
    """Parameters of ConfusionMatrix."""

    normalize: Literal["none", "truth", "prediction", "all", "iou"] = parameter(
        default="none",
        help="Pixels; shares of each ground truth's row, each prediction's column, or of all; or "
        "the IoU of the ground truth's pixels and the prediction's.",
    )
