"""Parameters of averages over recall and score thresholds."""

from __future__ import annotations

from typing import Any

from valor_core.parameters import parameter, parameters
from valor_detection.parameters import fields


@parameters
class APParameters(fields.Sized):
    """Parameters of AP."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds()
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.COCO_MAX_DETECTIONS
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    area_ranges: fields.AreaRanges | None = fields.COCO_AREA_RANGES
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class APAveragedParameters(fields.Sized):
    """Parameters of APAveragedOverIOUs."""

    iou_thresholds: tuple[float, ...] = fields.COCO_IOU_THRESHOLDS
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.COCO_MAX_DETECTIONS
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    area_ranges: fields.AreaRanges | None = fields.COCO_AREA_RANGES
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class MeanAPParameters(APParameters):
    """Parameters of mAP."""

    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class MeanAPAveragedParameters(APAveragedParameters):
    """Parameters of mAPAveragedOverIOUs."""

    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


_RECALL_SCORE_THRESHOLD: Any = parameter(
    default=0.0, help="A prediction counts towards recall if its score is at least this."
)


@parameters
class ARParameters(fields.Sized):
    """Parameters of AR."""

    iou_thresholds: tuple[float, ...] = fields.COCO_IOU_THRESHOLDS
    recall_score_threshold: float = _RECALL_SCORE_THRESHOLD
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.COCO_MAX_DETECTIONS
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    area_ranges: fields.AreaRanges | None = fields.COCO_AREA_RANGES
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class ARAveragedParameters(fields.Sized):
    """Parameters of ARAveragedOverScores."""

    iou_thresholds: tuple[float, ...] = fields.COCO_IOU_THRESHOLDS
    score_thresholds: tuple[float, ...] = fields.score_thresholds(fields.CURVE_THRESHOLDS)
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    max_detections: int | None = fields.COCO_MAX_DETECTIONS
    max_detections_per: fields.Limited | None = fields.MAX_DETECTIONS_PER
    area_ranges: fields.AreaRanges | None = fields.COCO_AREA_RANGES
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class MeanARParameters(ARParameters):
    """Parameters of mAR."""

    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class MeanARAveragedParameters(ARAveragedParameters):
    """Parameters of mARAveragedOverScores."""

    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP
