"""Parameters of the gallery."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import Within, parameter, parameters


@parameters
class GalleryParameters:
    """Parameters of Gallery."""

    images: Path | None = parameter(
        default=None, help="Folder of the images; null shows texts and metadata."
    )
    image_field: str | None = parameter(
        default=None,
        help="Metadata field with the path of an image in that folder. Null is a field with a "
        "usual name, such as image or file_name, or else the uid.",
    )
    text_field: str | None = parameter(
        default=None,
        help="Metadata field with the classified text. Null is a field with a usual name, such as "
        "text or sentence.",
    )
    score_threshold: float = parameter(
        default=0.5,
        help="Labels with at least this score are predictions of an item with several ground "
        "truths.",
    )
    characters: int = parameter(
        default=1000, help="Maximum number of characters of a text.", check=Within(1)
    )
