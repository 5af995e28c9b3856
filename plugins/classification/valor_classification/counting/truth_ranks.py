"""Top ranks: at which place among a datum's predictions its ground truth stands."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting import saved_parts
from valor_classification.counting.by_key import Keyed, grown
from valor_classification.counting.key_view import NONE, KeyView
from valor_core.errors import StateError
from valor_core.schemas import Vocabulary
from valor_core.schemas.classification import ScoreMatrix
from valor_core.states import Content, StateRequest, saved_column, saved_labels, saved_number


@define(repr=False)
class TopRanksPart:
    """Ground truths by rank and by the number of thresholds that their score passes.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds.
    ks : tuple of int
        Ranks asked for; the greatest bounds what is kept.

    Attributes
    ----------
    table : ndarray of int64, shape (n_ranks, n_thresholds + 1)
        Counts up to the greatest rank seen.
    """

    thresholds: tuple[float, ...]
    ks: tuple[int, ...]
    vocabulary: Vocabulary = field(factory=Vocabulary)
    with_truth: int = 0
    has_several: bool = False
    table: NDArray[np.int64] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.table = np.zeros((0, len(self.thresholds) + 1), dtype=np.int64)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.vocabulary.join(view.labels)
        self.with_truth += int(np.count_nonzero(view.truth_counts))
        if not view.is_single:
            self.has_several = True
            return
        listed = view.truth_is_listed
        if isinstance(view.scores, ScoreMatrix):
            rows = view.truth_datums[listed]
            columns = view.columns[view.truth_labels[listed]]
            values = view.scores.values
            ranks = kernels.best.ranks_of_truth(
                values if len(rows) == len(values) else values[rows], columns
            )
        else:
            entries = np.full(view.count, NONE, dtype=np.int64)
            entries[view.truth_datums] = view.truth_entries
            ranks = kernels.best.ranks_of_truth_in_runs(
                view.scores.datums, view.scores.values, entries
            )
            ranks = ranks[view.truth_datums[listed]]
        bins = kernels.thresholds.passed(view.truth_scores[listed], np.array(self.thresholds))
        near = ranks < max(self.ks)
        width = self.table.shape[1]
        counts = np.bincount(ranks[near] * width + bins[near])
        rows = np.zeros((-(-len(counts) // width), width), dtype=np.int64)
        rows.flat[: len(counts)] = counts
        self._add(rows)

    def merge(self, other: TopRanksPart) -> None:
        """Count what another part counted."""
        self.vocabulary.join(other.vocabulary.labels)
        self.with_truth += other.with_truth
        self.has_several |= other.has_several
        self._add(other.table)

    def dump(self) -> Content:
        """The table."""
        return {
            "labels": self.vocabulary.labels,
            "with_truth": self.with_truth,
            "has_several": self.has_several,
            "table": self.table,
        }

    def restore(self, content: Content) -> None:
        """The table that `dump` wrote."""
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        self.with_truth = saved_number(content, "with_truth", low=0)
        self.has_several = saved_parts.flag(content, "has_several")
        shape = (None, len(self.thresholds) + 1)
        self.table = saved_column(
            content, "table", np.int64, shape=shape, low=0, high=self.with_truth
        )
        if len(self.table) > max(self.ks) or self.table.sum(dtype=float) > self.with_truth:
            raise StateError(
                f"table: expected ranks below {max(self.ks):,} of at most {self.with_truth:,} "
                f"ground truths, found {len(self.table):,} rows that sum to {self.table.sum():,}"
            )

    def _add(self, rows: NDArray[np.int64]) -> None:
        """Add the counts of the first ranks; the table reaches to the greatest rank seen."""
        self.table = grown(self.table, len(rows)).copy()
        self.table[: len(rows)] += rows

    def correct(self, k: int, threshold: float) -> int:
        """Ground truths among the first k predictions that pass the threshold."""
        return int(self.table[:k, self.thresholds.index(threshold) + 1 :].sum())


@define(slots=False, repr=False)
class TopRanks(Keyed):
    """`TopRanksPart` for each label key."""

    part: ClassVar[type[TopRanksPart]] = TopRanksPart
    thresholds: tuple[float, ...] = ()
    ks: tuple[int, ...] = (1,)


def request(thresholds: tuple[float, ...], k: int) -> StateRequest:
    """The ranks up to k at some thresholds."""
    return StateRequest(TopRanks, union={"thresholds": thresholds, "ks": (k,)})
