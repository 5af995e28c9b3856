"""Parameters of the gallery."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from valor_core.parameters import parameter, parameters
from valor_segmentation.parameters.examples import Rank


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
        default=None, help="Label that is looked for errors; null is all labels."
    )
