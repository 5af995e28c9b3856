"""Parameters of the gallery."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import parameter, parameters


@parameters
class GalleryParameters:
    """Parameters of Gallery."""

    images: Path | None = parameter(default=None, help="Folder of the images.")
    image_field: str | None = parameter(
        default=None,
        help="Metadata field with the path of an image in that folder. Null is image, file_name or "
        "a similar name, or else the uid.",
    )
    text_field: str | None = parameter(
        default=None,
        help="Metadata field with the text. Null is text, sentence or a similar name.",
    )
    score_threshold: float = parameter(
        default=0.5, help="Least score of predictions of an item with several ground truths."
    )
