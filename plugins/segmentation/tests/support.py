"""Results of metrics over items, for several test modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_core import evaluate
from valor_core.results.results import Results
from valor_core.specs import Registry

Choice = str | Mapping[str, Any]

REGISTRY = Registry()
"""The installed plugins, looked up once."""


def results_of(data: Any, *metrics: Choice, **options: Any) -> Results:
    """Results of some metrics over a batch, or over objects."""
    return evaluate(data, metrics, "segmentation", registry=REGISTRY, **options).results


def value_of(data: Any, name: str, /, **parameters: Any) -> Any:
    """The value of a metric that has one result."""
    return results_of(data, {"name": name} | parameters).value
