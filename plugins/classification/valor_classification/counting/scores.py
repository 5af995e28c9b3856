"""Every score of every label, in its own type, or its histogram in equal bins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray
from valor_labels import counted_by_label

from valor_classification import kernels
from valor_classification.counting import threshold_counts
from valor_classification.counting.by_key import KeyState, StateByKey, saved_scores
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.score_checks import range_request, scores_request
from valor_classification.counting.threshold_counts import KeyLabelCounts
from valor_classification.counting.weighted_counts import (
    numbers,
    saved_weights,
    total,
    weighed,
)
from valor_classification.counting.weighted_scores import WeightedScores, weighted_areas
from valor_classification.kernels.values import LabelAreas, RankAreas
from valor_core.errors import SchemaError, StateError
from valor_core.kernels import thread_count
from valor_core.schemas import Codes, Floats, Label, Vocabulary
from valor_core.schemas.classification import ScoreMatrix
from valor_core.states import StateContent, StateRequest, counted
from valor_core.states.memo import forget, memoized
from valor_core.states.saved_columns import check_same_length, saved_column


@frozen(eq=False, repr=False)
class MatrixChunk:
    """Scores of some datums for the same labels.

    Parameters
    ----------
    values : ndarray, shape (n, k)
        The scores; never written to.
    labels : ndarray of int64, shape (k,)
        Label code of each column.
    rows, columns : ndarray of int64, shape (p,)
        Cells whose datum truly has the column's label.
    weights : ndarray of float64, shape (n,), optional
        Weights of the datums.
    """

    values: Floats
    labels: Codes
    rows: Codes
    columns: Codes
    weights: Floats | None = None


@frozen(eq=False, repr=False)
class ListChunk:
    """Scores of the labels that some datums list.

    Parameters
    ----------
    marks : ndarray of int32 or int64, shape (n,)
        Twice the label code, plus one if the datum truly has the label.
    values : ndarray, shape (n,)
        The scores.
    weights : ndarray of float64, shape (n,), optional
        Weights of their datums.
    """

    marks: NDArray[np.signedinteger]
    values: Floats
    weights: Floats | None = None


@frozen(kw_only=True, repr=False)
class LabelScores:
    """One label's scores against the rest.

    Parameters
    ----------
    label : Label
        The label.
    scores, positive_scores : ndarray
        Listed scores of all datums, and of those that truly have the label.
    unlisted_positives, unlisted_negatives : int
        Datums that do not list the label; they tie below all others.
    """

    label: Label
    scores: Floats
    positive_scores: Floats
    unlisted_positives: int
    unlisted_negatives: int


@define(slots=False, repr=False)
class KeyRanking(KeyState):
    """All scores of one label key."""

    truths: Codes = counted_by_label(lambda: np.zeros(0, np.int64))
    datums: int = counted(int)
    matrices: list[MatrixChunk] = field(factory=list, init=False)
    lists: list[ListChunk] = field(factory=list, init=False)

    def update(self, view: KeyView) -> None:
        """Keep a view's scores."""
        truths = np.bincount(view.truth_labels, minlength=len(view.labels))
        self.datums += view.size
        self._keep(view, self.add(view.labels, truths=truths), None)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Keep a view's scores and the weights of its datums."""
        truths = weighed(view.truth_labels, weights[view.truth_datums], len(view.labels))
        self.datums += total(weights[view.taking_part])
        self._keep(view, self.add(view.labels, truths=truths), weights)

    def _keep(self, view: KeyView, codes: Codes, weights: Floats | None) -> None:
        forget(self)
        scores = view.scores
        if isinstance(scores, ScoreMatrix):
            rows, columns = view.truth_datums, view.truth_columns
            if not view.all_listed:
                listed = columns != NONE
                rows, columns = rows[listed], columns[listed]
            labels = codes[scores.labels]
            self.matrices.append(MatrixChunk(scores.values, labels, rows, columns, weights))
        elif len(scores.values):
            marks = (2 * codes[scores.labels] + view.listed_is_true).astype(np.int32)
            if weights is not None:
                weights = weights[scores.datums]
            self.lists.append(ListChunk(marks, scores.values, weights))

    def detach(self) -> None:
        """Copy what is a view of a batch's arrays."""
        self.matrices = [
            evolve(
                chunk,
                values=chunk.values.copy(),
                rows=chunk.rows.copy(),
                columns=chunk.columns.copy(),
            )
            for chunk in self.matrices
        ]
        self.lists = [evolve(chunk, values=chunk.values.copy()) for chunk in self.lists]

    def merge(self, other: KeyRanking) -> None:
        """Add the scores of another state of the same request, which is not modified."""
        forget(self)
        super().merge(other)
        codes = self.vocabulary.join(other.vocabulary.labels)
        for chunk in tuple(other.matrices):
            self.matrices.append(evolve(chunk, labels=codes[chunk.labels]))
        for listed in tuple(other.lists):
            marks = 2 * codes[listed.marks >> 1] + (listed.marks & 1)
            self.lists.append(evolve(listed, marks=marks.astype(np.int32)))

    def resamples(
        self, parts: Sequence[Self], weights: Codes, nested: Any
    ) -> Iterator[KeyRanking] | None:
        """Yield the ranking of each resample of groups of datums; scores are sorted once."""
        is_weighted = any(part.is_weighted for part in parts)
        return None if is_weighted else self._ranked_resamples(parts, weights)

    def _ranked_resamples(self, parts: Sequence[Self], weights: Codes) -> Iterator[KeyRanking]:
        codes = [self.vocabulary.join(part.vocabulary.labels) for part in parts]
        present = np.zeros((len(parts), len(self.vocabulary)))
        for group, each in enumerate(codes):
            present[group, each] = 1
        rankings = [_GroupRanking.of(label, parts) for label in self.labels]
        in_order = present[:, self.vocabulary.order]
        for row in weights:
            has = np.flatnonzero(row @ in_order > 0).tolist()
            areas = RankAreas.of([rankings[i].areas(row) for i in has])
            yield _Resample(parts, row, [rankings[i].label for i in has], areas)

    def dump(self) -> StateContent:
        """Return all scores, for a file."""
        return super().dump() | {
            "matrices": [
                [c.values, c.labels, c.rows, c.columns, *_weights(c)] for c in self.matrices
            ],
            "lists": [[c.marks, c.values, *_weights(c)] for c in self.lists],
        }

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content)
        count = len(self.vocabulary)
        self.matrices = [_saved_matrix(columns, count) for columns in content["matrices"]]
        self.lists = [_saved_list(columns, count) for columns in content["lists"]]
        if not self.is_weighted:  # weights do not limit the number of scores
            self._check_counts()

    def _check_counts(self) -> None:
        """Raise a `StateError` unless each label's scores are of the datums there are."""
        scores, positives = np.zeros((2, len(self.vocabulary)), dtype=np.int64)
        for chunk in self.matrices:
            scores[chunk.labels] += len(chunk.values)
            positives[chunk.labels] += np.bincount(chunk.columns, minlength=len(chunk.labels))
        for listed in self.lists:
            marks = np.bincount(listed.marks, minlength=2 * len(scores)).reshape(-1, 2)
            scores += marks.sum(axis=1)
            positives += marks[:, 1]
        unlisted = self.truths - positives
        if (unlisted < 0).any() or (scores + unlisted > self.datums).any():
            raise StateError(
                f"scores: expected those of {self.datums:,} items and their ground truths, "
                "found more"
            )

    @memoized
    def areas(self) -> RankAreas:
        """Return the areas under the curves of all labels, sorted."""
        if self.is_weighted:
            return weighted_areas(list(self.of_weighted_labels()))
        return self._aligned_areas() if self.is_aligned else self._gathered_areas()

    def of_labels(self) -> Iterator[LabelScores]:
        """Scores of one label after the other, sorted."""
        if self.is_weighted:
            raise SchemaError(
                "weights: expected a metric that reads weights of items with of_weighted_labels()",
                "Evaluate it without weights in another report.",
            )
        columns = [
            {int(code): position for position, code in enumerate(chunk.labels)}
            for chunk in self.matrices
        ]
        listed = self._by_label()
        for code in self.vocabulary.order.tolist():
            scores, positives = listed.get(code, ([], []))
            scores, positives = list(scores), list(positives)
            for chunk, column_of in zip(self.matrices, columns, strict=True):
                if code in column_of:
                    column = np.ascontiguousarray(chunk.values[:, column_of[code]])
                    scores.append(column)
                    positives.append(column[chunk.rows[chunk.columns == column_of[code]]])
            yield self._label_scores(code, _together(scores), _together(positives))

    @property
    def is_weighted(self) -> bool:
        """True if the items have weights."""
        return self.truths.dtype == object

    def of_weighted_labels(self) -> Iterator[WeightedScores]:
        """Scores and weights of one label after the other, sorted."""
        for code in self.vocabulary.order.tolist():
            parts = [*self._weighted_columns(code), *self._weighted_entries(code)]
            scores, weights, is_true = map(_together, zip(*parts, strict=True))
            unlisted_true = self.truths[code] - total(weights[is_true])
            yield WeightedScores(
                label=self.vocabulary.labels[code],
                scores=scores,
                weights=weights,
                is_true=is_true,
                unlisted_true=float(unlisted_true),
                unlisted_false=float(self.datums - total(weights) - unlisted_true),
            )

    def _weighted_columns(self, code: int) -> Iterator[tuple[Floats, Floats, NDArray[np.bool_]]]:
        for chunk in self.matrices:
            for column in np.flatnonzero(chunk.labels == code).tolist():
                is_true = np.zeros(len(chunk.values), dtype=bool)
                is_true[chunk.rows[chunk.columns == column]] = True
                yield chunk.values[:, column], _given(chunk.weights), is_true

    def _weighted_entries(self, code: int) -> Iterator[tuple[Floats, Floats, NDArray[np.bool_]]]:
        for chunk in self.lists:
            rows = np.flatnonzero(chunk.marks >> 1 == code)
            is_true = (chunk.marks[rows] & 1).astype(bool)
            yield chunk.values[rows], _given(chunk.weights)[rows], is_true

    def rows_of(self, code: int) -> Iterator[tuple[Floats, NDArray[np.bool_]]]:
        """Yield listed scores of a label, and True for datums that truly have it."""
        for chunk in self.matrices:
            for column in np.flatnonzero(chunk.labels == code).tolist():
                is_true = np.zeros(len(chunk.values), bool)
                is_true[chunk.rows[chunk.columns == column]] = True
                yield chunk.values[:, column], is_true
        for listed in self.lists:
            rows = np.flatnonzero(listed.marks >> 1 == code)
            yield listed.values[rows], (listed.marks[rows] & 1).astype(bool)

    def _label_scores(self, code: int, scores: Floats, positives: Floats) -> LabelScores:
        unlisted_positives = int(self.truths[code]) - len(positives)
        return LabelScores(
            label=self.vocabulary.labels[code],
            scores=scores,
            positive_scores=positives,
            unlisted_positives=unlisted_positives,
            unlisted_negatives=self.datums - len(scores) - unlisted_positives,
        )

    def _by_label(self) -> dict[int, tuple[list[Floats], list[Floats]]]:
        """Listed scores and those of positives, by label code."""
        if not self.lists:
            return {}
        marks = np.concatenate([chunk.marks for chunk in self.lists])
        values = _together([chunk.values for chunk in self.lists])
        order = np.argsort(marks, kind="stable")
        ends = np.searchsorted(marks[order], np.arange(2 * len(self.vocabulary) + 1))
        values = values[order]
        return {
            code: (
                [values[ends[2 * code] : ends[2 * code + 2]]],
                [values[ends[2 * code + 1] : ends[2 * code + 2]]],
            )
            for code in range(len(self.vocabulary))
        }

    @property
    def is_aligned(self) -> bool:
        """True if every datum has a score for every label, in the same columns."""
        if self.lists or not self.matrices:
            return False
        first = self.matrices[0]
        return len(first.labels) == len(self.vocabulary) and all(
            np.array_equal(chunk.labels, first.labels) and chunk.values.dtype == first.values.dtype
            for chunk in self.matrices
        )

    def _aligned_areas(self) -> RankAreas:
        starts = np.cumsum([0, *(len(chunk.values) for chunk in self.matrices)])
        areas = kernels.ranking.rank_matrix(
            [chunk.values for chunk in self.matrices],
            _together(
                [
                    chunk.rows + start if start else chunk.rows
                    for chunk, start in zip(self.matrices, starts.tolist(), strict=False)
                ]
            ),
            _together([chunk.columns for chunk in self.matrices]),
            threads=thread_count(),
        )
        columns = np.argsort(self.matrices[0].labels)[self.vocabulary.order]
        return RankAreas(
            positives=areas.positives[columns],
            negatives=areas.negatives[columns],
            auc=areas.auc[columns],
            average_precision=areas.average_precision[columns],
        )

    def _gathered_areas(self) -> RankAreas:
        found = [
            kernels.ranking.rank_label(
                one.scores,
                one.positive_scores,
                unlisted_positives=one.unlisted_positives,
                unlisted_negatives=one.unlisted_negatives,
            )
            for one in self.of_labels()
        ]
        return RankAreas(
            positives=np.array([one.positives for one in found], dtype=np.int64),
            negatives=np.array([one.negatives for one in found], dtype=np.int64),
            auc=np.array([one.auc for one in found]),
            average_precision=np.array([one.average_precision for one in found]),
        )


