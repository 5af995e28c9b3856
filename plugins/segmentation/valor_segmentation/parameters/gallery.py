"""Parameters of the list of the worst images and of the gallery."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from valor_core.parameters import Within, parameter, parameters

Rank = Literal[
    "errors",
    "accuracy",
    "iou",
    "precision",
    "recall",
    "f1",
    "boundary_iou",
    "hausdorff",
    "panoptic_quality",
    "segmentation_quality",
    "recognition_quality",
]


Order = Literal[Rank, "uid"]


@parameters
class ExamplesParameters:
    """Parameters of Examples."""

    order: Order = parameter(
        default="errors",
        help="Which images come first: errors is most wrong pixels, uid the order of names; any "
        "other is the metric whose value on the image alone is worst (of several labels, the mean "
        "over those with true pixels).",
    )
    settings: Mapping[str, Any] = parameter(
        default={},
        help="Parameters of the metric that orders the images, such as {width_in_pixels: 3} of "
        "boundary_iou.",
    )
    label: str | None = parameter(
        default=None,
        help="Only label to count, in images that have it; null is all labels.",
    )
    errors_only: bool = parameter(
        default=False, help="Whether to omit images without a wrong pixel."
    )
    limit: int | None = parameter(
        default=10, help="Most images listed; null is all.", check=Within(0)
    )
    offset: int = parameter(default=0, help="Images skipped first.", check=Within(0))


@parameters
class GalleryParameters:
    """Parameters of Gallery."""

    images: Path | None = parameter(
        default=None, help="Folder of the images; null shows label images only."
    )
    image_field: str = parameter(
        default="file_name",
        help="Metadata field with the path of an image in that folder; where it has none, its uid "
        "with the ending of an image, or without.",
        non_empty=True,
    )
    order: Rank = parameter(
        default="errors",
        help="What makes an image a bad one, as in Examples: most wrong pixels, or the worst value "
        "of a metric.",
    )
    settings: Mapping[str, Any] = parameter(
        default={}, help="Parameters of that metric, as in Examples."
    )
    label: str | None = parameter(
        default=None, help="Only label whose errors count; null is all labels."
    )
