"""Parameters of averages over recall and score thresholds."""

from __future__ import annotations

from valor_core.parameters import parameter, parameters
from valor_detection.parameters import fields


@parameters
class APParameters(fields.Sized):
    """Parameters of AP."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds()
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.coco_max_detections()
    area_ranges: fields.AreaRanges | None = fields.coco_area_ranges()
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class APAveragedParameters(fields.Sized):
    """Parameters of APAveragedOverIOUs."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds(
        fields.COCO_IOUS, "iou_thresholds_to_compute"
    )
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.coco_max_detections()
    area_ranges: fields.AreaRanges | None = fields.coco_area_ranges()
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class MeanAPParameters(APParameters):
    """Parameters of mAP."""

    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class MeanAPAveragedParameters(APAveragedParameters):
    """Parameters of mAPAveragedOverIOUs."""

    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.convert_to()


def _recall_score_threshold() -> float:
    threshold: float = parameter(
        default=0.0, help="A prediction counts towards recall if its score is at least this."
    )
    return threshold


@parameters
class ARParameters(fields.Sized):
    """Parameters of AR."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds(
        fields.COCO_IOUS, "iou_thresholds_to_compute"
    )
    recall_score_threshold: float = _recall_score_threshold()
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.coco_max_detections()
    area_ranges: fields.AreaRanges | None = fields.coco_area_ranges()
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class ARAveragedParameters(fields.Sized):
    """Parameters of ARAveragedOverScores."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds(
        fields.COCO_IOUS, "iou_thresholds_to_compute"
    )
    score_thresholds: tuple[float, ...] = fields.score_thresholds(fields.CURVE_THRESHOLDS)
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.coco_max_detections()
    area_ranges: fields.AreaRanges | None = fields.coco_area_ranges()
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class MeanARParameters(ARParameters):
    """Parameters of mAR."""

    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class MeanARAveragedParameters(ARAveragedParameters):
    """Parameters of mARAveragedOverScores."""

    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class COCOSummaryParameters:
    """Parameters of COCOSummary."""

    convert_to: fields.ConvertTo | None = fields.convert_to()
