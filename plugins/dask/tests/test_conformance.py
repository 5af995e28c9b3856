"""The engine keeps every law of engines on a cluster that it starts; see test_engine.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from valor_testing import cases

PARAMETERS = {"dask.dask": {"workers": 1}}
"""Each law starts a cluster, which takes a second per worker. test_engine.py holds three workers of
a cluster that runs already to the same laws."""


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=name) for name, check in cases("dask", parameters=PARAMETERS)],
)
def test_the_plugin_conforms(check: Callable[[], None]) -> None:
    check()
