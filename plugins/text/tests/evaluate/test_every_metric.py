"""Every metric of every installed family as a module of evaluate: the same bits, however added."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from valor_text.evaluate import module

from valor_core import Registry, ValorError, evaluate
from valor_core.parameters import declared
from valor_core.spec import MetricSpec

from .example_columns import Example, of_task

CHOSEN: dict[str, dict[str, Any]] = {}
"""Parameters of metrics that have no defaults for some."""


def metrics() -> list[MetricSpec]:
    """The metrics that need nothing but data."""
    return [
        spec
        for spec in Registry().all(MetricSpec)
        if not spec.resources
        and not any(
            one.required and one.name not in CHOSEN.get(spec.name, {})
            for one in declared(spec.parameter_class)
        )
    ]


@cache
def examples(task: str) -> list[Example]:
    return of_task(task)


def bits(report: Any) -> str:
    return json.dumps([result.to_dict() for result in report.results])


@pytest.mark.parametrize("spec", metrics(), ids=lambda spec: spec.name)
def test_a_metric_gives_the_bits_that_it_gives_in_valor(spec: MetricSpec) -> None:
    chosen = CHOSEN.get(spec.name, {})
    for example in examples(spec.task):
        exported = module(spec.name, data=example.data, **chosen)
        try:
            expected = evaluate(example.batches, [{"name": spec.name, **chosen}])
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
    """Every number of the report is there, as a float or None, and JSON can hold all."""
    json.dumps(scores, allow_nan=False)
    numbers = [value for value in scores.values() if isinstance(value, float)]
    assert sorted(numbers) == sorted(report.flat().values())
    assert not any(type(value) in (int, bool) for value in scores.values())
    lacking = [result for result in report if result.undefined or result.error]
    assert sum(value is None for value in scores.values()) >= len(lacking)
