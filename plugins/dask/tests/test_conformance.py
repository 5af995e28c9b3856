"""The engine keeps every law of engines on a cluster of its own; for others, see test_engine.py."""

from __future__ import annotations

import pytest
from valor_testing import cases
from valor_testing.engine_laws import engine_cases

from valor_core.plugin import EngineSpec
from valor_core.plugins.registry import Registry

SPEC = Registry().find(EngineSpec, "dask")
HERE = dict(engine_cases(SPEC, {"workers": 2}))
DECLARED = {
    name: check for name, check in cases("dask") if name.rpartition("/")[2] not in HERE
}  # a law of engines starts processes, and is held to once


@pytest.mark.parametrize("law", DECLARED)
def test_the_manifest_keeps_the_laws_of_manifests(law: str) -> None:
    DECLARED[law]()


@pytest.mark.parametrize("law", HERE)
def test_an_engine_with_a_cluster_of_its_own_keeps_all_laws(law: str) -> None:
    HERE[law]()
