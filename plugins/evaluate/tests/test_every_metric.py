"""Every metric of every installed family as a module of evaluate gives the results of Valor."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from valor_evaluate import module

from valor_core import Registry, ValorError, evaluate
from valor_core.specs import MetricSpec

from .example_columns import Example, of_task

MODULES = Path(__file__).parent / "evaluate_modules"

CHOSEN: dict[str, dict[str, Any]] = {
    "hf.Module": {"module": str(MODULES / "shared_words"), "allow_code": True, "seed": 7},
    "text.Examples": {"by": "text.EditDistance"},
    "text.JSONSchema": {"schema": {"type": "object"}},
}
"""Parameters of metrics without defaults."""

WITHOUT_COLUMNS = ("detection.KeypointSummary",)
"""Metrics of data for which columns have no feature: keypoints."""


def metrics() -> list[Any]:
    """Metrics without resources, once for each of their tasks."""
    return [
        pytest.param(spec, task, id=f"{spec.name}-{task}" if spec.other_tasks else spec.name)
        for spec in Registry().all(MetricSpec)
        if not spec.resources and spec.name not in WITHOUT_COLUMNS
        for task in (spec.task, *spec.other_tasks)
    ]


@cache
def examples(task: str) -> list[Example]:
    return of_task(task)


def bits(report: Any) -> str:
    return json.dumps([result.to_dict() for result in report.results])


@pytest.mark.parametrize(("spec", "task"), metrics())
def test_metric_results_equal_valor(spec: MetricSpec, task: str) -> None:
    chosen = CHOSEN.get(spec.name, {})
    for example in examples(task):
        exported = module(spec.name, task=task, data=example.data, **chosen)
        try:
            expected = evaluate(example.batches, [{"name": spec.name, **chosen}], task)
        except ValorError as error:
            with pytest.raises(type(error)):
                _add_all(exported, example)
            continue
        _add_all(exported, example)
        scores = exported.compute()

        assert bits(exported.report) == bits(expected), example.name
        assert exported.report.warnings == expected.warnings
        _check_scores(scores, expected)
        *others, last = example.columns
        for item in zip(*last.values(), strict=True):
            exported.add(**dict(zip(last, item, strict=True)))
        for columns in others:
            exported.add_batch(**columns)
        assert exported.compute() == scores, f"{example.name}, in another order and split"


def _add_all(exported: Any, example: Example) -> None:
    for columns in example.columns:
        exported.add_batch(**columns)


def _check_scores(scores: dict[str, Any], report: Any) -> None:
    """All numbers of the report are floats or None, and valid JSON."""
    json.dumps(scores, allow_nan=False)
    numbers = [value for value in scores.values() if isinstance(value, float)]
    assert sorted(numbers) == sorted(report.flat().values())
    assert not any(type(value) in (int, bool) for value in scores.values())
    lacking = [result for result in report if result.undefined or result.error]
    assert sum(value is None for value in scores.values()) >= len(lacking)
