"""Parameters of the gallery of the segmentation family."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import parameter, parameters


@parameters
class GalleryParameters:
    """Parameters of Gallery."""

    images: Path | None = parameter(
        default=None, help="Folder of the images; null shows label maps only."
    )
    image_field: str = parameter(
        default="file_name",
        help="Metadata field with the path of an image in that folder; where it has none, its uid "
        "with the ending of an image, or without.",
        non_empty=True,
    )
