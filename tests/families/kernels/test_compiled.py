"""Which of a family's two sets of kernels runs, and why."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_classification.kernels import KERNELS

from valor_core.kernels import compiled
from valor_core.kernels.compiled import array, kernels


@pytest.fixture(autouse=True)
def no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(compiled.VARIABLE, raising=False)


def test_kernels_that_were_not_built_are_numpy() -> None:
    found = kernels("valor_classification._absent", interface=1)

    assert (found.library, found.path) == (None, "NumPy")
    remedy = "reinstall valor-classification where a C compiler is found"
    assert found.reason == f"not built: {remedy}"


@pytest.mark.parametrize("choice", ["numpy", "NumPy"])
def test_the_environment_sets_compiled_kernels_aside(
    choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VALOR_KERNELS", choice)

    found = kernels(KERNELS.module, interface=1)

    assert (found.path, found.reason) == ("NumPy", "VALOR_KERNELS=numpy is set")


@pytest.mark.skipif(KERNELS.library is None, reason=KERNELS.reason)
def test_a_library_of_another_interface_is_set_aside() -> None:
    found = kernels(KERNELS.module, interface=999)

    assert found.path == "NumPy"
    assert re.match(r"built from interface \d+, not 999: reinstall", found.reason)


@pytest.mark.skipif(KERNELS.library is None, reason=KERNELS.reason)
def test_a_library_of_the_right_interface_runs() -> None:
    other = re.match(r"built from interface (\d+)", kernels(KERNELS.module, interface=999).reason)
    assert other is not None

    found = kernels(KERNELS.module, interface=int(other[1]))

    assert found.library is not None
    assert (found.path, found.reason) == ("compiled", "")


@pytest.mark.skipif(KERNELS.library is None, reason=KERNELS.reason)
def test_an_interrupt_on_the_way_into_a_kernel_stays_one() -> None:
    class Interrupted(np.ndarray[Any, Any]):
        @property
        def flags(self) -> Any:
            raise KeyboardInterrupt

    function = KERNELS.function("valor_kernels_interface", None, array(np.float64))

    with pytest.raises(KeyboardInterrupt):
        function(np.zeros(2).view(Interrupted))
