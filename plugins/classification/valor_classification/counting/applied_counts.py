"""Applied counts: predictions and hits of every label at its threshold from a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from attrs import define
from valor_labels import AppliedThresholds, OperatingPoints, counted_by_label

from valor_classification.counting.by_key import KeyState, StateByKey
from valor_classification.counting.key_view import KeyView
from valor_classification.counting.weighted_counts import numbers, total, weighed
from valor_classification.kernels.values import in_type
from valor_core.errors import StateError
from valor_core.results import Failed, Undefined
from valor_core.schemas import Codes, Floats, Label
from valor_core.schemas.classification import ScoreMatrix
from valor_core.states import StateContent, StateRequest, counted

_WAYS = 2  # the threshold of the label, and that of all labels


@define(slots=False, repr=False)
class KeyAppliedCounts(KeyState):
    """Predictions and hits by label, at the label's threshold and at that of all labels.

    Parameters
    ----------
    of_labels : tuple of (str, str, float)
        Label key, label and threshold. Labels without one have no predictions.
    of_keys : tuple of (str, float)
        Label key, and the threshold of all its labels.
    """

    of_labels: tuple[tuple[str, str, float], ...]
    of_keys: tuple[tuple[str, float], ...]
    predicted: Codes = counted_by_label(lambda: np.zeros((0, _WAYS), np.int64))
    matched: Codes = counted_by_label(lambda: np.zeros((0, _WAYS), np.int64))
    truths: Codes = counted_by_label(lambda: np.zeros(0, np.int64))
    datums: int = counted(int)

    def __attrs_post_init__(self) -> None:
        self._thresholds = {Label(key, label): value for key, label, value in self.of_labels}

    def update(self, view: KeyView) -> None:
        """Count a view."""
        predicted, matched = self._passing(view, None)
        truths = np.bincount(view.truth_labels, minlength=len(view.labels))
        self.add(view.labels, predicted=predicted, matched=matched, truths=truths)
        self.datums += view.size

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        predicted, matched = self._passing(view, weights)
        truths = weighed(view.truth_labels, weights[view.truth_datums], len(view.labels))
        self.add(view.labels, predicted=predicted, matched=matched, truths=truths)
        self.datums += total(weights[view.taking_part])

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content)
        if (self.matched > self.predicted).any() or (self.truths < self.matched.T).any():
            raise StateError("matched: expected at most as many as predicted and truths")
        if (self.predicted.T - self.matched.T + self.truths > self.datums).any():
            raise StateError(f"predicted: expected {self.datums} items in all, found more")

    def points(self, applied: AppliedThresholds) -> OperatingPoints:
        """Return the counts of each label at its threshold, labels sorted."""
        order = self.vocabulary.order
        counts = self.predicted[order, 0], self.matched[order, 0], self.truths[order]
        return _points(counts, self.datums, [applied.of(label) for label in self.labels])

    def point_of_all(self, key: str, applied: AppliedThresholds) -> OperatingPoints:
        """Return the counts of all labels together at their common threshold."""
        columns = self.predicted[:, 1], self.matched[:, 1], self.truths
        counts = [one.sum(keepdims=True) for one in columns]
        return _points(counts, self.datums * len(self.vocabulary), [applied.of_all(key)])

    def _passing(self, view: KeyView, weights: Floats | None) -> tuple[Codes, Codes]:
        """Count the predictions and the hits of each label, or sum their weights."""
        scores = view.scores
        limits = self._limits(view.labels, scores.values.dtype)
        listed = view.truth_is_listed
        labels, datums = view.truth_labels[listed], view.truth_datums[listed]
        values = view.truth_scores[listed]
        predicted, matched = [], []
        for limit in limits:
            hits = np.flatnonzero(values >= limit[labels])
            matched.append(_counted(labels[hits], datums[hits], weights, len(limit)))
            if isinstance(scores, ScoreMatrix):
                rows, columns = np.nonzero(scores.values >= limit[scores.labels])
                predicted.append(_counted(scores.labels[columns], rows, weights, len(limit)))
            else:
                rows = np.flatnonzero(scores.values >= limit[scores.labels])
                predicted.append(
                    _counted(scores.labels[rows], scores.datums[rows], weights, len(limit))
                )
        return np.stack(predicted, axis=1), np.stack(matched, axis=1)

    def _limits(self, labels: Iterable[Label], dtype: np.dtype[Any]) -> list[Floats]:
        """Return the least scores of predictions in both ways, in the type of the scores."""
        labels = list(labels)
        own = [self._thresholds.get(label, np.inf) for label in labels]
        common = dict(self.of_keys).get(labels[0].key, np.inf) if labels else np.inf
        return [in_type(np.array(one, np.float64), dtype) for one in (own, [common] * len(labels))]


def _points(
    counts: Sequence[Codes], datums: Any, thresholds: Sequence[float | Undefined | Failed]
) -> OperatingPoints:
    """Return operating points from predictions, hits and ground truths of labels."""
    predicted, matched, truths = counts
    false = predicted - matched
    tp, fp, fn, tn = numbers(np.stack((matched, false, truths - matched, datums - truths - false)))
    return OperatingPoints.at(thresholds, tp=tp, fp=fp, fn=fn, tn=tn)


def _counted(labels: Codes, datums: Codes, weights: Floats | None, size: int) -> Codes:
    if weights is None:
        return np.bincount(labels, minlength=size)
    return weighed(labels, weights[datums], size)


@define(slots=False, repr=False)
class AppliedCounts(StateByKey):
    """`KeyAppliedCounts` for each label key."""

    part: ClassVar[type[KeyAppliedCounts]] = KeyAppliedCounts
    of_labels: tuple[tuple[str, str, float], ...] = ()
    of_keys: tuple[tuple[str, float], ...] = ()


def request(applied: AppliedThresholds) -> StateRequest:
    """Request the counts at thresholds from a report."""
    of_labels = tuple(
        (label.key, label.value, value)
        for label, value in sorted(applied.of_labels.items())
        if not isinstance(value, str)
    )
    of_keys = tuple(one for one in sorted(applied.of_keys.items()) if not isinstance(one[1], str))
    return StateRequest(AppliedCounts, {"of_labels": of_labels, "of_keys": of_keys})
