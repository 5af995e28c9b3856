"""Choice between the compiled and NumPy kernels of a family."""

from __future__ import annotations

import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_classification.kernels import KERNELS
from valor_detection.kernels import KERNELS as DETECTION

from valor_core.errors import ValorWarning
from valor_core.kernels import compiled, load_kernels
from valor_core.packages import install


@pytest.fixture(autouse=True)
def no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(compiled.VARIABLE, raising=False)


def test_unbuilt_kernels_fall_back_to_numpy() -> None:
    found = load_kernels("valor_classification._absent")

    assert (found.library, found.path) == (None, "NumPy")
    remedy = "reinstall valor-classification where a C compiler is found"
    assert found.reason == f"not built: {remedy}"


@pytest.mark.parametrize("choice", ["reference", "numpy", "NumPy"])
def test_environment_disables_compiled_kernels(
    choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VALOR_KERNELS", choice)

    found = load_kernels(KERNELS.module)

    assert (found.path, found.reason) == ("NumPy", f"VALOR_KERNELS={choice.lower()} is set")


def unaligned(values: Any) -> Any:
    """Copy of an array at an odd address."""
    room = np.empty(values.nbytes + 1, np.uint8)
    copy = room[1:].view(values.dtype)
    copy[:] = values
    return copy


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with the library and the C of classification."""
    if KERNELS.library is None:
        pytest.skip(KERNELS.reason)
    library = Path(KERNELS.library._name)
    package = tmp_path / "plugins" / "cloned"
    shutil.copytree(
        library.parent / "kernels", package / "kernels", ignore=shutil.ignore_patterns("*.py")
    )
    shutil.copy(library, package)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "plugins")
    monkeypatch.delitem(sys.modules, "cloned", raising=False)
    return package


def test_library_built_from_its_source_is_used(clone: Path) -> None:
    found = load_kernels("cloned._kernels")

    assert list((clone / "kernels").glob("*.c"))
    assert (found.path, found.reason) == ("compiled", "")


@pytest.mark.parametrize("change", ["edited", "added", "renamed", "removed"])
def test_stale_library_is_ignored_with_warning(clone: Path, change: str) -> None:
    header = clone / "kernels" / "tops.h"
    match change:
        case "edited":
            header.write_text(header.read_text() + " ")
        case "added":
            header.with_name("more.h").touch()
        case "renamed":
            header.rename(header.with_name("top.h"))
        case "removed":
            header.unlink()

    with pytest.warns(ValorWarning) as warned:
        found = load_kernels("cloned._kernels")

    command = install("-e", str(clone.parent))
    assert [str(warning.message) for warning in warned] == [
        "cloned._kernels: the library is out of date with its C sources, so NumPy runs\n"
        f"Rebuild it with {command}"
    ]
    assert found.path == "NumPy"
    assert found.reason == f"out of date with its C sources: rebuild it with {command}"


def test_stale_library_gives_no_warning_with_numpy(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (clone / "kernels" / "tops.h").unlink()
    monkeypatch.setenv("VALOR_KERNELS", "numpy")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = load_kernels("cloned._kernels")

    assert found.reason == "VALOR_KERNELS=numpy is set"


def test_library_without_source_is_used(clone: Path) -> None:
    shutil.rmtree(clone / "kernels")

    assert load_kernels("cloned._kernels").path == "compiled"


@pytest.mark.skipif(KERNELS.library is None, reason=KERNELS.reason)
def test_interrupt_while_calling_kernel_is_raised() -> None:
    class Interrupted(np.ndarray[Any, Any]):
        @property
        def flags(self) -> Any:
            raise KeyboardInterrupt

    function = KERNELS.function("top_of_runs_float64")

    with pytest.raises(KeyboardInterrupt):
        function(np.zeros(2, np.int64).view(Interrupted), np.zeros(2), 2, np.zeros(2, np.int64))


@pytest.mark.skipif(DETECTION.library is None, reason=DETECTION.reason)
def test_struct_has_members_of_c() -> None:
    numbers = np.zeros(2, np.int64)

    struct = DETECTION.struct(
        "Boxes", count=2, datums=numbers, groups=unaligned(numbers), boxes=np.zeros((2, 4))
    )

    assert struct.count == 2
    assert struct.datums == numbers.ctypes.data
    assert struct.groups % 8 == 0
    with pytest.raises(TypeError, match=r"^Boxes: expected members count, datums, groups, boxes"):
        DETECTION.struct("Boxes", count=2)
    with pytest.raises(TypeError, match="data type float64"):
        DETECTION.struct("Boxes", count=2, datums=numbers, groups=numbers, boxes=numbers)


@pytest.mark.skipif(DETECTION.library is None, reason=DETECTION.reason)
def test_function_rejects_other_struct() -> None:
    box_pairs = DETECTION.function("box_pairs")

    with pytest.raises(TypeError, match=r"^expected a struct Boxes, got None$"):
        box_pairs(None, *[None] * 10)
