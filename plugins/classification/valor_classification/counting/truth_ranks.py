"""Ranks of the ground truth among the predictions of a datum."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import KeyItems, StateByKey
from valor_classification.counting.item_labels import KeptItems
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.weighted_counts import as_text, of_text, total, weighed
from valor_core.errors import StateError
from valor_core.schemas import Codes, Floats
from valor_core.schemas.classification import ScoreMatrix
from valor_core.states import StateContent, StateRequest, counted
from valor_core.states.saved_columns import saved_column


@define(slots=False, repr=False)
class KeyTopRanks(KeyItems):
    """Ground truths by rank and by the number of thresholds that their score passes.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds.
    ks : tuple of int
        Requested ranks; lower ranks than the greatest are not stored.

    Attributes
    ----------
    table : ndarray of int64, shape (n_ranks, n_thresholds + 1)
        Counts up to the greatest rank seen.
    """

    thresholds: tuple[float, ...]
    ks: tuple[int, ...]
    with_truth: int = counted(int)
    has_several: bool = counted(bool)
    table: Codes = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.table = np.zeros((0, len(self.thresholds) + 1), np.int64)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.add(view.labels)
        self.with_truth += int(np.count_nonzero(view.truth_counts))
        if not view.is_single:
            self.has_several = True
            return
        datums, codes = self._near(view)
        self._add_ranks(self._rows_of(np.bincount(codes)))
        if self.rows:
            found = np.full((2, view.count), max(self.ks))
            found[:, datums] = np.divmod(codes, self.table.shape[1])
            kept = np.flatnonzero(view.has_truth)
            self.keep(view, kept, {"rank": found[0, kept], "passed": found[1, kept]})

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        self.add(view.labels)
        self.with_truth += total(weights[view.has_truth])
        self.rows = ()
        if not view.is_single:
            self.has_several = True
            return
        datums, codes = self._near(view)
        self._add_ranks(self._rows_of(weighed(codes, weights[datums], codes.max(initial=-1) + 1)))

    def _near(self, view: KeyView) -> tuple[Codes, Codes]:
        """Return datums whose truth is among the greatest k, and the indices of table entries."""
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
        return view.truth_datums[listed][near], ranks[near] * self.table.shape[1] + bins[near]

    def _rows_of(self, counts: Codes) -> Codes:
        width = self.table.shape[1]
        rows = np.zeros((-(-len(counts) // width), width), dtype=counts.dtype)
        rows.flat[: len(counts)] = counts
        return rows

    def merge(self, other: KeyTopRanks) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        super().merge(other)
        self._add_ranks(other.table)

    def resamples(self, *parts: Any) -> None:  # type: ignore[override]
        """Return None: the table of ranks is not one of the summed fields."""

    def dump(self) -> StateContent:
        """Return all counts, for a file."""
        return super().dump() | {"table": as_text(self.table)}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content)
        table, width = content.get("table"), len(self.thresholds) + 1
        if isinstance(table, list):
            self.table = of_text(table, "table", (len(table) // width, width))
            return
        shape = (None, width)
        self.table = saved_column(
            content, "table", np.int64, shape=shape, low=0, high=self.with_truth
        )
        if len(self.table) > max(self.ks) or self.table.sum(dtype=float) > self.with_truth:
            raise StateError(
                f"table: expected ranks below {max(self.ks):,} of at most {self.with_truth:,} "
                f"ground truths, found {len(self.table):,} rows that sum to {self.table.sum():,}"
            )

    def _add_ranks(self, rows: Codes) -> None:
        """Add counts by rank; the table ends at the greatest rank found."""
        kind = np.result_type(self.table, rows)
        table = np.zeros((max(len(self.table), len(rows)), self.table.shape[1]), kind)
        table[: len(self.table)] = self.table
        table[: len(rows)] += rows
        self.table = table

    def correct(self, k: int, threshold: float) -> Any:
        """Ground truths among the first k predictions that pass the threshold, or their weight."""
        return sum(self.table[:k, self.thresholds.index(threshold) + 1 :].ravel().tolist())


@define(slots=False, repr=False)
class TopRanks(StateByKey):
    """`KeyTopRanks` for each label key."""

    part: ClassVar[type[KeyTopRanks]] = KeyTopRanks
    keeps_rows: ClassVar[bool] = True
    thresholds: tuple[float, ...] = ()
    ks: tuple[int, ...] = (1,)
    rows: tuple[bool, ...] = ()

    def right(self, k: int, threshold: float) -> tuple[KeptItems, NDArray[np.bool_]] | None:
        """Return the items with a ground truth, and whether it is among the first k.

        None without rows of items, or if items have several ground truths.
        """
        if (kept := self.kept) is None or kept[0].has_several:
            return None
        part, items = kept
        passed = items.column("passed") > part.thresholds.index(threshold)
        return items, (items.column("rank") < k) & passed


def request(thresholds: tuple[float, ...], k: int) -> StateRequest:
    """Request the ranks up to k at thresholds."""
    return StateRequest(TopRanks, union={"thresholds": thresholds, "ks": (k,)})
