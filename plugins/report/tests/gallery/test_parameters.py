from __future__ import annotations

from messages import refused
from valor_report.gallery.parameters import GalleryParameters

from valor_core.errors import ParameterError
from valor_core.parameters import build


def test_gallery_requires_only_folder() -> None:
    parameters = build(GalleryParameters, {"folder": "worst"}, "")

    assert (parameters.folder.name, parameters.name, parameters.most) == ("worst", "Gallery", 20)


def test_most_is_at_least_one() -> None:
    with refused(ParameterError):
        build(GalleryParameters, {"folder": "worst", "most": 0}, "")
