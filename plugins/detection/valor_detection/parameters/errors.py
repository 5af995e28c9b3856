"""Parameters of error analysis, LRP and calibration."""

from __future__ import annotations

from typing import Any

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import fields


@parameters
class ErrorAnalysisParameters(fields.Counted):
    """Parameters of ErrorAnalysis."""

    iou_threshold: float = parameter(
        default=0.5,
        help="A prediction with at least this IoU is well localized.",
        check=Within(0, 1, open_low=True),
        aliases=("foreground_threshold",),
    )
    background_threshold: float = parameter(
        default=0.1,
        help="A prediction is a background error if its IoU with every ground truth is at most "
        "this; less than iou_threshold.",
        check=Within(0, 1, open_low=True),
    )
    per_label: bool = fields.PER_LABEL
    include_prediction_only_labels: bool = fields.prediction_only()
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.background_threshold >= self.iou_threshold:
            raise ParameterError(
                f"background_threshold must be less than iou_threshold, "
                f"got {self.background_threshold} and {self.iou_threshold}"
            )


_LOCALIZING_THRESHOLD: Any = parameter(
    default=0.5,
    help="A prediction matches a ground truth if their IoU is at least this. A match with exactly "
    "this IoU has an error of 1, like a miss.",
    check=Within(0, 1, open_low=True, open_high=True),
)


@parameters
class LRPParameters(fields.Counted):
    """Parameters of LRP."""

    iou_threshold: float = _LOCALIZING_THRESHOLD
    score_thresholds: tuple[float, ...] = fields.score_thresholds((0.5,))
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    include_prediction_only_labels: bool = fields.prediction_only("their error of 1")
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class OptimalLRPParameters(fields.Counted):
    """Parameters of OptimalLRP."""

    iou_threshold: float = _LOCALIZING_THRESHOLD
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    include_prediction_only_labels: bool = fields.prediction_only("their error of 1")
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class CalibrationParameters(fields.Counted):
    """Parameters of CalibrationError."""

    bins: int = parameter(
        default=15, help="Number of equal bins in [0, 1].", check=Within(1, 10_000)
    )
    iou_threshold: float = fields.IOU_THRESHOLD
    score_threshold: float = parameter(
        default=0.0, help="Predictions with a lower score are excluded."
    )
    per_label: bool = fields.PER_LABEL
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.max_detections()
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP
