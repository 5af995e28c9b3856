from __future__ import annotations

import pytest
from valor_report.gallery.parameters import GalleryParameters

from valor_core.errors import ParameterError
from valor_core.parameters import parameters_from


def test_gallery_requires_only_folder() -> None:
    parameters = parameters_from(GalleryParameters, {"folder": "worst"}, "")

    assert (parameters.folder.name, parameters.name, parameters.most) == ("worst", "Gallery", 20)


def test_most_is_at_least_one() -> None:
    with pytest.raises(ParameterError, match="most must be at least 1, got 0"):
        parameters_from(GalleryParameters, {"folder": "worst", "most": 0}, "")
