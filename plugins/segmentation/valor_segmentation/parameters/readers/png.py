"""Parameters of the reader of PNG images."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from valor_files import LabelList

from valor_core.parameters import parameter, parameters
from valor_segmentation.parameters.readers import fields


@parameters
class PngParameters:
    """Parameters of the reader of PNG images."""

    groundtruths: Path = parameter(help="Folder of true label images in PNG, or one such file.")
    predictions: Path = parameter(
        help="Folder of predicted label images with the same names, or one such file."
    )
    labels: LabelList = fields.labels()
    values: Mapping[str, str | None] = fields.values()
    palette: Mapping[str, str | None] = parameter(
        default={},
        help="What colors mean, in place of labels: label of each color, null for background. A "
        "color is written '#ff0000' or '[255, 0, 0]'. Black is background unless it stands there.",
    )
    ignore: tuple[int | str, ...] = parameter(
        default=(),
        help="Values of pixels of the ground truth that do not count; colors where there is a "
        "palette.",
    )
    label_key: str = fields.label_key()
    groundtruth_ending: str = fields.ending("ground truths", ".png")
    prediction_ending: str = fields.ending("predictions", ".png")
    missing: fields.Missing = fields.missing()
    metadata: Path | None = fields.metadata()
    uid: str = fields.uid()
    partition_images: int = fields.partition_images()
