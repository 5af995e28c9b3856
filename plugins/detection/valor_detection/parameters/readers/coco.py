"""Parameters of the reader of COCO files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters.policy import Policy
from valor_detection.parameters.readers import fields

IouType = Literal["bbox", "segm"]


Unknown = Literal["error", "skip"]


@parameters
class CocoParameters:
    """Parameters of the reader of COCO files."""

    groundtruths: Path = parameter(help="Data set in COCO's JSON: images, annotations, categories.")
    predictions: Path = parameter(
        help="Results in COCO's JSON: a list, or a data set whose annotations have scores."
    )
    iou_type: IouType = parameter(
        default="bbox", help="What is compared: bbox is boxes, segm is masks."
    )
    label_key: str = fields.label_key()
    invalid_geometry: Policy = parameter(
        default="accept",
        help="What becomes of boxes and masks that cannot be right: accept computes with them as "
        "pycocotools does, but refuses negative widths and heights; error refuses all of them, "
        "repair mends what can be mended, skip leaves them out.",
    )
    unknown: Unknown = parameter(
        default="error",
        help="What becomes of annotations of an image or category that the data set does not "
        "have: error, or skip, which counts them in the report.",
    )
    partition_images: int | None = parameter(
        default=None,
        help="Number of images in the parts that workers read, for files too large for one "
        "machine; null reads both files as a whole, which is faster where they fit.",
        check=Within(1),
    )
