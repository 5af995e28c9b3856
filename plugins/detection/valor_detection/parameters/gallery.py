"""Parameters of the gallery and of Examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from valor_core.errors import ParameterError
from valor_core.parameters import Within, parameter, parameters
from valor_detection.parameters import fields


@parameters
class ExamplesParameters:
    """Parameters of Examples."""

    iou_thresholds: tuple[float, ...] = fields.iou_thresholds((0.5,))
    score_thresholds: tuple[float, ...] = fields.score_thresholds((0.5,))
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    order: Literal["errors", "uid"] = parameter(
        default="errors",
        help="errors sorts images by descending number of false positives and false negatives, "
        "then by uid; uid sorts by uid only.",
    )
    limit: int | None = parameter(
        default=100, help="Maximum number of images; null is all.", check=Within(0)
    )
    offset: int = parameter(default=0, help="Number of images to skip.", check=Within(0))
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP


def _check_skeleton(owner: object, _: object, skeleton: Skeleton | None) -> None:
    """Raise a `ParameterError` for a line without two points, numbered from 1."""
    bad = [line for line in skeleton or () if len(line) != 2 or min(line) < 1]
    if bad:
        raise ParameterError(
            f"skeleton must have pairs of point numbers from 1, got {list(bad[0])}",
            "Write the skeleton of COCO's category: [[1, 2], [2, 3]].",
            place=f"{type(owner).__name__}: ",
        )


Skeleton = tuple[tuple[int, ...], ...]


_SKELETON: Any = parameter(
    default=None,
    help="Lines between keypoints, as pairs of point numbers from 1: skeleton of a category in "
    "COCO's files. Null is COCO's of a person for 17 points, and no lines for others.",
)
_SKELETON.validator(_check_skeleton)


@parameters
class GalleryParameters:
    """Parameters of Gallery."""

    images: Path | None = parameter(
        default=None, help="Folder of the images; null draws on an empty background."
    )
    image_field: str = parameter(
        default="file_name",
        help="Metadata field with the path of an image in that folder. Images without the field "
        "use their uid.",
        non_empty=True,
    )
    iou_threshold: float = fields.IOU_THRESHOLD
    score_threshold: float = parameter(
        default=0.5, help="A prediction is drawn if its score is at least this."
    )
    matching: fields.ProtocolName = fields.MATCHING
    sigmas: fields.Sigmas | None = fields.SIGMAS
    convert_to: fields.ConvertTo | None = fields.CONVERT_TO
    overlap: fields.OverlapName = fields.OVERLAP
    skeleton: Skeleton | None = _SKELETON
