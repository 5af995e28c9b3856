"""Parameters of the analysis of errors."""

from __future__ import annotations

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import fields


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
    per_label: bool = fields.per_label()
    include_prediction_only_labels: bool = fields.prediction_only()
    matching: fields.Rule = fields.matching()
    max_detections: int | None = fields.max_detections()
    convert_to: fields.ConvertTo | None = fields.convert_to()

    def __attrs_post_init__(self) -> None:
        if self.background_threshold >= self.iou_threshold:
            raise ParameterError(
                f"background_threshold must be less than iou_threshold, "
                f"got {self.background_threshold} and {self.iou_threshold}"
            )
