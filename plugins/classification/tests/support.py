"""Rows as objects, and results of metrics over them, for several test modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from valor_core import evaluate
from valor_core.results.results import Results
from valor_core.schemas import Label
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.specs import Registry

from .golden_cases import Row

Choice = str | Mapping[str, Any]

REGISTRY = Registry()
"""The installed plugins, looked up once."""


def items_of(rows: Iterable[Row]) -> list[Classification]:
    """The rows as objects."""
    return [
        Classification(
            row.uid,
            [Label(key, value) for key, value in row.groundtruths],
            [(Label(key, value), score) for key, value, score in row.predictions],
            row.metadata,
        )
        for row in rows
    ]


def batch_of(rows: Iterable[Row]) -> ClassificationBatch:
    """The rows as columns."""
    return ClassificationBatch.of(items_of(rows))


def results_of(data: Any, *metrics: Choice, **options: Any) -> Results:
    """Results of some metrics over a batch, or over objects."""
    return evaluate(data, metrics, "classification", registry=REGISTRY, **options).results


def value_of(data: Any, name: str, /, **parameters: Any) -> Any:
    """The value of a metric that has one result."""
    return results_of(data, {"name": name} | parameters).value


def reason_of(data: Any, name: str, /, **parameters: Any) -> str | None:
    """Why a metric that has one result is undefined."""
    return results_of(data, {"name": name} | parameters).only.undefined


def failure_of(data: Any, name: str, /, **parameters: Any) -> str | None:
    """Why a metric that has one result failed."""
    return results_of(data, {"name": name} | parameters).only.error


def by_label(results: Sequence[Any]) -> dict[str, Any]:
    """Values of the results that have a label, None where there is none."""
    return {
        result.parameters["label"]: result.to_dict()["value"]
        for result in results
        if "label" in result.parameters
    }


PETS = (
    Classification("a", "dog", {"dog": 0.9, "cat": 0.1}),
    Classification("b", "dog", {"dog": 0.4, "cat": 0.6}),
    Classification("c", "cat", {"cat": 0.7, "dog": 0.3}),
    Classification("d", "cat", {"dog": 0.55, "cat": 0.45}),
    Classification("e", "bee", {"cat": 0.8}),
    Classification("f", predictions={"dog": 0.2}),
    Classification("g", "ant"),
)
"""The data of most hand-worked numbers. Best labels of a to g: dog, cat, cat, dog, cat, dog, none.

==== === === === ===
best tp  fp  fn  tn
==== === === === ===
dog  1   2   1   3
cat  1   2   1   3
bee  0   0   1   6
ant  0   0   1   6
==== === === === ===
"""

SETS = (
    Classification("a", ["dog", "cat"], {"dog": 0.9, "cat": 0.8, "bee": 0.2}),
    Classification("b", ["dog"], {"dog": 0.7, "bee": 0.6}),
    Classification("c", [], {"cat": 0.3}),
    Classification("d", ["bee"], {"bee": 0.1}),
)
"""Several ground truths; at 0.5 the sets are equal on a and c, and have one of two and none of one
label in common on b and d."""
