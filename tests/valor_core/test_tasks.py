"""A task of one's own, from a plugin: items, batches, tables, metrics, the conformance kit."""

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


def test_items_of_a_task_of_ones_own_are_evaluated(rankings: Any) -> None:
    items = some(rankings)

    assert evaluate(items, ["HitRate"])["HitRate"].value == 0.5
    assert evaluate(items, ["ranklab.HitRate"])["HitRate"].value == 0.5
    assert evaluate(items, [{"name": "hit_rate", "first": 2}])["HitRate"].value == 1.0
    assert evaluate(rankings.RankingBatch.of(items), ["HitRate"])["HitRate"].value == 0.5


def test_they_are_streamed_and_sliced_and_filtered(rankings: Any) -> None:
    evaluator = Evaluator(["HitRate"], "retrieval", slices=["hour"], filter="hour < 3")
    for item in some(rankings):
        evaluator.update([item])

    report = evaluator.compute()

    assert report.slice(hour=1)["HitRate"].value == 1.0
    assert report.slice(hour=2)["HitRate"].value == 0.0


def test_a_misspelt_task_is_answered_with_it(rankings: Any) -> None:
    with pytest.raises(ConfigError, match=r"got 'retreival'\nDid you mean 'retrieval'\?$"):
        Evaluator(["HitRate"], "retreival")


def test_something_else_than_its_items_is_refused_by_its_batch(rankings: Any) -> None:
    with pytest.raises(SchemaError, match="expected a Ranking, got 3"):
        evaluate([3], ["HitRate"], task="retrieval")


def test_arrays_are_refused_in_its_name_too(rankings: Any) -> None:
    with pytest.raises(SchemaError, match="expected items or a batch, got list"):
        evaluate([[1, 2], [3, 4]], ["HitRate"], task="retrieval")


def test_its_metrics_are_found_by_bare_names_and_nobody_elses(rankings: Any) -> None:
    registry = Registry()

    assert registry.find(TaskSpec, "retrieval").name == "ranklab.retrieval"
    assert registry.metric("HitRate", "retrieval").name == "ranklab.HitRate"
    assert registry.batch_class("retrieval") is rankings.RankingBatch


def test_two_plugins_with_one_task_are_both_named(rankings: Any, install: Install) -> None:
    source = (PLUGINS / "ranklab" / "plugin.py").read_text().replace("ranklab.", "rivals.")
    install("rivallab", "rivals", {"__init__.py": "", "plugin.py": source})

    with pytest.raises(LookupError) as caught:
        Registry().find(TaskSpec, "retrieval")

    assert str(caught.value) == (
        "task 'retrieval': expected one of this name, found ranklab.retrieval and "
        "rivals.retrieval\nWrite 'ranklab.retrieval' or 'rivals.retrieval'."
    )
    assert not isinstance(caught.value, PluginConflictError)