class _Resample(KeyRanking):
    """Ranking of groups that are counted with weights."""

    def __init__(
        self, parts: Sequence[KeyRanking], weights: Codes, labels: list[Label], areas: RankAreas
    ) -> None:
        super().__init__()
        self.vocabulary = Vocabulary(labels)
        self._parts, self._weights, self._areas = parts, weights, areas

    def areas(self) -> RankAreas:
        """Return the areas under the curves of all labels, sorted."""
        return self._areas

    def of_labels(self) -> Iterator[LabelScores]:
        """Scores of one label after the other, sorted."""
        repeated = KeyRanking()
        for part, weight in zip(self._parts, self._weights.tolist(), strict=True):
            for _ in range(weight):
                repeated.merge(part)
        return repeated.of_labels()


@frozen(eq=False, repr=False)
class _GroupRanking:
    """One label's scores of groups of datums, sorted.

    Parameters
    ----------
    label : Label
        The label.
    marks : ndarray of int32
        Rows down to the last positive, as `kernels.ranking.rank_weighted` reads them.
    below, unlisted_positives, unlisted_negatives : ndarray of int64, shape (n_groups,)
        Negatives below these rows, and datums that do not list the label.
    """

    label: Label
    marks: NDArray[np.int32]
    below: Codes
    unlisted_positives: Codes
    unlisted_negatives: Codes

    @classmethod
    def of(cls, label: Label, parts: Sequence[KeyRanking]) -> _GroupRanking:
        """Rank the scores of a label in all groups."""
        scores, marks = [], [np.empty(0, np.int32)]
        unlisted = np.zeros((2, len(parts)), np.int64)
        for group, part in enumerate(parts):
            truths, found = 0, 0
            if label in part.vocabulary.labels:
                code = part.vocabulary.code(label)
                truths = int(part.truths[code])
                for values, is_true in part.rows_of(code):
                    scores.append(values)
                    marks.append((4 * group + is_true).astype(np.int32))
                    found += len(values)
                    truths -= int(np.count_nonzero(is_true))
            unlisted[:, group] = truths, part.datums - found - truths
        values, rows = _together(scores), np.concatenate(marks)
        order = np.argsort(values, kind="stable")[::-1]
        values, rows = values[order], rows[order]
        is_last = np.ones(len(rows), bool)
        is_last[:-1] = values[1:] != values[:-1]
        rows += 2 * is_last.astype(np.int32)
        end = 0
        if len(positives := np.flatnonzero(rows & 1)):
            # Only rows down to the score of the last positive need an order.
            end = int(positives[-1] + np.argmax(is_last[positives[-1] :]) + 1)
        below = np.bincount(rows[end:] >> 2, minlength=len(parts))
        return cls(label, rows[:end].copy(), below, *unlisted)

    def areas(self, weights: Codes) -> LabelAreas:
        """Return the areas for the weights of the groups."""
        return kernels.ranking.rank_weighted(
            self.marks,
            weights.astype(np.int32),
            below=int(weights @ self.below),
            unlisted_positives=int(weights @ self.unlisted_positives),
            unlisted_negatives=int(weights @ self.unlisted_negatives),
        )


