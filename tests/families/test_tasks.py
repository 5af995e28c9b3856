"""Custom task of a plugin: items, batches, tables, metrics and the conformance kit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from valor_testing import check_plugin

PLUGINS = Path(__file__).parents[1] / "plugins"


def test_conformance_kit_uses_examples(rankings: Any) -> None:
    check_plugin("ranklab")
