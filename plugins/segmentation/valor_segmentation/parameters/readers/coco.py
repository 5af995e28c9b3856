"""Parameters of the reader of COCO's panoptic and stuff files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from valor_core.parameters import parameter, parameters
from valor_segmentation.parameters.readers import fields

Overlap = Literal["error", "first", "last"]


@parameters
class CocoParameters:
    """Parameters of the reader of COCO's panoptic and stuff files."""

    groundtruths: Path = parameter(help="Data set in COCO's JSON: images, annotations, categories.")
    predictions: Path = parameter(
        help="Results in COCO's JSON: annotations with segments_info, or a list of segmentations."
    )
    groundtruth_images: Path | None = parameter(
        default=None,
        help="Folder of the PNG images of panoptic ground truths; the default is the folder "
        "called like the JSON without .json.",
    )
    prediction_images: Path | None = parameter(
        default=None, help="Folder of the PNG images of panoptic predictions, with such a default."
    )
    overlap: Overlap = parameter(
        default="error",
        help="Which of several labels has a pixel that segmentations share, in the order of the "
        "file: error, first, or last.",
    )
    label_key: str = fields.label_key()
    missing: fields.Missing = parameter(
        default="error",
        help="What becomes of an image without a panoptic annotation on one side: error, or "
        "background. Without segmentations it is background, and the report warns of it unless "
        "that is what this says.",
    )
    partition_images: int = fields.partition_images()
