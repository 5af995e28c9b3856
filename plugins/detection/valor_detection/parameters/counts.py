"""Parameters of counts and of results at single thresholds."""

from __future__ import annotations

from typing import Any, Literal

from valor_labels import ThresholdObjective

from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import fields

Average = Literal["none", "micro", "macro", "weighted"]


_AVERAGE: Any = parameter(
    default=("none", "micro", "macro", "weighted"),
    help="none is one result for each label; micro pools all labels, macro is the mean "
    "over labels, weighted the mean by number of ground truths.",
    non_empty=True,
    distinct=True,
)


_ZERO_DIVISION: Any = parameter(
    default=0.0,
    help="Value of 0/0; null makes it undefined, which excludes it from means and counts it.",
    check=Within(0, 1),
)


@parameters
class LabelParameters(fields.Sized):
    """Parameters of Precision, Recall and F1."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = fields.score_thresholds((0.5,))
    average: tuple[Average, ...] = _AVERAGE
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    area_ranges: fields.AreaRanges | None = fields.area_ranges()
    zero_division: float | None = _ZERO_DIVISION
    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class CountsParameters(fields.Sized):
    """Parameters of Counts."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = fields.score_thresholds((0.5,))
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    area_ranges: fields.AreaRanges | None = fields.area_ranges()
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class BestThresholdParameters(ThresholdObjective, fields.Sized):
    """Parameters of BestThreshold."""

    objective: Literal["f_beta", "cost", "recall_at_precision", "precision_at_recall"] | None = (
        parameter(
            default=None,
            help="Number to optimize: f_beta; the least cost; or the greatest recall or precision "
            "among thresholds that reach the minimum. Null is f_beta, or with apply the objective "
            "of the report.",
        )
    )
    iou_thresholds: tuple[float, ...] = fields.iou_thresholds((0.5,))
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    area_ranges: fields.AreaRanges | None = fields.area_ranges()
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        fields.Sized.__attrs_post_init__(self)


@parameters
class PrecisionRecallCurveParameters(fields.Sized):
    """Parameters of PrecisionRecallCurve."""

    iou_threshold: float = fields.IOU_THRESHOLD
    form: Literal["thresholds", "interpolated"] = parameter(
        default="thresholds",
        help="thresholds counts at every score threshold; interpolated gives precision and score "
        "at 101 recalls from 0 to 1.",
    )
    score_thresholds: tuple[float, ...] = fields.score_thresholds(fields.CURVE_THRESHOLDS)
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    area_ranges: fields.AreaRanges | None = fields.area_ranges()
    zero_division: float | None = _ZERO_DIVISION
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class ConfusionMatrixParameters:
    """Parameters of ConfusionMatrix."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = fields.score_thresholds((0.5,))
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_examples: int = parameter(
        default=0,
        help="Maximum number of objects listed per cell, by descending score; unmatched ground "
        "truths are in the order of images.",
        check=Within(0),
    )
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class DetailedCurveParameters(fields.Counted):
    """Parameters of DetailedPrecisionRecallCurve."""

    iou_threshold: float = fields.IOU_THRESHOLD
    score_thresholds: tuple[float, ...] = fields.score_thresholds(fields.CURVE_THRESHOLDS)
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    max_examples: int = parameter(
        default=1,
        help="Maximum number of objects shown per count: the predictions with the highest scores, "
        "or the first ground truths in the order of images.",
        check=Within(0),
        aliases=("pr_curve_max_examples",),
    )
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP
