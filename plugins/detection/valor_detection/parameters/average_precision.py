"""Parameters of the average precisions."""

from __future__ import annotations

from valor_core.parameters import parameters
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
class MeanAPParameters(fields.Sized):
    """Parameters of mAP."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds()
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.coco_max_detections()
    area_ranges: fields.AreaRanges | None = fields.coco_area_ranges()
    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class MeanAPAveragedParameters(fields.Sized):
    """Parameters of mAPAveragedOverIOUs."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds(
        fields.COCO_IOUS, "iou_thresholds_to_compute"
    )
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.coco_max_detections()
    area_ranges: fields.AreaRanges | None = fields.coco_area_ranges()
    include_prediction_only_labels: bool = fields.prediction_only()
    convert_to: fields.ConvertTo | None = fields.convert_to()
