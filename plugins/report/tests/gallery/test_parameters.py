from __future__ import annotations

from messages import refused
from valor_report.gallery.parameters import GalleryParameters

from valor_core.errors import ParameterError
from valor_core.parameters import build


def test_a_gallery_needs_a_folder_only() -> None:
    parameters = build(GalleryParameters, {"folder": "worst"}, "")

    assert (parameters.folder.name, parameters.name, parameters.most) == ("worst", "Gallery", 20)


def test_it_draws_one_item_at_least() -> None:
    with refused(ParameterError):
        build(GalleryParameters, {"folder": "worst", "most": 0}, "")
