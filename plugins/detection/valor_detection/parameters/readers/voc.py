"""Parameters of the reader of Pascal VOC's files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from valor_core.parameters import parameter, parameters
from valor_detection.parameters.policy import Policy
from valor_detection.parameters.readers import fields

Difficult = Literal["keep", "skip"]


@parameters
class VocParameters:
    """Parameters of the reader of Pascal VOC's files."""

    groundtruths: Path = parameter(help="Folder with an XML file for each image.")
    predictions: Path = parameter(
        help="Folder of results: a text file for each class with lines of image, score, xmin, "
        "ymin, xmax, ymax, or an XML file for each image whose objects have a score."
    )
    inclusive: bool = parameter(
        default=True,
        help="Whether coordinates are numbers of pixels, the first of which is 1 and the last of "
        "which belongs to the box, as VOC has it; false is edges.",
    )
    difficult: Difficult = parameter(
        default="keep", help="What becomes of objects marked as difficult: keep, or skip."
    )
    label_key: str = fields.label_key()
    invalid_geometry: Policy = fields.invalid_geometry("boxes")
    partition_images: int = fields.partition_images()
