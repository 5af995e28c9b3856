"""Association: correlation of ground truths and predictions over items, in one number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from attrs import frozen

from valor_classification.counting import confusion
from valor_classification.counting.confusion import Confusion, ConfusionPart
from valor_classification.metrics.thresholds import limit, limits
from valor_classification.parameters.association import MatthewsParameters
from valor_core.results import NumberOrReason, Result, Undefined
from valor_core.schemas import Codes
from valor_core.states import StateRequest


@frozen(kw_only=True, eq=False)
class Tabulation:
    """Items with ground truth, by truth and by prediction.

    Parameters
    ----------
    truths, predictions : ndarray of int64
        Places of the labels in order, that of no label the last.
    items : ndarray of int64
        How many items have both; a pair can occur several times.
    count : int
        Number of places.
    """

    truths: Codes
    predictions: Codes
    items: Codes
    count: int

    def on_scale(self, places: Sequence[int]) -> Tabulation:
        """The items with a prediction, each label at its place on a scale."""
        predicted = self.predictions != self.count - 1
        scale = np.array([*places, -1], dtype=np.int64)
        return Tabulation(
            truths=scale[self.truths[predicted]],
            predictions=scale[self.predictions[predicted]],
            items=self.items[predicted],
            count=max(places, default=-1) + 1,
        )

    @cached_property
    def by_truth(self) -> list[int]:
        """Items by truth, as Python's integers, whose products do not overflow."""
        return _summed(self.truths, self.items, self.count)

    @cached_property
    def by_prediction(self) -> list[int]:
        """Items by prediction."""
        return _summed(self.predictions, self.items, self.count)

    @cached_property
    def by_distance(self) -> list[int]:
        """Items by how many places their truth is from their prediction."""
        return _summed(np.abs(self.truths - self.predictions), self.items, self.count)

    @property
    def total(self) -> int:
        """Number of items."""
        return int(self.items.sum())

    @property
    def correct(self) -> int:
        """Items whose prediction is their truth."""
        return int(self.items[self.truths == self.predictions].sum())


def tabulation(part: ConfusionPart, threshold: float) -> Tabulation:
    """The items with ground truth at one of the thresholds."""
    count = len(part.vocabulary)
    truths, predictions, items = part.pairs(threshold)
    own = truths < count
    return Tabulation(
        truths=truths[own], predictions=predictions[own], items=items[own], count=count + 1
    )


def _summed(places: Codes, items: Codes, count: int) -> list[int]:
    table = np.zeros(count, dtype=np.int64)
    np.add.at(table, places, items)
    sums: list[int] = table.tolist()
    return sums


@frozen
class MatthewsCorrelation:
    """Correlation of ground truths and predictions, from -1 to 1; 0 is what chance gives.

    Items whose best score does not pass the threshold count as predicted to be of no label,
    a label of its own. Undefined where all ground truths or all predictions are of one label.

    Parameters
    ----------
    parameters : MatthewsParameters
        Thresholds.

    Notes
    -----
    Gorodkin's generalization to several labels. Equal to scikit-learn's ``matthews_corrcoef``
    but where that answers 0 for 0/0.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> from valor_classification.readers.arrays import from_predicted
    >>> batch = from_predicted([0, 0, 1, 1], [0, 0, 1, 0])
    >>> round(evaluate(batch, ["MatthewsCorrelation"])["MatthewsCorrelation"].value, 4)
    0.5774
    """

    parameters: MatthewsParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """The confusion at the thresholds."""
        return (confusion.request(limits(self.parameters.score_thresholds), hardmax=True),)

    def compute(self, state: Confusion) -> Iterator[Result]:
        """One result for each label key and threshold."""
        for key, part in state.sorted():
            for threshold in self.parameters.score_thresholds:
                value: NumberOrReason | None = part.refusal
                if value is None:
                    value = _correlation(tabulation(part, limit(threshold)))
                parameters = {"label_key": key, "score_threshold": threshold}
                yield Result(parameters=parameters, value=value)


def _correlation(found: Tabulation) -> NumberOrReason:
    truths, predictions, total = found.by_truth, found.by_prediction, found.total
    covariance = found.correct * total - dot(truths, predictions)
    variances = (total**2 - dot(truths, truths)) * (total**2 - dot(predictions, predictions))
    if not total:
        return Undefined("no items with ground truth")
    if not variances:
        return Undefined("all ground truths or all predictions are of one label")
    # The square of a great count is rounded, which can put a perfect correlation a hair above 1.
    return min(max(covariance / math.sqrt(variances), -1.0), 1.0)


def dot(left: list[int], right: list[int]) -> int:
    """Scalar product in Python integers, which do not overflow."""
    return sum(a * b for a, b in zip(left, right, strict=True))
