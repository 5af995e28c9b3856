"""Parameters of galleries, and the page that they make."""

from __future__ import annotations

from pathlib import Path

from valor_core.parameters import Within, parameter, parameters

INDEX = "index.html"
"""The page of the pictures, in their folder."""


@parameters
class GalleryParameters:
    """What every gallery can be told, whatever its task."""

    folder: Path = parameter(help="Folder for the pictures and their page, index.html.")
    name: str = parameter(
        default="Gallery", help="Which gallery draws them; that of the task without a name."
    )
    most: int = parameter(default=20, help="Most items that are drawn.", check=Within(1))
