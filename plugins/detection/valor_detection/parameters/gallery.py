"""Parameters of the gallery."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import parameter, parameters
from valor_detection.parameters import fields


@parameters
class GalleryParameters:
    """Parameters of Gallery."""

    images: Path | None = parameter(
        default=None, help="Folder of the images; null draws on an empty background."
    )
    image_field: str = parameter(
        default="file_name",
        help="Metadata field with the path of an image in that folder; its uid where it has none.",
        non_empty=True,
    )
    iou_threshold: float = fields.IOU_THRESHOLD
    score_threshold: float = parameter(
        default=0.5, help="A prediction is drawn if its score is at least this."
    )
    matching: fields.Rule = fields.MATCHING
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
