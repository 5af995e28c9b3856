"""Names that are imported when they are asked for."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from valor_core.plugins.publishing import published_later


@pytest.fixture
def face(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("valor_core.face_of_mylab")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    get, listed = published_later(
        module.__name__, {"errors": ("ReadError",), "packages": ("gone",)}
    )
    module.__dict__.update(__getattr__=get, __dir__=listed)
    return module


def test_a_name_is_that_of_its_home_and_is_looked_up_once(face: ModuleType) -> None:
    from valor_core.errors import ReadError

    assert "ReadError" not in vars(face)
    assert face.ReadError is ReadError
    assert vars(face)["ReadError"] is ReadError


def test_names_are_listed_before_they_are_imported(face: ModuleType) -> None:
    assert {"ReadError", "gone"} <= set(dir(face))


@pytest.mark.parametrize("name", ["Unknown", "gone"])
def test_what_is_nowhere_is_an_attribute_error(face: ModuleType, name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(face, name)
