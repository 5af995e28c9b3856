"""Predictions and hits of every label at every score threshold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray
from valor_labels import counted_by_label

from valor_classification import kernels
from valor_classification.counting.by_key import KeyItems, StateByKey
from valor_classification.counting.item_labels import KeptItems
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.weighted_counts import total, weighed
from valor_core.errors import StateError
from valor_core.kernels import thread_count
from valor_core.schemas import Codes, Floats, Label
from valor_core.schemas.classification import ScoreMatrix
from valor_core.states import StateContent, StateRequest, counted
from valor_core.states.saved_columns import saved_column, saved_number

SEVERAL = (
    "items have several ground truths, but hardmax: true predicts only the best label of an item; "
    "set hardmax: false and score_thresholds: 0.5 to predict every label from that score on"
)

TIED = (
    "scores of exactly 0 or 1 give items several best labels, of which hardmax: true predicts the "
    "first; if they are predicted labels, set hardmax: false and score_thresholds: 0.5"
)


def threshold_warnings(
    thresholds: Sequence[float], reached: Sequence[int], items: int, labels: int, hardmax: bool
) -> Iterator[str]:
    """Yield a warning for each threshold that cannot change a number, and for those out of reach.

    The best score of an item is at least one divided by the number of labels, if its scores sum to
    1, so that no lower threshold excludes the best label. Half of a binary model is what hardmax
    predicts.

    Parameters
    ----------
    thresholds : sequence of float
        Score thresholds; minus infinity is none.
    reached : sequence of int
        Predictions that reach each of them.
    items : int
        Items that take part.
    labels : int
        Labels of the key.
    hardmax : bool
        Whether only the best label of an item is a prediction.

    Examples
    --------
    >>> [*threshold_warnings([0.35, 0.75], [8, 3], items=8, labels=2, hardmax=True)]
    ['score_threshold 0.35 changes nothing, with hardmax: true the best of 2 labels always reaches
    it; set hardmax: false to predict every label from that score on']
    >>> [*threshold_warnings([50], [0], items=8, labels=2, hardmax=True)]
    ['score_threshold 50: no score reaches it, so that nothing is predicted; write 0.5 for 50 %']
    """
    for threshold, count in zip(thresholds, reached, strict=True):
        if not items or threshold == -math.inf:
            continue
        if hardmax and count == items and 0 < threshold * labels < 1 < labels:
            yield (
                f"score_threshold {threshold:g} changes nothing, with hardmax: true the best of "
                f"{labels} labels always reaches it; set hardmax: false to predict every label "
                "from that score on"
            )
        elif not count and threshold > 1:
            percent = f"; write {threshold / 100:g} for {threshold:g} %" * (threshold <= 100)
            yield (
                f"score_threshold {threshold:g}: no score reaches it, so that nothing is "
                f"predicted{percent}"
            )


@frozen(kw_only=True, eq=False, repr=False)
class ThresholdCounts:
    """Binary counts of all labels at one score threshold, labels sorted.

    Parameters
    ----------
    labels : tuple of Label
        Labels of one key.
    tp, fp, fn, tn : ndarray of int64, shape (n_labels,)
        Counts of datums; sums of their weights as an array of `fractions.Fraction`, if datums have
        weights.
    """

    labels: tuple[Label, ...]
    tp: Codes
    fp: Codes
    fn: Codes
    tn: Codes

    @property
    def truths(self) -> Codes:
        """Ground truths of each label."""
        return self.tp + self.fn


def _no_histogram(state: KeyLabelCounts) -> Codes:
    return np.zeros((0, len(state.thresholds) + 1), np.int64)


@define(slots=False, repr=False)
class KeyLabelCounts(KeyItems):
    """Histograms, by label, of the number of thresholds that predictions pass.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds.
    hardmax : bool
        Whether only the best-scoring label of a datum is a prediction.
    rows : tuple of bool
        Not empty to keep the labels of each datum.
    """

    thresholds: tuple[float, ...]
    hardmax: bool
    predicted: Codes = counted_by_label(_no_histogram, takes_self=True)
    matched: Codes = counted_by_label(_no_histogram, takes_self=True)
    truths: Codes = counted_by_label(lambda: np.zeros(0, np.int64))
    datums: int = counted(int)
    has_several: bool = counted(bool)
    has_ties: bool = counted(bool)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        predicted, matched = self._of_top(view) if self.hardmax else self._of_all(view)
        truths = np.bincount(view.truth_labels, minlength=len(view.labels))
        self.add(view.labels, predicted=predicted, matched=matched, truths=truths)
        self.datums += view.size
        self._note(view)
        if self.rows:
            self.keep_sets(view, self.thresholds, self.hardmax)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        predicted, matched = self._weighed(view, weights)
        truths = weighed(view.truth_labels, weights[view.truth_datums], len(view.labels))
        self.add(view.labels, predicted=predicted, matched=matched, truths=truths)
        self.datums += total(weights[view.taking_part])
        self._note(view)
        self.rows = ()

    def _note(self, view: KeyView) -> None:
        self.has_several |= not view.is_single
        self.has_ties |= self.hardmax and not self.has_ties and _has_ties(view)

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        # states of older versions lack the two flags
        has_several = "has_several" not in content and bool(
            saved_column(content, "truths", np.int64).sum(dtype=float)
            > saved_number(content, "datums")
        )
        super().restore({"has_several": has_several, "has_ties": False, **content})
        self._check_counts()

    def _check_counts(self) -> None:
        """Raise a `StateError` unless predictions and hits are of the items there are."""
        # What passes no threshold need not have been counted; floats do not overflow.
        kind = None if self.truths.dtype == object else float
        predicted, matched = (table[:, 1:] for table in (self.predicted, self.matched))
        if (matched > predicted).any():
            raise StateError("matched: expected at most as many as predicted, found more")
        if (self.matched.sum(axis=1, dtype=kind) > self.truths).any():
            raise StateError("matched: expected at most as many as truths, found more")
        false = (predicted - matched).sum(axis=1, dtype=kind)
        if (false + self.truths > self.datums).any():
            raise StateError(f"predicted: expected {self.datums} items in all, found more")

    def warnings(self) -> Iterator[str]:
        """Warnings of thresholds without effect or out of reach, and of several ground truths."""
        if self.hardmax and self.has_several:
            yield SEVERAL
        elif self.has_ties:
            yield TIED
        reached = _passing(self.predicted).sum(axis=0)[1:].tolist()
        count = len(self.vocabulary)
        yield from threshold_warnings(self.thresholds, reached, self.datums, count, self.hardmax)

    def at(self, threshold: float) -> ThresholdCounts:
        """Counts at one of the thresholds."""
        return self.all_at((threshold,))[0]

    def all_at(self, thresholds: tuple[float, ...]) -> list[ThresholdCounts]:
        """Counts at several of the thresholds."""
        order = self.vocabulary.order
        labels = self.labels
        tp, passed = _passing(self.matched[order]), _passing(self.predicted[order])
        truths = self.truths[order]
        indices = {threshold: index for index, threshold in enumerate(self.thresholds, start=1)}
        found = []
        for threshold in thresholds:
            index = indices[threshold]
            hits, misses = tp[:, index], truths - tp[:, index]
            false = passed[:, index] - hits
            found.append(
                ThresholdCounts(
                    labels=labels, tp=hits, fp=false, fn=misses, tn=self.datums - truths - false
                )
            )
        return found

    def _of_top(self, view: KeyView) -> tuple[Codes, Codes]:
        if view.is_single:
            return self._of_cells(view)
        bins = kernels.thresholds.passed(view.top_scores, np.array(self.thresholds))
        labels = view.top_labels
        listed = labels != NONE
        hit = listed & view.top_is_true
        return (
            self._histogram(view, labels[listed], bins[listed]),
            self._histogram(view, labels[hit], bins[hit]),
        )

    def _of_cells(self, view: KeyView) -> tuple[Codes, Codes]:
        cells = view.top_cells(self.thresholds)
        labels, bins, counts = cells.predictions, cells.bins, cells.counts
        listed = labels != NONE
        hit = listed & (cells.truths == labels)
        predicted = np.zeros((len(view.labels), len(self.thresholds) + 1), dtype=np.int64)
        matched = np.zeros_like(predicted)
        np.add.at(predicted, (labels[listed], bins[listed]), counts[listed])
        np.add.at(matched, (labels[hit], bins[hit]), counts[hit])
        return predicted, matched

    def _of_all(self, view: KeyView) -> tuple[Codes, Codes]:
        thresholds = np.array(self.thresholds)
        scores = view.scores
        if isinstance(scores, ScoreMatrix):
            predicted = np.zeros((len(view.labels), len(thresholds) + 1), dtype=np.int64)
            predicted[scores.labels] = kernels.thresholds.threshold_histogram(
                scores.values, thresholds, threads=thread_count()
            )
        else:
            bins = kernels.thresholds.passed(scores.values, thresholds)
            predicted = self._histogram(view, scores.labels, bins)
        listed = view.truth_is_listed
        bins = kernels.thresholds.passed(view.truth_scores[listed], thresholds)
        matched = self._histogram(view, view.truth_labels[listed], bins)
        return predicted, matched

    def _weighed(self, view: KeyView, weights: Floats) -> tuple[Codes, Codes]:
        """Return the sums of the weights of predictions and of hits."""
        thresholds, scores = np.array(self.thresholds), view.scores
        if self.hardmax:
            bins = kernels.thresholds.passed(view.top_scores, thresholds)
            chosen = view.top_labels != NONE
            hit = chosen & view.top_is_true
            return (
                self._sums(view, view.top_labels[chosen], bins[chosen], weights[chosen]),
                self._sums(view, view.top_labels[hit], bins[hit], weights[hit]),
            )
        if isinstance(scores, ScoreMatrix):
            bins = kernels.thresholds.passed(scores.values.reshape(-1), thresholds)
            labels = np.tile(scores.labels, view.count)
            predicted = self._sums(view, labels, bins, np.repeat(weights, len(scores.labels)))
        else:
            bins = kernels.thresholds.passed(scores.values, thresholds)
            predicted = self._sums(view, scores.labels, bins, weights[scores.datums])
        listed = view.truth_is_listed
        bins = kernels.thresholds.passed(view.truth_scores[listed], thresholds)
        truths, datums = view.truth_labels[listed], view.truth_datums[listed]
        return predicted, self._sums(view, truths, bins, weights[datums])

    def _sums(self, view: KeyView, labels: Codes, bins: NDArray[Any], weights: Floats) -> Codes:
        width = len(self.thresholds) + 1
        sums = weighed(labels * width + bins, weights, len(view.labels) * width)
        return sums.reshape(-1, width)

    def _histogram(self, view: KeyView, labels: Codes, bins: NDArray[Any]) -> Codes:
        width = len(self.thresholds) + 1
        counts = np.bincount(labels * width + bins, minlength=len(view.labels) * width)
        return counts.reshape(-1, width)


def _passing(histogram: Codes) -> Codes:
    """For each label, how many pass at least 0, 1, 2 … thresholds."""
    return np.cumsum(histogram[:, ::-1], axis=1)[:, ::-1]


@define(slots=False, repr=False)
class LabelCounts(StateByKey):
    """`KeyLabelCounts` for each label key.

    Examples
    --------
    >>> from valor_core.schemas.classification import Classification, ClassificationBatch
    >>> state = LabelCounts(thresholds=(0.5,), hardmax=True)
    >>> state.update(ClassificationBatch.of([Classification("a", "dog", {"dog": 0.75})]))
    >>> state.of("class").at(0.5).tp
    array([1])
    """

    part: ClassVar[type[KeyLabelCounts]] = KeyLabelCounts
    keeps_rows: ClassVar[bool] = True
    thresholds: tuple[float, ...] = ()
    hardmax: bool = True
    rows: tuple[bool, ...] = ()

    def outcomes(self, threshold: float) -> tuple[KeptItems, dict[str, Codes]] | None:
        """Return the items of the only label key, and their tp, fp, fn and tn over its labels.

        None without rows of items.
        """
        if (kept := self.kept) is None:
            return None
        part, items = kept
        items, sizes = items.at(part.thresholds.index(threshold))
        tp = sizes["common"]
        fp, fn = sizes["predicted"] - tp, sizes["truths"] - tp
        return items, {"tp": tp, "fp": fp, "fn": fn, "tn": len(part.vocabulary) - tp - fp - fn}


def request(thresholds: tuple[float, ...], *, hardmax: bool) -> StateRequest:
    """Request the label counts at thresholds."""
    return StateRequest(LabelCounts, {"hardmax": hardmax}, {"thresholds": thresholds})


def _has_ties(view: KeyView) -> bool:
    """Return whether an item has several best labels whose scores are all 0 or all 1."""
    scores = view.scores
    if not isinstance(scores, ScoreMatrix):
        datums = scores.datums[scores.values == 1]
        return bool((datums[1:] == datums[:-1]).any())
    tops = view.top_scores
    rows = np.flatnonzero((tops == 0) | (tops == 1))
    return bool(((scores.values[rows] == tops[rows, None]).sum(axis=1) > 1).any())


def limit(threshold: float | None) -> float:
    """Least score of a prediction; every score reaches the threshold null.

    Examples
    --------
    >>> limit(0.5), limit(None)
    (0.5, -inf)
    """
    return -math.inf if threshold is None else threshold


def limits(thresholds: Iterable[float | None]) -> tuple[float, ...]:
    """Least scores for several thresholds."""
    return tuple(map(limit, thresholds))


def coordinates(threshold: float | None, hardmax: bool) -> dict[str, Any]:
    """Return the parameters of a result that define which labels are predictions.

    Examples
    --------
    >>> coordinates(None, hardmax=True)
    {'score_threshold': None, 'hardmax': True}
    """
    return {"score_threshold": threshold, "hardmax": hardmax}
