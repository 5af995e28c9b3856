"""Association: agreement of ground truths and predictions beyond chance, in one number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from attrs import frozen

from valor_classification import confusion
from valor_classification.confusion import Confusion, ConfusionPart
from valor_classification.parameters import KappaParameters, MatthewsParameters
from valor_core.averages import Value
from valor_core.result import Result, Undefined
from valor_core.state import StateRequest


@frozen(kw_only=True)
class _Agreement:
    """Items with ground truth, by truth and by prediction, "no prediction" being the last of both.

    Parameters
    ----------
    truths, predictions : list of int
        Items by label in sorted order; Python integers, whose products do not overflow.
    pairs : list of (int, int, int)
        Truth, prediction, and how many items.
    """

    truths: list[int]
    predictions: list[int]
    pairs: list[tuple[int, int, int]]

    @property
    def total(self) -> int:
        """Number of items."""
        return sum(self.truths)

    @property
    def correct(self) -> int:
        """Items whose prediction is their truth."""
        return sum(items for truth, prediction, items in self.pairs if truth == prediction)


def _agreement(part: ConfusionPart, threshold: float) -> _Agreement:
    count = len(part.vocabulary)
    truths, predictions, items = part.pairs(threshold)
    kept = truths < count
    truths, predictions, items = truths[kept], predictions[kept], items[kept]
    by_truth, by_prediction = np.zeros((2, count + 1), dtype=np.int64)
    np.add.at(by_truth, truths, items)
    np.add.at(by_prediction, predictions, items)
    columns = (truths.tolist(), predictions.tolist(), items.tolist())
    return _Agreement(
        truths=by_truth.tolist(),
        predictions=by_prediction.tolist(),
        pairs=list(zip(*columns, strict=True)),
    )


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
                value = part.refusal or _correlation(_agreement(part, threshold))
                parameters = {"label_key": key, "score_threshold": threshold}
                yield Result(parameters=parameters, value=value)


def _correlation(found: _Agreement) -> Value:
    truths, predictions, total = found.truths, found.predictions, found.total
    covariance = found.correct * total - _dot(truths, predictions)
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
                value = part.refusal or _kappa(_agreement(part, threshold), weights)
                parameters = {"label_key": key, "score_threshold": threshold, "weights": weights}
                yield Result(parameters=parameters, value=value)


def _kappa(found: _Agreement, weights: str) -> Value:
    if not found.total:
        return Undefined("no items with ground truth")
    distance = _DISTANCES[weights]
    disagreeing = sum(items * distance(t - p) for t, p, items in found.pairs)
    expected = _EXPECTED[weights](found.truths, found.predictions)
    if not expected:
        return Undefined("all ground truths and all predictions are of one label")
    return (expected - disagreeing * found.total) / expected


def _expected_differing(truths: list[int], predictions: list[int]) -> int:
    """Sum over all pairs of a truth and a prediction of whether they differ."""
    return sum(truths) * sum(predictions) - _dot(truths, predictions)


def _expected_distance(truths: list[int], predictions: list[int]) -> int:
    """Sum over all such pairs of their distance, which counts the borders between the two."""
    total, below_truth, below_prediction, distance = sum(truths), 0, 0, 0
    for truth, prediction in zip(truths, predictions, strict=True):
        below_truth += truth
        below_prediction += prediction
        distance += below_truth * (total - below_prediction)
        distance += below_prediction * (total - below_truth)
    return distance


def _expected_square(truths: list[int], predictions: list[int]) -> int:
    """Sum over all such pairs of the square of their distance."""
    total = sum(truths)
    places = range(len(truths))
    squares = sum(p * p * (t + q) for p, t, q in zip(places, truths, predictions, strict=True))
    means = _dot(list(places), truths) * _dot(list(places), predictions)
    return total * squares - 2 * means


_DISTANCES: Mapping[str, Callable[[int], int]] = {
    "none": bool,
    "linear": abs,
    "quadratic": lambda difference: difference**2,
}
_EXPECTED: Mapping[str, Callable[[list[int], list[int]], int]] = {
    "none": _expected_differing,
    "linear": _expected_distance,
    "quadratic": _expected_square,
}
