"""Agreement beyond chance: Matthews correlation and Cohen's kappa."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from valor_classification.counting import confusion
from valor_classification.counting.confusion import Confusion, KeyConfusion
from valor_classification.counting.threshold_counts import limit, limits
from valor_classification.counting.weighted_counts import number
from valor_classification.parameters.predicted import KappaParameters, MatthewsParameters
from valor_core.errors import and_more
from valor_core.parameters import changed_parameters
from valor_core.results import Failed, NumberOrReason, Result, Undefined
from valor_core.schemas import Codes, Label
from valor_core.schemas.columns import is_numeral
from valor_core.states import StateRequest


@frozen(kw_only=True, eq=False)
class ContingencyTable:
    """Items with ground truth, by truth and by prediction.

    Parameters
    ----------
    truths, predictions : ndarray of int64
        Positions of the labels in order; no label has the last position.
    items : ndarray of int64
        Number of items with both; a pair can occur several times.
    count : int
        Number of positions.
    """

    truths: Codes
    predictions: Codes
    items: Codes
    count: int

    def on_scale(self, positions: Sequence[int]) -> ContingencyTable:
        """Select the items with a prediction, and move each label to its position on a scale."""
        predicted = self.predictions != self.count - 1
        scale = np.array([*positions, -1], dtype=np.int64)
        return ContingencyTable(
            truths=scale[self.truths[predicted]],
            predictions=scale[self.predictions[predicted]],
            items=self.items[predicted],
            count=max(positions, default=-1) + 1,
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
        """Items by the distance between the positions of their truth and their prediction."""
        return _summed(np.abs(self.truths - self.predictions), self.items, self.count)

    @property
    def total(self) -> Any:
        """Number of items."""
        return sum(self.items.tolist())

    @property
    def correct(self) -> Any:
        """Items whose prediction is their truth."""
        return sum(self.items[self.truths == self.predictions].tolist())


def tabulation(part: KeyConfusion, threshold: float) -> ContingencyTable:
    """Items with ground truth at one of the thresholds."""
    count = len(part.vocabulary)
    truths, predictions, items = part.pairs(threshold)
    is_listed = truths < count
    return ContingencyTable(
        truths=truths[is_listed],
        predictions=predictions[is_listed],
        items=items[is_listed],
        count=count + 1,
    )


def _summed(indices: Codes, items: Codes, count: int) -> list[int]:
    table = np.zeros(count, dtype=items.dtype)
    np.add.at(table, indices, items)
    sums: list[int] = table.tolist()
    return sums


@frozen
class MatthewsCorrelation:
    """Correlation of ground truths and predictions, from -1 to 1; 0 is what chance gives.

    Items whose best score does not pass the threshold count as predicted to be of no label,
    a separate label. Undefined where all ground truths or all predictions are of one label.

    Parameters
    ----------
    parameters : MatthewsParameters
        Thresholds.

    Notes
    -----
    Gorodkin's generalization to several labels. Equal to scikit-learn's ``matthews_corrcoef``,
    except that scikit-learn returns 0 for 0/0.

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
        """Request the confusion at the thresholds."""
        return (confusion.request(limits(self.parameters.score_thresholds), hardmax=True),)

    def compute(self, state: Confusion) -> Iterator[Result]:
        """Yield one result for each label key and threshold."""
        for key, part in state.sorted():
            for threshold in self.parameters.score_thresholds:
                value: NumberOrReason | None = part.refusal
                if value is None:
                    value = _correlation(tabulation(part, limit(threshold)))
                parameters = {"label_key": key, "score_threshold": threshold}
                yield Result(parameters=parameters, value=value)


def _correlation(found: ContingencyTable) -> NumberOrReason:
    truths, predictions, total = found.by_truth, found.by_prediction, found.total
    covariance = found.correct * total - dot(truths, predictions)
    variances = (total**2 - dot(truths, truths)) * (total**2 - dot(predictions, predictions))
    if not total:
        return Undefined("no items with ground truth")
    if not variances:
        return Undefined("all ground truths or all predictions are of one label")
    # The square of a great count is rounded, which can put a perfect correlation a hair above 1.
    return min(max(float(covariance / math.sqrt(variances)), -1.0), 1.0)


def dot(left: list[int], right: list[int]) -> int:
    """Scalar product in Python integers, which do not overflow."""
    return sum(a * b for a, b in zip(left, right, strict=True))


