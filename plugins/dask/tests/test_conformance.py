"""The engine keeps every law of engines on a cluster that it starts; see test_engine.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from valor_testing import cases


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=name)
        for name, check in cases("dask", parameters={"dask.dask": {"workers": 2}})
    ],
)
def test_the_plugin_conforms(check: Callable[[], None]) -> None:
    check()
