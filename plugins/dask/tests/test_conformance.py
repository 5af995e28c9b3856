"""Conformance of the engine on a local cluster; test_engine.py tests a running one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from valor_testing import cases

PARAMETERS = {"dask.dask": {"workers": 1}}
"""Each law starts a cluster, which takes a second per worker. test_engine.py checks the same laws
on a running cluster with three workers."""


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=name) for name, check in cases("dask", parameters=PARAMETERS)],
)
def test_plugin_conforms(check: Callable[[], None]) -> None:
    check()
