"""Association: agreement of ground truths and predictions beyond chance, in one number."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from attrs import frozen

from valor_classification import confusion
from valor_classification.averages import Value
from valor_classification.confusion import Confusion, Matrix
from valor_classification.parameters import KappaParameters, MatthewsParameters
from valor_core.result import Result, Undefined
from valor_core.schemas.arrays import Codes
from valor_core.state import StateRequest


def _table(matrix: Matrix) -> Codes:
    """Items with ground truth by truth and prediction, "no prediction" being the last of both."""
    count = len(matrix.labels)
    table = np.zeros((count + 1, count + 1), dtype=np.int64)
    table[:count, :count] = matrix.counts
    table[:count, count] = matrix.unmatched_truths
    return table


@frozen
class MatthewsCorrelation:
    """Correlation of ground truths and predictions, from -1 to 1; 0 is what chance gives.

    Items whose best score does not pass the threshold count as predicted to be of no label.
    Undefined where all ground truths or all predictions are of one label.

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
        return (confusion.request(self.parameters.score_thresholds, hardmax=True),)

    def compute(self, state: Confusion) -> Iterator[Result]:
        """One result for each label key and threshold."""
        for key, part in state.sorted():
            for threshold in self.parameters.score_thresholds:
                value = part.refusal or _correlation(_table(part.at(threshold)))
                parameters = {"label_key": key, "score_threshold": threshold}
                yield Result(parameters=parameters, value=value)


def _correlation(table: Codes) -> Value:
    truths, predictions = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    total: int = sum(truths)
    correct = int(table.trace())
    covariance = correct * total - _dot(truths, predictions)
    variances = (total**2 - _dot(truths, truths)) * (total**2 - _dot(predictions, predictions))
    if not total:
        return Undefined("no items with ground truth")
    if not variances:
        return Undefined("all ground truths or all predictions are of one label")
    # The square of a great count is rounded, which can put a perfect correlation a hair above 1.
    return min(max(covariance / math.sqrt(variances), -1.0), 1.0)


def _dot(left: list[int], right: list[int]) -> int:
    """Scalar product in Python integers, which do not overflow."""
    return sum(a * b for a, b in zip(left, right, strict=True))


@frozen
class CohenKappa:
    """Agreement of ground truths and predictions beyond what chance gives, at most 1.

    Items whose best score does not pass the threshold count as predicted to be of no label.

    Parameters
    ----------
    parameters : KappaParameters
        Thresholds and weights of disagreements.

    Notes
    -----
    Equal to scikit-learn's ``cohen_kappa_score``. Undefined where all ground truths and all
    predictions are of one label.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> batch = ClassificationBatch.from_predicted([0, 0, 1, 1], [0, 0, 1, 0])
    >>> evaluate(batch, ["CohenKappa"])["CohenKappa"].value
    0.5
    """

    parameters: KappaParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """The confusion at the thresholds."""
        return (confusion.request(self.parameters.score_thresholds, hardmax=True),)

    def compute(self, state: Confusion) -> Iterator[Result]:
        """One result for each label key and threshold."""
        weights = self.parameters.weights
        for key, part in state.sorted():
            for threshold in self.parameters.score_thresholds:
                value = part.refusal or _kappa(_table(part.at(threshold)), weights)
                parameters = {"label_key": key, "score_threshold": threshold, "weights": weights}
                yield Result(parameters=parameters, value=value)


def _kappa(table: Codes, weights: str) -> Value:
    places = np.arange(len(table))
    distance = np.abs(places[:, None] - places)
    if weights == "none":
        distance = (distance > 0).astype(np.int64)
    elif weights == "quadratic":
        distance = distance**2
    truths, predictions = table.sum(axis=1), table.sum(axis=0)
    total: int = int(truths.sum())
    if not total:
        return Undefined("no items with ground truth")
    observed: int = int((distance * table).sum()) * total
    by_prediction: list[int] = (distance @ predictions).tolist()
    expected: int = _dot(truths.tolist(), by_prediction)
    if not expected:
        return Undefined("all ground truths and all predictions are of one label")
    value: float = (expected - observed) / expected
    return value
