"""Names that are imported when they are asked for."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from types import ModuleType

import pytest

from valor_core.plugins.publishing import imported, published_later


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


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("last_line", ["", "raise ImportError('broken')"])
def test_no_garbage_is_looked_for_during_an_import_and_all_is_as_before_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enabled: bool, last_line: str
) -> None:
    name = f"watching_{enabled}_{bool(last_line)}"
    source = f"import gc, sys\nsys.looks_for_garbage = gc.isenabled()\n{last_line}\n"
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "looks_for_garbage", None, raising=False)
    before = gc.isenabled()
    try:
        gc.enable() if enabled else gc.disable()
        try:
            imported(name)
        except ImportError:
            assert last_line
        assert sys.looks_for_garbage is False  # type: ignore[attr-defined]
        assert gc.isenabled() is enabled
    finally:
        gc.enable() if before else gc.disable()
        sys.modules.pop(name, None)


def module_of_lists(folder: Path, name: str) -> str:
    (folder / f"{name}.py").write_text("made = [[number] for number in range(5_000)]\n")
    return name


def test_what_an_import_makes_is_not_searched_for_garbage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    gc.unfreeze()  # what a command line froze at its end

    module = imported(module_of_lists(tmp_path, "many_lists"))

    assert any(one is module.made for one in gc.get_objects(generation=2))
    assert gc.isenabled()


def test_objects_that_the_caller_froze_stay_frozen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        imported(module_of_lists(tmp_path, "more_lists"))
        assert gc.get_freeze_count() >= frozen - 100
    finally:
        gc.unfreeze()
