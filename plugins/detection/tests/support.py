"""What several test modules share: rows as objects, and the results of metrics over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from valor_core import evaluate
from valor_core.results import Results
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.specs import Registry

Choice = str | Mapping[str, Any]

REGISTRY = Registry()
"""The installed plugins, looked up once."""


def true(labels: Any, *box: float, **more: Any) -> TrueObject:
    """A true box, by its edges: left, top, right, bottom."""
    return TrueObject(labels, Box(*box), **more)


def seen(labels: Any, *box: float) -> PredictedObject:
    """A predicted box."""
    return PredictedObject(labels, Box(*box))


def results_of(data: Any, *metrics: Choice, **options: Any) -> Results:
    """Results of some metrics over a batch, or over objects."""
    return evaluate(data, metrics, "detection", registry=REGISTRY, **options).results


def value_of(data: Any, name: str, /, **parameters: Any) -> Any:
    """The value of a metric that has one result."""
    return results_of(data, {"name": name} | parameters).value


def by_label(results: Sequence[Any]) -> dict[str, Any]:
    """Values of the results that have a label, None where there is none."""
    return {
        result.parameters["label"]: result.to_dict()["value"]
        for result in results
        if "label" in result.parameters
    }


ROW = (
    Detection("a", [true("dog", 0, 0, 10, 10)], [seen({"dog": 0.9}, 0, 0, 10, 10)]),
    Detection("b", [true("dog", 0, 0, 10, 10)], [seen({"dog": 0.7}, 0, 0, 10, 6)]),
    Detection("c", [true("dog", 0, 0, 10, 10)], [seen({"dog": 0.8}, 20, 20, 30, 30)]),
    Detection(
        "d",
        [true("dog", 0, 0, 10, 10), true("cat", 0, 0, 20, 20)],
        [seen({"cat": 0.6}, 0, 0, 20, 15), seen({"bee": 0.5}, 0, 0, 9, 9)],
    ),
)
"""The data of most hand-worked numbers.

===== ===== ====== =================
image label score  IoU
===== ===== ====== =================
a     dog   0.9    1
c     dog   0.8    none
b     dog   0.7    60 / 100 = 0.6
d     cat   0.6    300 / 400 = 0.75
d     bee   0.5    no bee is there
===== ===== ====== =================

Four dogs, one cat.
"""
