"""Which of a family's two sets of kernels runs, and why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from valor_core.kernels import array, compiled, kernels


@pytest.fixture(autouse=True)
def no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(compiled.VARIABLE, raising=False)


def test_a_file_that_is_no_library_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "surely_no_library.py").write_text("not a library")
    monkeypatch.syspath_prepend(tmp_path)

    found = kernels("surely_no_library")

    assert found.path == "NumPy"
    assert found.reason.startswith("cannot be loaded (")
    assert found.reason.endswith("): reinstall surely-no-library where a C compiler is found")


def test_a_library_of_something_else_is_set_aside() -> None:
    found = kernels("_ctypes")

    assert found.path == "NumPy"
    assert "valor_kernels_sources" in found.reason


def test_an_argument_is_an_array_of_its_type() -> None:
    argument = array(np.float32)

    assert argument.address(np.zeros(2, np.float32)) > 0
    with pytest.raises(TypeError, match="data type float32"):
        argument.address(np.zeros(2))
    with pytest.raises(TypeError, match="contiguous"):
        argument.address(np.zeros((4, 4), np.float32)[:, ::2])


def test_an_argument_that_is_written_to_must_be_writable() -> None:
    values = np.zeros(2)
    values.flags.writeable = False

    assert array(np.float64).address(values) == values.ctypes.data
    with pytest.raises(TypeError, match="writable"):
        array(np.float64, written=True).address(values)


def test_an_array_may_be_left_out_where_that_is_said() -> None:
    assert array(np.float64, optional=True).address(None) is None
    with pytest.raises(TypeError, match=r"^array must have data type float64, got None$"):
        array(np.float64).address(None)
