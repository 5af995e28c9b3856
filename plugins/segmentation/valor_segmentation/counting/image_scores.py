"""Image scores: values of a metric on each image alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from attrs import define, field, frozen

from valor_core.errors import StateError, short_repr
from valor_core.evaluation import BoundMetric
from valor_core.parameters import parameter_values, parameters_from
from valor_core.results import Metric, mean_of_defined
from valor_core.schemas.segmentation import SegmentationBatch
from valor_core.specs import MetricSpec, Registry
from valor_core.states import State, StateContent, StateRequest

METRICS: Mapping[str, str] = {
    "boundary_iou": "segmentation.BoundaryIOU",
    "hausdorff": "segmentation.Hausdorff",
    "panoptic_quality": "segmentation.PanopticQuality",
    "segmentation_quality": "segmentation.SegmentationQuality",
    "recognition_quality": "segmentation.RecognitionQuality",
}
"""Metrics that need more than pixel counts, by the `order` of images that uses them."""


@frozen
class Score:
    """Value of one image, and of its labels with a value.

    Parameters
    ----------
    labels : mapping of str to float
        Values of the labels.

    Examples
    --------
    >>> Score({"cat": 0.5, "dog": 1.0}).value
    0.75
    """

    labels: Mapping[str, float]

    @property
    def value(self) -> float | None:
        """Plain mean over the labels; None without any."""
        value, _ = mean_of_defined(self.labels.values(), "labels")
        return value if isinstance(value, float) else None


@define
class ImageScores(State):
    """Values of a metric on each image alone.

    Parameters
    ----------
    metric : str
        Name of the metric.
    parameters : str
        Its parameters as JSON.

    Examples
    --------
    >>> state = request("boundary_iou", {}).open()
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> state.update(from_arrays([[[1, 1]]], [[[1, 0]]], labels=["cat"]))
    >>> state.of("class")
    {0: Score(labels={'cat': 0.5})}
    """

    metric: str
    parameters: str
    rows: list[tuple[str | int, str, dict[str, float]]] = field(factory=list, init=False)

    def update(self, batch: SegmentationBatch) -> None:
        """Evaluate the images of a batch, one at a time."""
        metric = _bound(self.metric, json.loads(self.parameters)).make()
        for position, uid in enumerate(batch.datums.uids.tolist()):
            one = batch.select(np.array([position]))
            self.rows += [(uid, key, labels) for key, labels in _values(metric, one).items()]

    def merge(self, other: ImageScores) -> None:
        """Add another state's images."""
        self.rows += other.rows

    def dump(self) -> StateContent:
        """Return the rows, for a file."""
        return {"rows": [list(row) for row in self.rows]}

    def restore(self, content: StateContent) -> None:
        """Set the rows to the content that `dump` returned.

        Raises
        ------
        StateError
            If the content is invalid.
        """
        self.rows = [_saved_row(*row) for row in content["rows"]]

    def of(self, key: str) -> dict[str | int, Score]:
        """Scores of the images that have labels of a key."""
        return {uid: Score(labels) for uid, row_key, labels in self.rows if row_key == key}


def request(order: str, settings: Mapping[str, Any]) -> StateRequest:
    """Request the scores of the metric of an `order`.

    Parameters
    ----------
    order : str
        One of `METRICS`.
    settings : mapping
        Parameters of the metric.

    Raises
    ------
    ParameterError
        If the metric has no such parameters.
    MissingExtraError
        If its code needs a package that is not installed.
    """
    metric = _bound(METRICS[order], settings)
    metric.make()
    parameters = json.dumps(parameter_values(metric.parameters), sort_keys=True)
    return StateRequest(ImageScores, {"metric": metric.spec.name, "parameters": parameters})


def _saved_row(uid: Any, key: Any, labels: Any) -> tuple[str | int, str, dict[str, float]]:
    is_named = isinstance(uid, (str, int)) and isinstance(key, str) and isinstance(labels, dict)
    if not is_named or not all(
        isinstance(label, str) and isinstance(value, (int, float)) and math.isfinite(value)
        for label, value in labels.items()
    ):
        raise StateError(
            "rows: expected uid, label key and values of labels, "
            f"found {short_repr([uid, key, labels])}"
        )
    return uid, key, labels


def _bound(name: str, settings: Mapping[str, Any]) -> BoundMetric:
    spec = _spec(name)
    return BoundMetric(
        spec, parameters_from(spec.parameter_class, settings, "segmentation.Examples: settings.")
    )


@cache
def _spec(name: str) -> MetricSpec:
    return Registry().metric(name)


def _values(metric: Metric, batch: SegmentationBatch) -> dict[str, dict[str, float]]:
    """Values by label key and label; the first one if a label has several."""
    states = [needed.open() for needed in metric.needs() if isinstance(needed, StateRequest)]
    for state in states:
        state.update(batch)
    found: dict[str, dict[str, float]] = {}
    for result in metric.compute(*states):
        if "label" in result.parameters and result.number is not None:
            key, label = result.parameters["label_key"], result.parameters["label"]
            found.setdefault(key, {}).setdefault(label, result.number)
    return found
