"""Association: correlation of ground truths and predictions over items, in one number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from attrs import frozen

from valor_classification import confusion
from valor_classification.confusion import Confusion, ConfusionPart
from valor_classification.parameters import MatthewsParameters
from valor_classification.thresholds import limit, limits
from valor_core.averages import Value
from valor_core.result import Result, Undefined
from valor_core.state import StateRequest


@frozen(kw_only=True)
class Tabulation:
    """Items with ground truth, by truth and by prediction.

    Parameters
    ----------
    truths, predictions : list of int
        Items by label in order, those of no label last; Python integers, whose products do not
        overflow.
    pairs : list of (int, int, int)
        Truth, prediction, and how many items.
    """

    truths: list[int]
    predictions: list[int]
    pairs: list[tuple[int, int, int]]

    def on_scale(self, places: Sequence[int]) -> Tabulation:
        """The items with a prediction, each label at its place on a scale."""
        count = max(places, default=-1) + 1
        none = len(self.predictions) - 1
        return _tabulated(
            [(places[t], places[p], items) for t, p, items in self.pairs if p != none], count
        )

    @property
    def total(self) -> int:
        """Number of items."""
        return sum(self.truths)

    @property
    def correct(self) -> int:
        """Items whose prediction is their truth."""
        return sum(items for truth, prediction, items in self.pairs if truth == prediction)


def tabulation(part: ConfusionPart, threshold: float) -> Tabulation:
    """The items with ground truth at one of the thresholds."""
    count = len(part.vocabulary)
    columns = (column.tolist() for column in part.pairs(threshold))
    return _tabulated([row for row in zip(*columns, strict=True) if row[0] < count], count + 1)


def _tabulated(pairs: list[tuple[int, int, int]], count: int) -> Tabulation:
    truths, predictions = [0] * count, [0] * count
    for truth, prediction, items in pairs:
        truths[truth] += items
        predictions[prediction] += items
    return Tabulation(truths=truths, predictions=predictions, pairs=pairs)


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
    >>> batch = ClassificationBatch.from_predicted([0, 0, 1, 1], [0, 0, 1, 0])
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
                value = part.refusal or _correlation(tabulation(part, limit(threshold)))
                parameters = {"label_key": key, "score_threshold": threshold}
                yield Result(parameters=parameters, value=value)


def _correlation(found: Tabulation) -> Value:
    truths, predictions, total = found.truths, found.predictions, found.total
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
