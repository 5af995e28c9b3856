"""Custom task of a plugin: items, batches, tables, metrics and the conformance kit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from valor_testing import check_plugin

from valor_core import evaluate

PLUGINS = Path(__file__).parents[1] / "plugins"


def test_conformance_kit_uses_examples(rankings: Any) -> None:
    check_plugin("ranklab")


def test_custom_task_supports_filters(rankings: Any) -> None:
    items = [
        rankings.Ranking("q1", ["a", "b"], ["a"], {"hour": 1}),
        rankings.Ranking("q2", ["a", "b"], ["b"], {"hour": 2}),
    ]

    report = evaluate(items, ["HitRate"], "retrieval", filter="hour < 2")

    assert report["HitRate"].value == 1.0
    assert report.counts["skipped"] == 1
