"""Parameters of the reader of YOLO's folders."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import parameter, parameters
from valor_detection.parameters.policy import Policy
from valor_detection.parameters.readers import fields


@parameters
class YoloParameters:
    """Parameters of the reader of YOLO's folders."""

    groundtruths: Path = parameter(
        help="Folder with a text file for each image: lines of class, x, y, width, height."
    )
    predictions: Path = parameter(
        help="Folder with a text file for each image: such lines with the confidence at their end."
    )
    names: Path = parameter(help="data.yaml, or a text file with the name of one class a line.")
    images: Path | None = parameter(
        default=None, help="Folder of the images, whose sizes are read from their first bytes."
    )
    sizes: Path | None = parameter(
        default=None, help="Table of uid, width and height, in place of the images."
    )
    label_key: str = fields.label_key()
    invalid_geometry: Policy = fields.invalid_geometry("boxes and polygons")
    partition_images: int = fields.partition_images()
