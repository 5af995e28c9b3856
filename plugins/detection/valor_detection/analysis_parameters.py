"""Parameters of the metrics that look at single objects: matrices, examples, errors."""

from __future__ import annotations

from typing import Literal

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import (
    CURVE_THRESHOLDS,
    ConvertTo,
    Rule,
    _convert_to,
    _iou_threshold,
    _iou_thresholds,
    _matching,
    _max_detections,
    _prediction_only,
    _score_thresholds,
)


def _per_label() -> bool:
    per_label: bool = parameter(
        default=False, help="Whether every label has a result of its own besides that of its key."
    )
    return per_label


def _localizing_threshold() -> float:
    threshold: float = parameter(
        default=0.5,
        help="A prediction matches a ground truth if their IoU is at least this; an IoU of 1 less "
        "this is the error that counts like a miss.",
        check=Within(0, 1, open_low=True, open_high=True),
    )
    return threshold


@parameters
class ConfusionMatrixParameters:
    """Parameters of ConfusionMatrix."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = _score_thresholds((0.5,))
    matching: Rule = _matching()
    max_examples: int = parameter(
        default=0,
        help="Most objects named for each cell, the best-scoring first; unmatched ground truths "
        "in the order of images.",
        check=Within(0),
    )
    convert_to: ConvertTo | None = _convert_to()


@parameters
class ExamplesParameters:
    """Parameters of Examples."""

    iou_thresholds: tuple[float, ...] = _iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = _score_thresholds((0.5,))
    matching: Rule = _matching()
    order: Literal["errors", "uid"] = parameter(
        default="errors",
        help="errors puts images with the most false positives and false negatives first, equal "
        "ones by uid; uid goes by uid alone.",
    )
    limit: int | None = parameter(
        default=100, help="Most images listed; null is all.", check=Within(0)
    )
    offset: int = parameter(default=0, help="Images skipped first.", check=Within(0))
    convert_to: ConvertTo | None = _convert_to()


@parameters
class DetailedCurveParameters:
    """Parameters of DetailedPrecisionRecallCurve."""

    iou_threshold: float = _iou_threshold()
    score_thresholds: tuple[float, ...] = _score_thresholds(CURVE_THRESHOLDS)
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    max_examples: int = parameter(
        default=1,
        help="Most objects shown for each count: of predictions those with the best scores, of "
        "ground truths the first in the order of images.",
        check=Within(0),
        aliases=("pr_curve_max_examples",),
    )
    convert_to: ConvertTo | None = _convert_to()


@parameters
class CalibrationParameters:
    """Parameters of CalibrationError."""

    bins: int = parameter(
        default=15, help="Number of equal bins in [0, 1].", check=Within(1, 10_000)
    )
    iou_threshold: float = _iou_threshold()
    score_threshold: float = parameter(
        default=0.0, help="Predictions with a lower score are left out."
    )
    per_label: bool = _per_label()
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class ErrorAnalysisParameters:
    """Parameters of ErrorAnalysis."""

    iou_threshold: float = parameter(
        default=0.5,
        help="A prediction with at least this IoU is well localized.",
        check=Within(0, 1, open_low=True),
        aliases=("foreground_threshold",),
    )
    background_threshold: float = parameter(
        default=0.1,
        help="A prediction with at most this IoU with anything is on the background; less than "
        "iou_threshold.",
        check=Within(0, 1, open_low=True),
    )
    per_label: bool = _per_label()
    include_prediction_only_labels: bool = _prediction_only()
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    convert_to: ConvertTo | None = _convert_to()

    def __attrs_post_init__(self) -> None:
        if self.background_threshold >= self.iou_threshold:
            raise ParameterError(
                f"background_threshold must be less than iou_threshold, "
                f"got {self.background_threshold} and {self.iou_threshold}"
            )


@parameters
class LRPParameters:
    """Parameters of LRP."""

    iou_threshold: float = _localizing_threshold()
    score_thresholds: tuple[float, ...] = _score_thresholds((0.5,))
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    include_prediction_only_labels: bool = _prediction_only()
    convert_to: ConvertTo | None = _convert_to()


@parameters
class OptimalLRPParameters:
    """Parameters of OptimalLRP."""

    iou_threshold: float = _localizing_threshold()
    matching: Rule = _matching()
    max_detections: int | None = _max_detections()
    include_prediction_only_labels: bool = _prediction_only()
    convert_to: ConvertTo | None = _convert_to()
