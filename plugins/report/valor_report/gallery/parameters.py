"""Parameters that all galleries share."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import Within, parameter, parameters

INDEX = "index.html"
"""File name of the page in the gallery's folder."""

NOT_DRAWN = "gallery: not drawn, "
"""Beginning of the warning of a report without its gallery."""


@parameters
class GalleryParameters:
    """Parameters that galleries of all tasks accept."""

    folder: Path = parameter(help="Folder for the pictures and their page, index.html.")
    name: str = parameter(
        default="Gallery", help="Name of the gallery. The default is the gallery of the task."
    )
    most: int = parameter(default=20, help="Maximum number of items to draw.", check=Within(1))
