"""Selection of compiled or NumPy kernels."""

from __future__ import annotations

import _ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from valor_core.kernels import compiled, load_kernels
from valor_core.kernels.compiled import Array, addresses


@pytest.fixture(autouse=True)
def no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(compiled.VARIABLE, raising=False)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Path of the library of a package that has none yet."""
    package = tmp_path / "some_lab"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    return package / ("_kernels.dll" if sys.platform == "win32" else "_kernels.so")


def test_invalid_library_file_falls_back_to_numpy(library: Path) -> None:
    library.write_text("not a library")

    found = load_kernels("some_lab._kernels")

    assert found.path == "NumPy"
    assert found.reason.startswith("cannot be loaded (")
    assert found.reason.endswith("): reinstall some-lab where a C compiler is found")


def test_unrelated_library_falls_back_to_numpy(library: Path) -> None:
    shutil.copy(_ctypes.__file__, library)

    found = load_kernels("some_lab._kernels")

    assert found.path == "NumPy"
    assert "valor_kernels_sources" in found.reason


def test_missing_package_falls_back_to_numpy() -> None:
    assert load_kernels("surely_no_package._kernels").reason.startswith("not built: ")


def test_argument_of_another_type_is_rejected() -> None:
    kinds = [Array(np.float32)]

    assert addresses(kinds, [np.zeros(2, np.float32)])[0] > 0
    with pytest.raises(TypeError, match="data type float32"):
        addresses(kinds, [np.zeros(2)])
    with pytest.raises(TypeError, match="contiguous"):
        addresses(kinds, [np.zeros((4, 4), np.float32)[:, ::2]])


def test_output_argument_must_be_writable() -> None:
    values = np.zeros(2)
    values.flags.writeable = False

    assert addresses([Array(np.float64)], [values]) == [values.ctypes.data]
    with pytest.raises(TypeError, match="writable"):
        addresses([Array(np.float64, written=True)], [values])


def test_optional_array_may_be_none() -> None:
    assert addresses([Array(np.float64, optional=True)], [None]) == [None]
    with pytest.raises(TypeError, match=r"^array must have data type float64, got None$"):
        addresses([Array(np.float64)], [None])


def test_addresses_are_correct_in_development_mode() -> None:
    # Python's development mode overwrites freed memory.
    script = (
        "import numpy; from valor_core.kernels.compiled import Array, addresses\n"
        "values = numpy.zeros(3)\n"
        "print(addresses([Array(numpy.float64)], [values]) == [values.ctypes.data])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONMALLOC": "debug"},
    )

    assert ran.stdout.split() == ["True"]