def _together(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Parts in one array, in float64 where their types differ."""
    if not parts:
        return np.empty(0)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _saved_matrix(columns: list[Any], count: int) -> MatrixChunk:
    """A chunk of a file, over some number of labels."""
    content = dict(zip(("values", "labels", "rows", "columns", "weights"), columns, strict=False))
    values = saved_scores(content, "values", (None, None))
    height, width = values.shape
    labels = saved_column(content, "labels", np.int64, shape=(width,), low=0, high=count - 1)
    rows = saved_column(content, "rows", np.int64, low=0, high=height - 1)
    column_numbers = saved_column(content, "columns", np.int64, low=0, high=width - 1)
    check_same_length({"rows": rows, "columns": column_numbers})
    for name, each in (("labels", labels), ("rows", rows * width + column_numbers)):
        if len(np.unique(each)) < len(each):
            raise StateError(f"{name}: expected each once, found one twice")
    return MatrixChunk(values, labels, rows, column_numbers, saved_weights(content, height))


def _saved_list(columns: list[Any], count: int) -> ListChunk:
    """A chunk of a file, over some number of labels."""
    content = dict(zip(("marks", "values", "weights"), columns, strict=False))
    marks = saved_column(content, "marks", np.int32, low=0, high=2 * count - 1)
    values = saved_scores(content, "values", marks.shape)
    return ListChunk(marks, values, saved_weights(content, len(marks)))


def _given(weights: Floats | None) -> Floats:
    if weights is None:
        raise StateError("weights: expected weights of all items, found scores without")
    return weights


def _weights(chunk: MatrixChunk | ListChunk) -> list[Floats]:
    return [] if chunk.weights is None else [chunk.weights]


@define(slots=False, repr=False)
class Ranking(StateByKey):
    """`KeyRanking` for each label key."""

    part: ClassVar[type[KeyRanking]] = KeyRanking

    def detach(self) -> None:
        """Copy what is a view of a batch's arrays."""
        for part in self.keys.values():
            part.detach()


def request() -> StateRequest:
    """Request all scores."""
    return StateRequest(Ranking)


def edges(bins: int) -> tuple[float, ...]:
    """Lower edges of equal bins in [0, 1], the thresholds of a binned ranking."""
    return tuple(i / bins for i in range(bins))


def area_requests(bins: int | None) -> tuple[StateRequest, ...]:
    """Request states for the exact or the binned area, and the checks of scores."""
    if bins is None:
        return request(), scores_request()
    binned = threshold_counts.request(edges(bins), hardmax=False)
    return binned, scores_request(), range_request()


def binned_counts(part: KeyLabelCounts, bins: int) -> tuple[NDArray[Any], NDArray[Any], Codes]:
    """True and false positives at every lower edge from the highest, and everything last.

    Returns
    -------
    tp, fp : ndarray of int64 or float64, shape (n_labels, bins + 1)
        Numbers or weights. The last column is all datums, listed or not.
    truths : ndarray of int64 or float64, shape (n_labels,)
        Ground truths of each label.
    """
    found = part.all_at(edges(bins)[::-1])
    truths = found[0].truths
    tp = np.stack([*(one.tp for one in found), truths], axis=1)
    fp = np.stack([*(one.fp for one in found), part.datums - truths], axis=1)
    return numbers(tp), numbers(fp), numbers(truths)
