"""All steps that the package declares, found in its modules."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from valor_llm import metrics
from valor_llm.metrics.rubric import rubric
from valor_llm.replies.shapes import Rating
from valor_llm.steps.step import Step


def _found(value: object) -> Iterator[Step]:
    if isinstance(value, Step):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _found(one)


_MODULES = [
    import_module(f"{metrics.__name__}.{one.name}")
    for one in pkgutil.iter_modules(metrics.__path__)
]
_DECLARED = [
    step for module in _MODULES for value in vars(module).values() for step in _found(value)
]
_RUBRIC = rubric(["query", "response"], "Is it polite?", Rating((0, 1)), {}, [])

STEPS = {step.name: step for step in [*_DECLARED, _RUBRIC]}
"""The steps by name; Rubric's, which its user writes, with criteria of some sort."""
