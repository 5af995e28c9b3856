from __future__ import annotations

import json

import pytest

from valor_core.plugin import MissingExtraError, import_extra


def test_a_package_that_is_there_is_imported() -> None:
    assert import_extra("json", "reports: writing one", "valor-core[json]") is json


def test_a_package_that_is_missing_is_named_with_what_installs_it() -> None:
    with pytest.raises(MissingExtraError) as caught:
        import_extra("nowhere.inside", "art: drawing", "valor-art[paint]")

    assert "art: drawing" in str(caught.value)
    assert "nowhere" in str(caught.value)
    assert "valor-art[paint]" in str(caught.value)
