"""Parameters of the segmentation metrics that count pixels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from valor_core.parameters import Within, parameter, parameters

Average = Literal["none", "micro", "macro", "weighted"]
Rank = Literal[
    "errors",
    "accuracy",
    "iou",
    "precision",
    "recall",
    "f1",
    "boundary_iou",
    "hausdorff",
    "panoptic_quality",
    "segmentation_quality",
    "recognition_quality",
]
Order = Literal[Rank, "uid"]


def average_of(default: tuple[Average, ...]) -> tuple[Average, ...]:
    """The parameter of averages over labels, with a default.

    Parameters
    ----------
    default : tuple of str
        Which averages there are where none is chosen.
    """
    average: tuple[Average, ...] = parameter(
        default=default,
        help="none is one result for each label; micro pools the pixels of all labels, macro is "
        "the plain mean over labels, weighted the mean by true pixels (frequency weighted).",
        non_empty=True,
        distinct=True,
    )
    return average


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

    average: tuple[Average, ...] = average_of(("none", "micro", "macro", "weighted"))
    zero_division: float | None = parameter(
        default=0.0,
        help="Value of 0/0; null makes it undefined, left out of means and counted.",
        check=Within(0, 1),
    )
    include_prediction_only_labels: bool = _prediction_only()


@parameters
class IOUParameters:
    """Parameters of IOU."""

    average: tuple[Average, ...] = average_of(("none",))
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


@parameters
class ExamplesParameters:
    """Parameters of Examples."""

    order: Order = parameter(
        default="errors",
        help="Which images come first: errors is most wrong pixels, uid the order of names; any "
        "other is the metric whose value on the image alone is worst (of several labels, the mean "
        "over those with true pixels).",
    )
    settings: Mapping[str, Any] = parameter(
        default={},
        help="Parameters of the metric that orders the images, such as {width_in_pixels: 3} of "
        "boundary_iou.",
    )
    label: str | None = parameter(
        default=None,
        help="Label whose pixels are looked at, in images that have it; null is all labels.",
    )
    errors_only: bool = parameter(
        default=False, help="Whether images without a wrong pixel are left out."
    )
    limit: int | None = parameter(
        default=10, help="Most images listed; null is all.", check=Within(0)
    )
    offset: int = parameter(default=0, help="Images skipped first.", check=Within(0))
