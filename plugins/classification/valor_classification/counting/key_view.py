"""Views of one label key of a batch, in the form that the states count."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.kernels.values import (
    ConfusionCells,
    ReliabilityBins,
    RowTops,
    in_type,
)
from valor_core.kernels import thread_count
from valor_core.schemas import Codes, Floats, Label, Uids
from valor_core.schemas.classification import ClassificationBatch, ScoreList, ScoreMatrix
from valor_core.schemas.classification.scores import Tops
from valor_core.schemas.columns import Checked, read_only
from valor_core.states.memo import cached, memoized

NONE = -1
"""Code for no label."""


class KeyView:
    """One label key of a batch. Codes are positions in `labels`, rows are the batch's datums.

    Parameters
    ----------
    labels : tuple of Label
        Labels of the key in the batch's vocabulary.
    uids : ndarray
        Uids of all datums of the batch.
    truth_datums, truth_labels : ndarray of int64
        Ground truths of the key, sorted by datum.
    scores : ScoreMatrix or ScoreList
        Predictions of the key.
    single : bool, optional
        Whether no datum has several ground truths, if that is known.
    """

    def __init__(
        self,
        labels: tuple[Label, ...],
        uids: Uids,
        truth_datums: Codes,
        truth_labels: Codes,
        scores: ScoreMatrix | ScoreList,
        single: bool | None = None,
    ) -> None:
        self.labels = labels
        self.uids = uids
        self.truth_datums = truth_datums
        self.truth_labels = truth_labels
        self.scores = scores
        self._single = single

    @property
    def count(self) -> int:
        """Number of datums of the batch, also those without labels of the key."""
        return len(self.uids)

    @cached
    def taking_part(self) -> NDArray[np.bool_]:
        """True for datums with a ground truth or a prediction of the key."""
        if isinstance(self.scores, ScoreMatrix):
            return np.ones(self.count, dtype=bool)
        taking_part = np.zeros(self.count, dtype=bool)
        taking_part[self.truth_datums] = True
        taking_part[self.scores.datums] = True
        return taking_part

    @cached
    def with_truth(self) -> int:
        """Number of datums with a ground truth."""
        if self.is_single:
            return len(self.truth_datums)
        return int(np.count_nonzero(self.truth_counts))

    @cached
    def has_truth(self) -> NDArray[np.bool_]:
        """True for datums with a ground truth."""
        if self.is_single and len(self.truth_datums) == self.count:
            return np.ones(self.count, dtype=bool)
        has_truth = np.zeros(self.count, dtype=bool)
        has_truth[self.truth_datums] = True
        return has_truth

    @cached
    def all_listed(self) -> bool:
        """True if every datum has a score for every label."""
        return isinstance(self.scores, ScoreMatrix) and len(self.scores.labels) == len(self.labels)

    @cached
    def size(self) -> int:
        """Number of datums that take part."""
        if isinstance(self.scores, ScoreMatrix):
            return self.count
        return int(np.count_nonzero(self.taking_part))

    @cached
    def truth_counts(self) -> Codes:
        """Number of ground truths, by datum."""
        if self.is_single and len(self.truth_datums) == self.count:
            return np.ones(self.count, dtype=np.int64)
        return np.bincount(self.truth_datums, minlength=self.count)

    @cached
    def is_single(self) -> bool:
        """True if no datum has several ground truths."""
        if self._single is not None:
            return self._single
        return bool(np.all(self.truth_datums[1:] > self.truth_datums[:-1]))

    @cached
    def truths(self) -> Codes:
        """Ground truth of each datum, or `NONE`; for a view that `is_single`."""
        if len(self.truth_datums) == self.count:
            return self.truth_labels
        truths = np.full(self.count, NONE, dtype=np.int64)
        truths[self.truth_datums] = self.truth_labels
        return truths

    @cached
    def columns(self) -> Codes:
        """Column of each label in a score matrix, `NONE` where it has none."""
        columns = np.full(len(self.labels), NONE, dtype=np.int64)
        columns[self.scores.labels] = np.arange(len(self.scores.labels))
        return columns

    @property
    def truth_columns(self) -> Codes:
        """Column of each ground truth in a score matrix, `NONE` where its label has none."""
        if np.array_equal(self.columns, np.arange(len(self.labels))):
            return self.truth_labels
        return self.columns[self.truth_labels]

    @property
    def _known_tops(self) -> RowTops | None:
        """Row maxima of a score matrix, if the check of the scores computed them."""
        tops: Tops | None = self.scores.tops  # type: ignore[union-attr]
        return None if tops is None else (tops.columns, tops.scores)

    @cached
    def _tops(self) -> tuple[NDArray[np.integer[Any]], Floats]:
        """Column or row of each datum's best-scoring label, the first of equals, and its score.

        `NONE` and an arbitrary score for a datum without scores.
        """
        values = self.scores.values
        if isinstance(self.scores, ScoreMatrix):
            return self._known_tops or kernels.best.top_of_rows(values, threads=thread_count())
        entries = kernels.best.top_of_runs(self.scores.datums, values, count=self.count)
        return entries, values[entries] if len(values) else np.zeros(self.count, values.dtype)

    @cached
    def top_labels(self) -> NDArray[np.integer[Any]]:
        """Best-scoring label of each datum, `NONE` for a datum without scores."""
        entries = self._tops[0]
        if isinstance(self.scores, ScoreMatrix):
            labels = self.scores.labels
            return entries if np.array_equal(labels, np.arange(len(labels))) else labels[entries]
        if not len(self.scores.labels):
            return entries
        return np.where(entries == NONE, NONE, self.scores.labels[entries])

    @cached
    def top_scores(self) -> Floats:
        """Best score of each datum; meaningless for a datum without scores."""
        return self._tops[1]

    @memoized
    def top_cells(self, score_thresholds: tuple[float, ...]) -> ConfusionCells:
        """Datums by ground truth, best-scoring label and number of passed thresholds.

        For a view that `is_single`.
        """
        thresholds = np.array(score_thresholds)
        count, scores = len(self.labels), self.scores
        if isinstance(scores, ScoreMatrix):
            return kernels.confusion.top_cells(
                *(scores.values, scores.labels, self.truths, thresholds),
                label_count=count,
                tops=self._known_tops,
                threads=thread_count(),
            )
        bins = kernels.thresholds.passed(self.top_scores, thresholds)
        bins[self.top_labels == NONE] = 0
        return kernels.confusion.confusion_cells(
            *(self.truths, self.top_labels, bins),
            label_count=count,
            threshold_count=len(thresholds),
        )

    def top_reliability(self, limits: Floats) -> ReliabilityBins:
        """Count hits of the best-scoring label by the number of limits that its score reaches.

        Of the datums with a prediction and a ground truth.
        """
        scores, threads = self.scores, thread_count()
        if isinstance(scores, ScoreMatrix) and self.is_single and self.with_truth == self.count:
            return kernels.reliability.top_reliability(
                *(scores.values, scores.labels, self.truths, limits),
                tops=self._known_tops,
                threads=threads,
            )
        wanted = self.has_truth & (self.top_labels != NONE)
        return kernels.reliability.reliability(
            *(self.top_scores[wanted], self.top_is_true[wanted], limits), threads=threads
        )

    def scores_of(self, code: int) -> tuple[Codes, Floats]:
        """Return the datums that list a label, and their scores for it."""
        scores = self.scores
        if isinstance(scores, ScoreMatrix):
            columns = np.flatnonzero(scores.labels == code)
            datums = np.tile(np.arange(self.count), len(columns))
            return datums, np.ascontiguousarray(scores.values[:, columns]).reshape(-1)
        rows = np.flatnonzero(scores.labels == code)
        return scores.datums[rows], scores.values[rows]

    @cached
    def top_is_true(self) -> NDArray[np.bool_]:
        """True for datums whose best-scoring label is a ground truth."""
        if self.is_single:
            is_true: NDArray[np.bool_] = np.equal(self.top_labels, self.truths)
            if not self.all_listed:
                is_true[self.top_labels == NONE] = False
            return is_true
        width = len(self.labels) + 1
        truths = np.sort(self.truth_datums * width + self.truth_labels)
        tops = np.arange(self.count) * width + self.top_labels
        is_true = _is_in(tops, truths)
        is_true[self.top_labels == NONE] = False
        return is_true

    @cached
    def truth_entries(self) -> Codes:
        """Row of each ground truth in a score list, `NONE` where it is not listed."""
        width = max(len(self.labels), 1)
        pairs = self.scores.datums * width + self.scores.labels  # type: ignore[union-attr]
        order = np.argsort(pairs, kind="stable")
        wanted = self.truth_datums * width + self.truth_labels
        indices = np.searchsorted(pairs[order], wanted)
        indices[indices == len(pairs)] = 0
        if not len(pairs):
            return np.full(len(wanted), NONE, dtype=np.int64)
        found = order[indices]
        return np.where(pairs[found] == wanted, found, NONE)

    @cached
    def truth_is_listed(self) -> NDArray[np.bool_]:
        """True for ground truths with a score."""
        if self.all_listed:
            return np.ones(len(self.truth_labels), dtype=bool)
        if isinstance(self.scores, ScoreMatrix):
            return np.not_equal(self.columns[self.truth_labels], NONE)
        return np.not_equal(self.truth_entries, NONE)

    @cached
    def truth_scores(self) -> Floats:
        """Score of each ground truth, 0 where it is not listed."""
        values = self.scores.values
        if self.all_listed and self.is_single and len(self.truth_datums) == self.count:
            return kernels.best.scores_in_rows(values, self.truth_columns)
        if isinstance(self.scores, ScoreMatrix):
            scores: Floats = values[self.truth_datums, self.columns[self.truth_labels]]
        else:
            scores = values[self.truth_entries] if len(values) else np.zeros(len(self.truth_labels))
        return np.where(self.truth_is_listed, scores, 0).astype(values.dtype, copy=False)

    @memoized
    def set_sizes(self, score_thresholds: tuple[float, ...], hardmax: bool) -> tuple[Codes, Codes]:
        """Return the numbers of predicted labels and of true ones among them.

        Both have a row for each datum and a column for each threshold. With `hardmax`, only the
        best-scoring label of a datum is a prediction.
        """
        thresholds = np.array(score_thresholds)
        if hardmax:
            passed = self.top_scores[:, None] >= in_type(thresholds, self.top_scores.dtype)
            passed &= (self.top_labels >= 0)[:, None]
            return passed.astype(np.int64), (passed & self.top_is_true[:, None]).astype(np.int64)
        datums = self.truth_datums[self.truth_is_listed]
        bins = kernels.thresholds.passed(self.truth_scores[self.truth_is_listed], thresholds)
        common, scores = _reached(datums, bins, self.count, thresholds), self.scores
        if not isinstance(scores, ScoreMatrix):
            bins = kernels.thresholds.passed(scores.values, thresholds)
            return _reached(scores.datums, bins, self.count, thresholds), common
        sizes = np.empty((self.count, len(thresholds)), dtype=np.int64)
        for index, limit in enumerate(in_type(thresholds, scores.values.dtype)):
            sizes[:, index] = np.count_nonzero(scores.values >= limit, axis=1)
        return sizes, common

    @cached
    def listed_is_true(self) -> NDArray[np.bool_]:
        """True for entries of a score list that are ground truths."""
        is_true = np.zeros(len(self.scores.values), dtype=bool)
        is_true[self.truth_entries[self.truth_is_listed]] = True
        return is_true


@memoized
def views(batch: ClassificationBatch) -> tuple[KeyView, ...]:
    """Return a view of every label key of a batch.

    They are kept with the batch: the states of a plan count the same batch one after another, and
    share what the views derive.
    """
    is_used = _is_used(batch)
    keys = sorted({label.key for label, used in zip(batch.labels, is_used, strict=True) if used})
    if len(keys) == 1 and is_used.all() and len(batch.scores.labels):
        columns = (batch.truth_datums, batch.truth_labels, batch.scores)
        return (KeyView(batch.labels, batch.datums.uids, *columns, batch.single),)
    return tuple(_view(batch, key, is_used) for key in keys)


def _is_used(batch: ClassificationBatch) -> NDArray[np.bool_]:
    """Return whether an item has each label; a filter or slice removed the other items."""
    is_used = np.zeros(len(batch.labels), dtype=bool)
    if len(batch):
        is_used[batch.scores.labels] = True
        if not is_used.all():
            is_used[batch.truth_labels] = True
    return is_used


def _view(batch: ClassificationBatch, key: str, is_used: NDArray[np.bool_]) -> KeyView:
    is_own = np.array([label.key == key for label in batch.labels]) & is_used
    codes = np.cumsum(is_own) - 1
    own_truths = is_own[batch.truth_labels]
    scores = batch.scores
    own_scores = is_own[scores.labels]
    key_scores: ScoreMatrix | ScoreList
    if isinstance(scores, ScoreMatrix) and own_scores.any():
        values = np.ascontiguousarray(scores.values[:, own_scores])
        key_scores = ScoreMatrix(Checked(read_only(values)), codes[scores.labels[own_scores]])
    elif isinstance(scores, ScoreMatrix):
        none = np.empty(0, dtype=np.int64)
        key_scores = ScoreList(none, none, np.empty(0, dtype=scores.values.dtype))
    else:
        rows = np.flatnonzero(own_scores)
        labels = codes[scores.labels[rows]]
        datums, values = scores.datums[rows], scores.values[rows]
        key_scores = evolve(scores, datums=datums, labels=labels, values=values)
    return KeyView(
        tuple(label for label, own_one in zip(batch.labels, is_own, strict=True) if own_one),
        batch.datums.uids,
        batch.truth_datums[own_truths],
        codes[batch.truth_labels[own_truths]],
        key_scores,
    )


def _reached(
    datums: Codes, bins: NDArray[Any], count: int, thresholds: NDArray[np.float64]
) -> Codes:
    """Number of entries of each datum that pass each threshold."""
    width = len(thresholds) + 1
    table = np.bincount(datums * width + bins, minlength=count * width).reshape(count, width)
    return np.cumsum(table[:, :0:-1], axis=1)[:, ::-1]


def _is_in(values: Codes, ascending: Codes) -> NDArray[np.bool_]:
    if not len(ascending):
        return np.zeros(len(values), dtype=bool)
    indices = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    is_in: NDArray[np.bool_] = np.equal(ascending[indices], values)
    return is_in
