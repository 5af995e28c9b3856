"""A task of one's own, from a plugin: items, batches, tables, metrics, the conformance kit."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from valor_testing import check_plugin

Install = Callable[..., Path]

PLUGINS = Path(__file__).parents[1] / "plugins"


@pytest.fixture
def rankings(install: Install) -> Any:
    install("ranklab", "ranklab", PLUGINS / "ranklab")
    return importlib.import_module("ranklab.rankings")


def test_the_conformance_kit_takes_its_examples(rankings: Any) -> None:
    check_plugin("ranklab")
