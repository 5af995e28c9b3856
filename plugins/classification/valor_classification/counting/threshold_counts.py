"""Label counts: predictions and hits of every label at every threshold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import Keyed, add_rows
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.reach import SEVERAL, TIED, threshold_warnings
from valor_core.errors import StateError
from valor_core.kernels import thread_count
from valor_core.schemas import Codes, Label, Vocabulary
from valor_core.schemas.classification import ScoreMatrix
from valor_core.states import Content, StateRequest, saved_column, saved_labels, saved_number


@frozen(kw_only=True, eq=False, repr=False)
class ThresholdCounts:
    """The binary problems of all labels at one score threshold, labels sorted.

    Parameters
    ----------
    labels : tuple of Label
        Labels of one key.
    tp, fp, fn, tn : ndarray of int64, shape (n_labels,)
        Counts of datums.
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


@define(repr=False)
class LabelCountsPart:
    """Histograms, by label, of how many thresholds its predictions pass.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds.
    hardmax : bool
        Whether only the best-scoring label of a datum is a prediction.
    """

    thresholds: tuple[float, ...]
    hardmax: bool
    vocabulary: Vocabulary = field(factory=Vocabulary)
    predicted: NDArray[np.int64] = field(init=False)
    matched: NDArray[np.int64] = field(init=False)
    truths: NDArray[np.int64] = field(init=False)
    datums: int = 0
    has_several: bool = False
    has_ties: bool = False

    def __attrs_post_init__(self) -> None:
        self.predicted = np.zeros((0, len(self.thresholds) + 1), dtype=np.int64)
        self.matched = self.predicted.copy()
        self.truths = np.zeros(0, dtype=np.int64)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        counted = self._of_top(view) if self.hardmax else self._of_all(view)
        self._add(self.vocabulary.join(view.labels), *counted)
        self.datums += view.size
        self.has_several |= not view.is_single
        self.has_ties |= self.hardmax and not self.has_ties and _has_ties(view)

    def merge(self, other: LabelCountsPart) -> None:
        """Count what another part counted."""
        codes = self.vocabulary.join(other.vocabulary.labels)
        self._add(codes, other.predicted, other.matched, other.truths)
        self.datums += other.datums
        self.has_several |= other.has_several
        self.has_ties |= other.has_ties

    def dump(self) -> Content:
        """The histograms."""
        return {
            "labels": self.vocabulary.labels,
            "predicted": self.predicted,
            "matched": self.matched,
            "truths": self.truths,
            "datums": self.datums,
            "has_several": self.has_several,
            "has_ties": self.has_ties,
        }

    def restore(self, content: Content) -> None:
        """The histograms that `dump` wrote."""
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        self.datums = saved_number(content, "datums", low=0)
        self.predicted, self.matched, self.truths = (
            saved_column(content, name, np.int64, shape=shape, low=0, high=self.datums)
            for name, shape in (
                ("predicted", (len(self.vocabulary), len(self.thresholds) + 1)),
                ("matched", (len(self.vocabulary), len(self.thresholds) + 1)),
                ("truths", (len(self.vocabulary),)),
            )
        )
        self._check_counts()
        # states of older versions lack it
        self.has_several = bool(content.get("has_several", self.truths.sum() > self.datums))
        self.has_ties = bool(content.get("has_ties"))

    def _check_counts(self) -> None:
        """Raise a `StateError` unless predictions and hits are of the items there are."""
        # What passes no threshold need not have been counted; floats do not overflow.
        predicted, matched = (table[:, 1:] for table in (self.predicted, self.matched))
        if (matched > predicted).any():
            raise StateError("matched: expected at most as many as predicted, found more")
        if (self.matched.sum(axis=1, dtype=float) > self.truths).any():
            raise StateError("matched: expected at most as many as truths, found more")
        false = (predicted - matched).sum(axis=1, dtype=float)
        if (false + self.truths > self.datums).any():
            raise StateError(f"predicted: expected {self.datums:,} items in all, found more")

    def warnings(self) -> Iterator[str]:
        """Warnings of thresholds without effect or out of reach, and of several ground truths."""
        if self.hardmax and self.has_several:
            yield SEVERAL
        elif self.has_ties:
            yield TIED
        reached = _passing(self.predicted).sum(axis=0)[1:].tolist()
        count = len(self.vocabulary)
        yield from threshold_warnings(self.thresholds, reached, self.datums, count, self.hardmax)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels, sorted."""
        return self.vocabulary.sorted_labels

    def at(self, threshold: float) -> ThresholdCounts:
        """Counts at one of the thresholds."""
        return self.all_at((threshold,))[0]

    def all_at(self, thresholds: tuple[float, ...]) -> list[ThresholdCounts]:
        """Counts at several of the thresholds."""
        order = self.vocabulary.order
        labels = self.labels
        tp, passed = _passing(self.matched[order]), _passing(self.predicted[order])
        truths = self.truths[order]
        places = {threshold: place for place, threshold in enumerate(self.thresholds, start=1)}
        found = []
        for threshold in thresholds:
            place = places[threshold]
            hits, misses = tp[:, place], truths - tp[:, place]
            false = passed[:, place] - hits
            found.append(
                ThresholdCounts(
                    labels=labels, tp=hits, fp=false, fn=misses, tn=self.datums - truths - false
                )
            )
        return found

    def _of_top(self, view: KeyView) -> tuple[Codes, Codes, Codes]:
        if view.is_single:
            return self._of_cells(view)
        bins = kernels.thresholds.passed(view.top_scores, np.array(self.thresholds))
        labels = view.top_labels
        listed = labels != NONE
        hit = listed & view.top_is_true
        return (
            self._histogram(view, labels[listed], bins[listed]),
            self._histogram(view, labels[hit], bins[hit]),
            _truths(view),
        )

    def _of_cells(self, view: KeyView) -> tuple[Codes, Codes, Codes]:
        cells = view.top_cells(self.thresholds)
        labels, bins, counts = cells.predictions, cells.bins, cells.counts
        listed, has_truth = labels != NONE, cells.truths != NONE
        hit = listed & (cells.truths == labels)
        predicted = np.zeros((len(view.labels), len(self.thresholds) + 1), dtype=np.int64)
        matched, truths = np.zeros_like(predicted), np.zeros(len(view.labels), dtype=np.int64)
        np.add.at(predicted, (labels[listed], bins[listed]), counts[listed])
        np.add.at(matched, (labels[hit], bins[hit]), counts[hit])
        np.add.at(truths, cells.truths[has_truth], counts[has_truth])
        return predicted, matched, truths

    def _of_all(self, view: KeyView) -> tuple[Codes, Codes, Codes]:
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
        return predicted, matched, _truths(view)

    def _histogram(self, view: KeyView, labels: Codes, bins: NDArray[Any]) -> Codes:
        width = len(self.thresholds) + 1
        counts = np.bincount(labels * width + bins, minlength=len(view.labels) * width)
        return counts.reshape(-1, width)

    def _add(self, codes: Codes, predicted: Codes, matched: Codes, truths: Codes) -> None:
        count = len(self.vocabulary)
        self.predicted = add_rows(self.predicted, codes, predicted, count)
        self.matched = add_rows(self.matched, codes, matched, count)
        self.truths = add_rows(self.truths, codes, truths, count)


def _truths(view: KeyView) -> Codes:
    return np.bincount(view.truth_labels, minlength=len(view.labels))


def _passing(histogram: Codes) -> Codes:
    """For each label, how many pass at least 0, 1, 2 … thresholds."""
    return np.cumsum(histogram[:, ::-1], axis=1)[:, ::-1]


@define(slots=False, repr=False)
class LabelCounts(Keyed):
    """`LabelCountsPart` for each label key.

    Examples
    --------
    >>> from valor_core.schemas.classification import Classification, ClassificationBatch
    >>> state = LabelCounts(thresholds=(0.5,), hardmax=True)
    >>> state.update(ClassificationBatch.of([Classification("a", "dog", {"dog": 0.75})]))
    >>> state.of("class").at(0.5).tp
    array([1])
    """

    part: ClassVar[type[LabelCountsPart]] = LabelCountsPart
    thresholds: tuple[float, ...] = ()
    hardmax: bool = True


def request(thresholds: tuple[float, ...], *, hardmax: bool) -> StateRequest:
    """The label counts at some thresholds."""
    return StateRequest(LabelCounts, {"hardmax": hardmax}, {"thresholds": thresholds})


def _has_ties(view: KeyView) -> bool:
    """Whether an item has several best labels whose scores are all 0 or all 1."""
    scores = view.scores
    if not isinstance(scores, ScoreMatrix):
        datums = scores.datums[scores.values == 1]
        return bool((datums[1:] == datums[:-1]).any())
    tops = view.top_scores
    rows = np.flatnonzero((tops == 0) | (tops == 1))
    return bool(((scores.values[rows] == tops[rows, None]).sum(axis=1) > 1).any())
