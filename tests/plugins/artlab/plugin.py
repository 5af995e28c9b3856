from __future__ import annotations

from artlab.parameters import WallParameters
from valor_core.specs import GallerySpec, hookimpl


@hookimpl
def valor_galleries() -> tuple[GallerySpec, ...]:
    return (
        GallerySpec(
            name="artlab.Wall",
            task="text",
            summary="Responses as pictures",
            parameters=WallParameters,
            implementation="artlab.wall:Wall",
        ),
        GallerySpec(
            name="artlab.Sound",
            task="detection",
            summary="Boxes as pictures",
            implementation="artlab.wall:Wall",
        ),
    )
