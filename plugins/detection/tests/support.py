"""Objects, data and results of metrics shared by several test modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from valor_core import evaluate
from valor_core.results.results import Results
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box
from valor_core.specs import Registry

Choice = str | Mapping[str, Any]

REGISTRY = Registry()
"""Registry of the installed plugins, created once."""


def true(labels: Any, *box: float, **more: Any) -> TrueObject:
    """Create a ground truth from the edges of its box: left, top, right, bottom."""
    return TrueObject(labels, Box(*box), keypoints=pose(box), **more)


def predicted(labels: Any, *box: float) -> PredictedObject:
    """Create a prediction from the edges of its box."""
    return PredictedObject(labels, Box(*box), keypoints=pose(box))


def pose(box: Sequence[float]) -> Any:
    """Return 17 points on the diagonal of a box."""
    return np.linspace(box[:2], box[2:], 17)


def results_of(data: Any, *metrics: Choice, **options: Any) -> Results:
    """Evaluate metrics over a batch or over objects."""
    return evaluate(data, metrics, "detection", registry=REGISTRY, **options).results


def value_of(data: Any, name: str, /, **parameters: Any) -> Any:
    """Return the value of a metric with one result."""
    return results_of(data, {"name": name} | parameters).value


def by_label(results: Sequence[Any]) -> dict[str, Any]:
    """Values of results by label; None for undefined values."""
    return {
        result.parameters["label"]: result.to_dict()["value"]
        for result in results
        if "label" in result.parameters
    }


ROW = (
    Detection("a", [true("dog", 0, 0, 10, 10)], [predicted({"dog": 0.9}, 0, 0, 10, 10)]),
    Detection("b", [true("dog", 0, 0, 10, 10)], [predicted({"dog": 0.7}, 0, 0, 10, 6)]),
    Detection("c", [true("dog", 0, 0, 10, 10)], [predicted({"dog": 0.8}, 20, 20, 30, 30)]),
    Detection(
        "d",
        [true("dog", 0, 0, 10, 10), true("cat", 0, 0, 20, 20)],
        [predicted({"cat": 0.6}, 0, 0, 20, 15), predicted({"bee": 0.5}, 0, 0, 9, 9)],
    ),
)
"""Data of most results computed by hand.

===== ===== ====== =================
image label score  IoU
===== ===== ====== =================
a     dog   0.9    1
c     dog   0.8    none
b     dog   0.7    60 / 100 = 0.6
d     cat   0.6    300 / 400 = 0.75
d     bee   0.5    no true bee
===== ===== ====== =================

Four dogs, one cat.
"""
