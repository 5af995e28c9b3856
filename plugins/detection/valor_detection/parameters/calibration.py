"""Parameters of the calibration error."""

from __future__ import annotations

from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import fields


@parameters
class CalibrationParameters:
    """Parameters of CalibrationError."""

    bins: int = parameter(
        default=15, help="Number of equal bins in [0, 1].", check=Within(1, 10_000)
    )
    iou_threshold: float = fields.iou_threshold()
    score_threshold: float = parameter(
        default=0.0, help="Predictions with a lower score are left out."
    )
    per_label: bool = fields.per_label()
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.max_detections()
    convert_to: fields.ConvertTo | None = fields.convert_to()
