"""Parameters of COCO's files and of its summary.

A separate module, since each parameter class takes a millisecond at start-up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import fields
from valor_detection.parameters.fields import LABEL_KEY, Policy

IouType = Literal["bbox", "segm", "keypoints"]


Unknown = Literal["error", "skip"]


@parameters
class CocoParameters:
    """Parameters of the reader of COCO files."""

    groundtruths: Path = parameter(help="Data set in COCO's JSON: images, annotations, categories.")
    predictions: Path = parameter(
        help="Results in COCO's JSON: a list, or a data set whose annotations have scores."
    )
    iou_type: IouType = parameter(
        default="bbox",
        help="Kind of objects to read: bbox is boxes, segm is masks, keypoints is boxes with "
        "keypoints, which metrics compare with matching: keypoints.",
    )
    label_key: str = LABEL_KEY
    invalid_geometry: Policy = parameter(
        default="accept",
        help="Policy for invalid boxes and masks: accept computes with them as pycocotools does, "
        "but rejects negative widths and heights; error rejects all of them, repair fixes what it "
        "can and excludes the rest, skip excludes them.",
    )
    unknown: Unknown = parameter(
        default="error",
        help="Policy for annotations of an image or category that is not in the data set: error, "
        "or skip, which counts them in the report.",
    )
    partition_images: int | None = parameter(
        default=None,
        help="Number of images per partition, for files too large for memory; null reads both "
        "files at once, which is faster.",
        check=Within(1),
    )


@parameters
class COCOSummaryParameters:
    """Parameters of COCOSummary."""

    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


@parameters
class LVISSummaryParameters:
    """Parameters of LVISSummary."""

    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP
