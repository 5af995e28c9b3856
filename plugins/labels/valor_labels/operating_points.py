"""Operating points: score thresholds of labels, the best of them, and the numbers they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.results import Failed, Undefined, ratios
from valor_core.schemas import Codes, Floats

Numbers = NDArray[Any]
"""Counts, as int64, or sums of weights, as float64."""

POINT_NUMBERS = (
    *("threshold", "f_beta", "youden", "cost", "precision", "recall", "f1", "specificity"),
    *("tp", "fp", "fn", "tn"),
)
"""Names of all numbers that `OperatingPoints.values` may give."""

_MOST_WHOLE, _MOST_EXACT = 1 << 20, 1 << 62


@frozen(kw_only=True, eq=False, repr=False)
class CandidateThresholds:
    """Counts of predictions at or above the score of each true positive.

    No other threshold is better: it has the same true positives and at least as many false ones.

    Parameters
    ----------
    starts : ndarray of int64, shape (n_labels + 1,)
        Offsets of the labels in the other arrays.
    thresholds : ndarray of float64, shape (n,)
        Scores, descending within each label.
    tp, fp : ndarray of int64 or float64, shape (n,)
        True and false positives at each threshold.
    positives : ndarray of int64 or float64, shape (n_labels,)
        Ground truths of each label.
    negatives : ndarray of int64 or float64, shape (n_labels,), optional
        Items without the label. None where negatives are not defined, as for objects in images.
    """

    starts: Codes
    thresholds: Floats
    tp: Numbers
    fp: Numbers
    positives: Numbers
    negatives: Numbers | None = None

    @classmethod
    def of_predictions(
        cls, labels: Codes, scores: Floats, is_true: NDArray[np.bool_], positives: Codes
    ) -> CandidateThresholds:
        """Create the candidates of predictions, each true or false.

        Parameters
        ----------
        labels : ndarray of int64, shape (n,)
            Label of each prediction, from 0 to the number of labels - 1.
        scores : ndarray of float64, shape (n,)
            Scores.
        is_true : ndarray of bool, shape (n,)
            True for true positives, False for false positives.
        positives : ndarray of int64, shape (n_labels,)
            Ground truths of each label.

        Examples
        --------
        >>> scores, is_true = np.array([0.2, 0.9, 0.4]), np.array([True, True, False])
        >>> found = CandidateThresholds.of_predictions(
        ...     np.zeros(3, np.int64), scores, is_true, np.array([2])
        ... )
        >>> found.thresholds.tolist(), found.tp.tolist(), found.fp.tolist()
        ([0.9, 0.2], [1, 2], [0, 1])
        """
        order = np.lexsort((-scores, labels))
        labels, scores, is_true = labels[order], scores[order], is_true[order]
        ends = np.flatnonzero((labels[1:] != labels[:-1]) | (scores[1:] != scores[:-1]))
        ends = np.append(ends, len(labels) - 1)[: len(labels)]
        true = np.append(0, np.cumsum(is_true))
        kept = ends[np.diff(true[ends + 1], prepend=0) > 0]
        starts = np.searchsorted(labels, np.arange(len(positives)))  # of all predictions
        of_kept = labels[kept]
        tp = true[kept + 1] - true[starts[of_kept]]
        return cls(
            starts=np.searchsorted(of_kept, np.arange(len(positives) + 1)),
            thresholds=scores[kept] + 0.0,  # adding 0 makes 0.0 of -0.0
            tp=tp,
            fp=kept + 1 - starts[of_kept] - tp,
            positives=positives,
        )

    @property
    def labels(self) -> Codes:
        """Label of each threshold."""
        return np.repeat(np.arange(len(self.positives)), np.diff(self.starts))


@frozen(kw_only=True, eq=False, repr=False)
class OperatingPoints:
    """Counts at one threshold per label.

    Parameters
    ----------
    thresholds : sequence of float or None
        Threshold of each label.
    tp, fp, fn : ndarray of int64 or float64, shape (n_labels,)
        Counts at the thresholds.
    tn : ndarray of int64 or float64, shape (n_labels,), optional
        True negatives, where they are defined.
    reasons : mapping of int to Undefined or Failed
        Reason why a label has no threshold, by its position.
    """

    thresholds: Sequence[float | None]
    tp: Numbers
    fp: Numbers
    fn: Numbers
    tn: Numbers | None = None
    reasons: Mapping[int, Undefined | Failed] = {}

    @classmethod
    def at(
        cls, thresholds: Sequence[float | Undefined | Failed], **counts: Numbers
    ) -> OperatingPoints:
        """Create the points of labels of which each has a threshold or a reason.

        Examples
        --------
        >>> counts = dict.fromkeys(("tp", "fp", "fn"), np.array([1, 0]))
        >>> points = OperatingPoints.at([0.5, Undefined("no ground truths of 'cat'")], **counts)
        >>> points.thresholds, points.reasons
        ([0.5, None], {1: Undefined(reason="no ground truths of 'cat'")})
        """
        return cls(
            thresholds=[one if isinstance(one, float) else None for one in thresholds],
            reasons={i: one for i, one in enumerate(thresholds) if not isinstance(one, float)},
            **counts,
        )

    def values(self, settings: Mapping[str, Any]) -> list[dict[str, Any] | Undefined | Failed]:
        """Return the numbers of each label.

        Parameters
        ----------
        settings : mapping
            Name and parameters of the objective.

        Returns
        -------
        list of dict, Undefined or Failed
            ``threshold``, the objective if it is none of the other numbers (``f_beta``, ``youden``
            or ``cost``), ``precision``, ``recall``, ``f1``, ``specificity``, and counts. Quotients
            0/0 are None.

        Examples
        --------
        >>> one = np.array([1])
        >>> points = OperatingPoints(thresholds=[0.5], tp=3 * one, fp=one, fn=one)
        >>> points.values({"objective": "cost", "false_positive_cost": 2, "false_negative_cost": 5})
        [{'threshold': 0.5, 'cost': 7.0, 'precision': 0.75, 'recall': 0.75, 'f1': 0.75,
        'tp': 3, 'fp': 1, 'fn': 1}]
        """
        tp, fp, fn = self.tp, self.fp, self.fn
        columns: dict[str, list[Any]] = {"threshold": list(self.thresholds)}
        columns |= self._objective(settings)
        columns["precision"] = _quotients(tp, tp + fp)
        columns["recall"] = _quotients(tp, tp + fn)
        columns["f1"] = _quotients(2 * tp, 2 * tp + fp + fn)
        if self.tn is not None:
            columns["specificity"] = _quotients(self.tn, self.tn + fp)
        columns |= {"tp": tp.tolist(), "fp": fp.tolist(), "fn": fn.tolist()}
        if self.tn is not None:
            columns["tn"] = self.tn.tolist()
        rows = zip(*columns.values(), strict=True)
        return [
            self.reasons[i] if i in self.reasons else dict(zip(columns, row, strict=True))
            for i, row in enumerate(rows)
        ]

    def _objective(self, settings: Mapping[str, Any]) -> dict[str, list[Any]]:
        tp, fp, fn = self.tp, self.fp, self.fn
        if settings["objective"] == "f_beta" and settings["beta"] != 1:
            square = settings["beta"] ** 2
            return {"f_beta": _quotients((1 + square) * tp, (1 + square) * tp + fp + square * fn)}
        if settings["objective"] == "youden" and self.tn is not None:
            pairs = zip(_quotients(tp, tp + fn), _quotients(self.tn, self.tn + fp), strict=True)
            return {"youden": [None if a is None or b is None else a + b - 1 for a, b in pairs]}
        if settings["objective"] == "cost":
            false_positive, false_negative, divisor = _costs(settings)
            return {"cost": ((false_positive * fp + false_negative * fn) / divisor).tolist()}
        return {}


def best_points(
    found: CandidateThresholds, settings: Mapping[str, Any], names: Sequence[str]
) -> OperatingPoints:
    """Return the best threshold of each label for an objective, and the counts there.

    Parameters
    ----------
    found : CandidateThresholds
        Thresholds of all labels.
    settings : mapping
        Name and parameters of the objective, as in `ThresholdObjective.settings`.
    names : sequence of str
        Name of each label in reasons: ``"'cat'"``.

    Returns
    -------
    OperatingPoints
        Of equal optima the highest threshold; of thresholds with equal precision that reach a
        minimum recall, the one with the greatest recall.

    Examples
    --------
    >>> found = CandidateThresholds(
    ...     starts=np.array([0, 2]),
    ...     thresholds=np.array([0.9, 0.4]),
    ...     tp=np.array([1, 2]),
    ...     fp=np.array([0, 2]),
    ...     positives=np.array([2]),
    ... )
    >>> best_points(found, {"objective": "f_beta", "beta": 1.0}, ["'cat'"]).thresholds
    [0.9]
    >>> best_points(found, {"objective": "f_beta", "beta": 2.0}, ["'cat'"]).thresholds
    [0.4]
    """
    count, labels = len(found.positives), found.labels
    gains, reached, allowed = _gains(found, labels, settings)
    rows = np.full(count, -1)
    kept = np.flatnonzero(allowed)
    if len(kept):
        starts = np.flatnonzero(np.diff(labels[kept], prepend=-1))
        greatest = np.maximum.reduceat(gains[kept], starts)
        sizes = np.diff(np.append(starts, len(kept)))
        optima = kept[gains[kept] == np.repeat(greatest, sizes)]
        if settings["objective"] == "precision_at_recall":
            optima = optima[::-1]
        of_label, first = np.unique(labels[optima], return_index=True)
        rows[of_label] = optima[first]
    reasons = _reasons(found, rows, reached, settings, names)
    has = rows >= 0
    tp, fp = np.zeros(count, found.tp.dtype), np.zeros(count, found.fp.dtype)
    tp[has], fp[has] = found.tp[rows[has]], found.fp[rows[has]]
    scores = found.thresholds[rows[has]].tolist()
    thresholds: list[float | None] = [None] * count
    for i, score in zip(np.flatnonzero(has).tolist(), scores, strict=True):
        thresholds[i] = score
    return OperatingPoints(
        thresholds=thresholds,
        tp=tp,
        fp=fp,
        fn=found.positives - tp,
        tn=None if found.negatives is None else found.negatives - fp,
        reasons={i: Undefined(reason) for i, reason in reasons.items()},
    )


def _gains(
    found: CandidateThresholds, labels: Codes, settings: Mapping[str, Any]
) -> tuple[Numbers, Numbers | None, NDArray[np.bool_]]:
    """Return the number to maximize, the number with a minimum, and whether it is reached."""
    name, tp, fp = settings["objective"], found.tp, found.fp
    positives = found.positives[labels]
    anything = np.ones(len(tp), bool)
    if name == "f_beta":
        square = settings["beta"] ** 2
        return (1 + square) * tp / (tp + fp + square * positives), None, anything
    if name == "cost":
        false_positive, false_negative, _ = _costs(settings)
        costs = false_positive * fp + false_negative * (positives - tp)
        nothing = false_negative * positives
        return -costs, costs, costs <= nothing
    if name == "precision_at_recall":
        recalls = tp / positives
        return tp / (tp + fp), recalls, recalls >= settings["minimum"]
    if name == "recall_at_precision":
        precisions = tp / (tp + fp)
        return tp, precisions, precisions >= settings["minimum"]
    assert found.negatives is not None
    negatives = found.negatives[labels]
    has_negatives = negatives > 0
    if name == "youden":
        # The product with both sizes is exact if it fits.
        sizes = float(positives.max(initial=0)), float(negatives.max(initial=0))
        kind = tp.dtype if sizes[0] * sizes[1] < _MOST_EXACT else float
        return tp * negatives.astype(kind) - fp * positives.astype(kind), None, has_negatives
    shares = (negatives - fp) / np.where(has_negatives, negatives, 1)
    return tp, shares, has_negatives & (shares >= settings["minimum"])


def _costs(settings: Mapping[str, Any]) -> tuple[float, float, int]:
    """Return the costs of a false positive and a false negative, and a divisor of both.

    Costs such as 0.1 become whole numbers, so that equal sums are equal.
    """
    costs = [settings["false_positive_cost"], settings["false_negative_cost"]]
    decimals = [Fraction(repr(cost)) for cost in costs]
    divisor = lcm(*(one.denominator for one in decimals))
    whole = [int(one * divisor) for one in decimals]
    if max(whole) > _MOST_WHOLE:
        return costs[0], costs[1], 1
    return whole[0], whole[1], divisor


def _reasons(
    found: CandidateThresholds,
    rows: Codes,
    reached: Numbers | None,
    settings: Mapping[str, Any],
    names: Sequence[str],
) -> dict[int, str]:
    """Return why labels have no threshold."""
    name = settings["objective"]
    reasons = {}
    for i in np.flatnonzero(rows < 0).tolist():
        first, end = found.starts[i], found.starts[i + 1]
        if not found.positives[i]:
            reasons[i] = f"no ground truths of {names[i]}"
        elif first == end:
            reasons[i] = f"no prediction of {names[i]} is a true positive"
        elif name == "cost" and reached is not None:
            _, per_false_negative, divisor = _costs(settings)
            nothing = per_false_negative * found.positives[i] / divisor
            least = reached[first:end].min() / divisor
            reasons[i] = (
                f"predicting nothing of {names[i]} costs {nothing:g}, every threshold {least:g} "
                "or more"
            )
        elif found.negatives is not None and not found.negatives[i]:
            reasons[i] = f"no items without ground truth {names[i]}"
        elif reached is not None:
            number, greatest = name.rpartition("_")[2], reached[first:end].max()
            reasons[i] = (
                f"no threshold of {names[i]} has a {number} of at least "
                f"{settings['minimum']:g}; the greatest is {greatest:.4g}"
            )
    return reasons


def _quotients(numerators: Numbers, denominators: Numbers) -> list[float | None]:
    return ratios(numerators, denominators, None)