@frozen
class CohenKappa:
    """Agreement of ground truths and predictions beyond what chance gives, at most 1.

    Without weights, items whose best score does not pass the threshold count as predicted to be
    of no label. With weights they are excluded and counted: no label has no position in an order.
    Labels that are numbers are in the order of the numbers. Other labels need `order`; weights
    fail without it.

    Parameters
    ----------
    parameters : KappaParameters
        Thresholds, weights of disagreements and the order of labels.

    Notes
    -----
    Equal to scikit-learn's ``cohen_kappa_score`` with ``labels`` in the same order. The order
    includes labels that only have score columns. Undefined if all ground truths and all
    predictions are of one label.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> from valor_classification.readers.arrays import from_predicted
    >>> batch = from_predicted([0, 0, 1, 1], [0, 0, 1, 0])
    >>> evaluate(batch, ["CohenKappa"])["CohenKappa"].value
    0.5
    """

    parameters: KappaParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the confusion at the thresholds."""
        return (confusion.request(limits(self.parameters.score_thresholds), hardmax=True),)

    def compute(self, state: Confusion) -> Iterator[Result]:
        """Yield one result for each label key and threshold."""
        chosen = self.parameters
        settings = {"weights": chosen.weights} | changed_parameters(chosen, "score_thresholds")
        for key, part in state.sorted():
            for threshold in chosen.score_thresholds:
                value, left_out = self._outcome(part, limit(threshold))
                parameters = {"label_key": key, "score_threshold": threshold} | settings
                yield Result(parameters=parameters, value=value, left_out=left_out)

    def _outcome(self, part: KeyConfusion, least: float) -> tuple[NumberOrReason, dict[str, Any]]:
        if part.refusal is not None:
            return part.refusal, {}
        chosen, found = self.parameters, tabulation(part, least)
        if chosen.weights == "none":
            return _kappa(found, "none", "no items with ground truth"), {}
        positions = _positions(part.labels, chosen.order)
        if isinstance(positions, Failed):
            return positions, {}
        reason = "no items with both a ground truth and a prediction"
        unpredicted = number(found.by_prediction[-1])
        left_out = {"no prediction": unpredicted} if unpredicted else {}
        return _kappa(found.on_scale(positions), chosen.weights, reason), left_out


def _positions(labels: Sequence[Label], order: Sequence[str | int] | None) -> list[int] | Failed:
    """Place of every label, sorted, on the scale from the lowest to the highest."""
    names = [label.value for label in labels]
    if order is None:
        unranked = [name for name in names if not is_numeral(name)]
        if unranked:
            return Failed(
                f"weights need labels that are numbers, or their order; found {unranked[0]!r}"
                f"{and_more(len(unranked) - 1)}; pass order: [lowest, …, highest]"
            )
        return list(range(len(names)))
    scale = {str(name): position for position, name in enumerate(order)}
    unranked = [name for name in names if name not in scale]
    if unranked:
        return Failed(
            f"order has no place for label {unranked[0]!r}{and_more(len(unranked) - 1)}; "
            "name all labels from the lowest to the highest"
        )
    return [scale[name] for name in names]


def _kappa(found: ContingencyTable, weights: str, empty: str) -> NumberOrReason:
    if not found.total:
        return Undefined(empty)
    weight = _WEIGHTS[weights]
    disagreeing = sum(items * weight(distance) for distance, items in enumerate(found.by_distance))
    expected = _EXPECTED[weights](found.by_truth, found.by_prediction)
    if not expected:
        return Undefined("all ground truths and all predictions are of one label")
    return float((expected - disagreeing * found.total) / expected)


def _expected_differing(truths: list[int], predictions: list[int]) -> int:
    """Return the number of pairs of a truth and a prediction that differ."""
    return sum(truths) * sum(predictions) - dot(truths, predictions)


def _expected_distance(truths: list[int], predictions: list[int]) -> int:
    """Sum of distances over all pairs of a truth and a prediction, by the borders between them."""
    total, below_truth, below_prediction, distance = sum(truths), 0, 0, 0
    for truth, prediction in zip(truths, predictions, strict=True):
        below_truth += truth
        below_prediction += prediction
        distance += below_truth * (total - below_prediction)
        distance += below_prediction * (total - below_truth)
    return distance


def _expected_square(truths: list[int], predictions: list[int]) -> int:
    """Sum of squared distances over all pairs of a truth and a prediction."""
    total = sum(truths)
    positions = range(len(truths))
    squares = sum(p * p * (t + q) for p, t, q in zip(positions, truths, predictions, strict=True))
    means = dot(list(positions), truths) * dot(list(positions), predictions)
    return total * squares - 2 * means


_WEIGHTS: Mapping[str, Callable[[int], int]] = {
    "none": bool,
    "linear": int,
    "quadratic": lambda distance: distance**2,
}
_EXPECTED: Mapping[str, Callable[[list[int], list[int]], int]] = {
    "none": _expected_differing,
    "linear": _expected_distance,
    "quadratic": _expected_square,
}
