"""Custom task of a plugin: items, batches, tables, metrics and the conformance kit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from valor_core import Evaluator, Registry, evaluate
from valor_core.errors import ConfigError, PluginConflictError, SchemaError
from valor_core.specs import TaskSpec

Install = Callable[..., Path]

PLUGINS = Path(__file__).parents[1] / "plugins"


def some(rankings: Any) -> list[Any]:
    return [
        rankings.Ranking("q1", ["a", "b"], ["a"], {"hour": 1}),
        rankings.Ranking("q2", ["a", "b"], ["b"], {"hour": 2}),
    ]


def test_custom_task_is_evaluated(rankings: Any) -> None:
    items = some(rankings)

    assert evaluate(items, ["HitRate"])["HitRate"].value == 0.5
    assert evaluate(items, ["ranklab.HitRate"])["HitRate"].value == 0.5
    assert evaluate(items, [{"name": "hit_rate", "first": 2}])["HitRate"].value == 1.0
    assert evaluate(rankings.RankingBatch.of(items), ["HitRate"])["HitRate"].value == 0.5


def test_custom_task_supports_streams_and_slices(rankings: Any) -> None:
    evaluator = Evaluator(["HitRate"], "retrieval", slices=["hour"])
    for item in some(rankings):
        evaluator.update([item])

    report = evaluator.compute()

    assert report.slice(hour=1)["HitRate"].value == 1.0
    assert report.slice(hour=2)["HitRate"].value == 0.0


def test_misspelled_task_suggests_custom_task(rankings: Any) -> None:
    with pytest.raises(ConfigError, match=r"got 'retreival'\nDid you mean 'retrieval'\?$"):
        Evaluator(["HitRate"], "retreival")


def test_items_of_another_class_are_rejected(rankings: Any) -> None:
    with pytest.raises(SchemaError, match="expected a Ranking, got 3"):
        evaluate([3], ["HitRate"], task="retrieval")


def test_arrays_are_rejected_with_task_name(rankings: Any) -> None:
    with pytest.raises(SchemaError, match="expected items or a batch, got list"):
        evaluate([[1, 2], [3, 4]], ["HitRate"], task="retrieval")


def test_only_metrics_of_task_have_short_names(rankings: Any) -> None:
    registry = Registry()

    assert registry.find(TaskSpec, "retrieval").name == "ranklab.retrieval"
    assert registry.metric("HitRate", "retrieval").name == "ranklab.HitRate"
    assert registry.batch_class("retrieval") is rankings.RankingBatch


def test_ambiguous_task_lists_both_plugins(rankings: Any, install: Install) -> None:
    source = (PLUGINS / "ranklab" / "plugin.py").read_text().replace("ranklab.", "rivals.")
    install("rivallab", "rivals", {"__init__.py": "", "plugin.py": source})

    with pytest.raises(LookupError) as caught:
        Registry().find(TaskSpec, "retrieval")

    assert str(caught.value) == (
        "task 'retrieval': expected one of this name, found ranklab.retrieval and "
        "rivals.retrieval\nWrite 'ranklab.retrieval' or 'rivals.retrieval'."
    )
    assert not isinstance(caught.value, PluginConflictError)
