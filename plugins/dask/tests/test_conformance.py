"""The engine keeps every law of engines, on a cluster of its own and on one that runs already."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from valor_core.plugin import EngineSpec
from valor_core.plugins.registry import Registry
from valor_core.testing import check_engine, check_plugin
from valor_core.testing.engine_laws import engine_cases

SPEC = Registry().find(EngineSpec, "dask")
HERE = engine_cases(SPEC, {"workers": 2})


def test_the_manifest_keeps_the_laws_of_manifests() -> None:
    check_plugin("dask")


def test_an_engine_on_a_running_cluster_keeps_all_laws(steady: str) -> None:
    check_engine(SPEC, {"scheduler": steady})


@pytest.mark.parametrize("check", [pytest.param(check, id=name) for name, check in HERE])
def test_an_engine_with_a_cluster_of_its_own_keeps_all_laws(check: Callable[[], None]) -> None:
    check()
