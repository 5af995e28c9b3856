"""Parameters of the localization recall precision errors."""

from __future__ import annotations

from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import fields


def _localizing_threshold() -> float:
    threshold: float = parameter(
        default=0.5,
        help="A prediction matches a ground truth if their IoU is at least this; an IoU of 1 less "
        "this is the error that counts like a miss.",
        check=Within(0, 1, open_low=True, open_high=True),
    )
    return threshold


@parameters
class LRPParameters:
    """Parameters of LRP."""

    iou_threshold: float = _localizing_threshold()
    score_thresholds: tuple[float, ...] = fields.score_thresholds((0.5,))
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.max_detections()
    include_prediction_only_labels: bool = fields.prediction_only("their error of 1")
    convert_to: fields.ConvertTo | None = fields.convert_to()


@parameters
class OptimalLRPParameters:
    """Parameters of OptimalLRP."""

    iou_threshold: float = _localizing_threshold()
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.max_detections()
    include_prediction_only_labels: bool = fields.prediction_only("their error of 1")
    convert_to: fields.ConvertTo | None = fields.convert_to()
