"""Parameters of the metrics of pixels."""

from __future__ import annotations

from typing import Any, Literal

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters

Average = Literal["none", "micro", "macro", "weighted"]


def averages(default: tuple[Average, ...]) -> tuple[Average, ...]:
    """Declare averages over labels.

    Parameters
    ----------
    default : tuple of str
        Averages if none is chosen.
    """
    average: tuple[Average, ...] = parameter(
        default=default,
        help="none is one result for each label; micro pools the pixels of all labels, macro is "
        "the plain mean over labels, weighted the mean by true pixels (frequency weighted).",
        non_empty=True,
        distinct=True,
    )
    return average


_PREDICTION_ONLY: Any = parameter(
    default=False,
    help="Whether labels that are predicted but have no true pixel take part in the macro mean.",
)


@parameters
class LabelParameters:
    """Parameters of Precision, Recall and F1."""

    average: tuple[Average, ...] = averages(("none", "micro", "macro", "weighted"))
    zero_division: float | None = parameter(
        default=0.0,
        help="Value of 0/0; null makes it undefined: means exclude and count it.",
        check=Within(0, 1),
    )
    include_prediction_only_labels: bool = _PREDICTION_ONLY
    per: Literal["data", "image"] = parameter(
        default="data",
        help="data pools the pixels of all images; image is the mean over images of the value of "
        "each image.",
    )
    ignore_empty: bool = parameter(
        default=True,
        help="With per: image, whether the mean of a label excludes images without true pixels of "
        "it. If false, their value is 0, or zero_division without predicted pixels.",
    )

    def __attrs_post_init__(self) -> None:
        if self.per == "data" and not self.ignore_empty:
            raise ParameterError(
                "ignore_empty has no effect with per: data",
                "Set per: image, or leave ignore_empty out.",
            )


@parameters
class IOUParameters:
    """Parameters of IOU."""

    average: tuple[Average, ...] = averages(("none",))
    include_prediction_only_labels: bool = _PREDICTION_ONLY


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
    include_prediction_only_labels: bool = _PREDICTION_ONLY


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
