"""Scores of weighted items for one label, their curves, and the areas under them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_classification.kernels.values import RankAreas, RankCurve
from valor_core.schemas import Floats, Label


@frozen(kw_only=True, eq=False, repr=False)
class WeightedScores:
    """One label's scores against the rest, of items with weights.

    Parameters
    ----------
    label : Label
        The label.
    scores, weights : ndarray, shape (n,)
        Listed scores, and the weights of their items.
    is_true : ndarray of bool, shape (n,)
        Whether the item of a score truly has the label.
    unlisted_true, unlisted_false : float
        Weights of items that do not list the label; they tie below all others.

    Examples
    --------
    >>> one = WeightedScores(
    ...     label=Label("class", "cat"),
    ...     scores=np.array([0.1, 0.4, 0.4, 0.8]),
    ...     weights=np.array([2.0, 0.5, 1.0, 3.0]),
    ...     is_true=np.array([False, True, False, True]),
    ...     unlisted_true=0.0,
    ...     unlisted_false=0.0,
    ... )
    >>> curve = one.curve()
    >>> curve.true_positives, curve.false_positives
    (array([3. , 3.5, 3.5]), array([0., 1., 3.]))
    """

    label: Label
    scores: Floats
    weights: Floats
    is_true: NDArray[np.bool_]
    unlisted_true: float
    unlisted_false: float

    def curve(self, *, bends: bool = False) -> RankCurve:
        """Return the curve, like the kernel `rank_curve`. Items of weight 0 have no point."""
        kept = self.weights > 0
        scores, weights, is_true = self.scores[kept], self.weights[kept], self.is_true[kept]
        # Rounding depends on the order of a sum, so items are in one order for any order of the
        # data: those that tie are equal.
        order = np.lexsort((weights, is_true, -scores))
        scores, weights, is_true = scores[order], weights[order], is_true[order]
        last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)[: len(scores)])
        thresholds = scores[last] + scores.dtype.type(0)  # adding 0 makes 0.0 of -0.0
        true = np.cumsum(np.where(is_true, weights, 0.0))[last]
        false = np.cumsum(np.where(is_true, 0.0, weights))[last]
        if self.unlisted_true or self.unlisted_false or not len(last):
            thresholds = np.append(thresholds, scores.dtype.type(-np.inf))
            true = np.append(true, true[-1:].sum() + self.unlisted_true)
            false = np.append(false, false[-1:].sum() + self.unlisted_false)
        if bends and len(thresholds) > 2:
            bent = (np.diff(true, 2) != 0) | (np.diff(false, 2) != 0)
            kept = np.concatenate(([True], bent, [True]))
            thresholds, true, false = thresholds[kept], true[kept], false[kept]
        return RankCurve(thresholds=thresholds, true_positives=true, false_positives=false)

    def areas(self) -> tuple[float, float, float, float]:
        """Return the weights of positives and negatives, the area, and the average precision."""
        curve = self.curve()
        true, false = curve.true_positives, curve.false_positives
        positives, negatives = float(true[-1]), float(false[-1])
        # Scaling by a power of two is exact, and keeps the product of two weights in range.
        exponent = math.frexp(max(positives, negatives))[1]
        true, false = np.ldexp(true, -exponent), np.ldexp(false, -exponent)
        gained, lost = np.diff(true, prepend=0.0), np.diff(false, prepend=0.0)
        auc = precision = math.nan
        if positives:
            precision = min(math.fsum(gained * true / (true + false)) / float(true[-1]), 1.0)
        if positives and negatives:
            twice_wins = math.fsum(lost * (true + np.append(0.0, true[:-1])))
            auc = min(twice_wins / (2 * (float(true[-1]) * float(false[-1]))), 1.0)
        return positives, negatives, auc, precision


def weighted_areas(labels: Sequence[WeightedScores]) -> RankAreas:
    """Return the areas under the curves of several labels."""
    columns = np.array([one.areas() for one in labels]).reshape(-1, 4).T
    positives, negatives, auc, average_precision = columns
    return RankAreas(
        positives=positives, negatives=negatives, auc=auc, average_precision=average_precision
    )
