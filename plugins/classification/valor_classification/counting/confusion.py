"""Sparse confusion counts at every threshold: ground truth, prediction, thresholds passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import KeyItems, StateByKey
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.threshold_counts import threshold_warnings
from valor_classification.counting.weighted_counts import as_text, of_text, weighed_cells
from valor_classification.kernels.values import ConfusionCells, in_type
from valor_core.errors import StateError, short_repr
from valor_core.results import Failed, ItemRows
from valor_core.schemas import Codes, Floats
from valor_core.schemas.classification import ScoreMatrix
from valor_core.schemas.columns import natural
from valor_core.states import StateContent, StateRequest
from valor_core.states.saved_columns import saved_column

_BLOCK = 1 << 18
_MOST = 1 << 48  # items of a cell: sums of cells stay far below 2**63


@frozen(eq=False)
class Cells:
    """Cells of a confusion at several thresholds, each once.

    Parameters
    ----------
    columns : ndarray of int64, shape (3, n_cells)
        Ground truth or `NONE`, prediction or `NONE`, and number of thresholds passed.
    counts : ndarray of int64, shape (n_cells,)
        Number of items, or the sum of their weights.
    """

    columns: Codes
    counts: Codes

    @classmethod
    def of(cls, cells: ConfusionCells) -> Cells:
        """Join the columns of a kernel."""
        return cls(np.stack([cells.truths, cells.predictions, cells.bins]), cells.counts)

    def where(self, wanted: NDArray[np.bool_]) -> Cells:
        """Select cells; usually all."""
        return self if wanted.all() else Cells(self.columns[:, wanted], self.counts[wanted])

    def renamed(self, codes: Codes) -> Cells:
        """Convert label codes of cells to codes of the vocabulary; `NONE` stays."""
        if np.array_equal(codes, np.arange(len(codes))):
            return self
        columns = self.columns.copy()
        columns[:2] = np.append(codes, NONE)[columns[:2]]
        return evolve(self, columns=columns)

    def and_others(self, others: Cells) -> Cells:
        """Concatenate cells."""
        return Cells(
            np.concatenate([self.columns, others.columns], axis=1),
            np.concatenate([self.counts, others.counts]),
        )

    def merged(self, others: Cells) -> Cells:
        """Merge two sets of cells, each cell once."""
        if not len(others.counts):
            return self
        return self.and_others(others).summed() if len(self.counts) else others

    def summed(self) -> Cells:
        """Cells that occur several times as one."""
        if not len(self.counts):
            return self
        order = np.lexsort(self.columns[::-1])
        columns = self.columns[:, order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
        first = np.flatnonzero(is_first)
        return Cells(columns[:, first], np.add.reduceat(self.counts[order], first))

    def without_predictions(self, label_count: int, threshold_count: int) -> Cells:
        """Return the cells summed over predictions."""
        width, cells = threshold_count + 1, self.where(self.columns[0] != NONE)
        truths, predictions, bins = cells.columns
        if cells.counts.dtype == object:
            columns = np.stack([truths, np.full_like(predictions, NONE), bins])
            return evolve(cells, columns=columns).summed()
        # Weights are float64, which holds counts up to 2**53.
        table = np.bincount(truths * width + bins, cells.counts, label_count * width)
        found = np.flatnonzero(table)
        columns = np.stack([found // width, np.full_like(found, NONE), found % width])
        return Cells(columns, table[found].astype(np.int64))


def _no_cells() -> Cells:
    return Cells(np.zeros((3, 0), np.int64), np.zeros(0, np.int64))


@define(slots=False, repr=False)
class KeyConfusion(KeyItems):
    """Counts by ground truth, prediction and number of thresholds passed.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds.
    hardmax : bool
        Whether only the best-scoring label of a datum is a prediction.

    Attributes
    ----------
    cells : Cells
        Ground truth or `NONE`, prediction, thresholds passed, and how many, each cell once.
    tops : Cells
        Ground truth, `NONE`, thresholds that the datum's best score passes, and how many.
    several : str, int or None
        The first item with several ground truths, whose matrix does not exist.
    """

    thresholds: tuple[float, ...]
    hardmax: bool
    cells: Cells = field(factory=_no_cells, init=False)
    tops: Cells = field(factory=_no_cells, init=False)
    several: str | int | None = field(default=None, init=False)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self._count_view(view, None)
        if self.rows:
            self.keep_sets(view, self.thresholds, self.hardmax)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        self.rows = ()
        self._count_view(view, weights)

    def _count_view(self, view: KeyView, weights: Floats | None) -> None:
        codes = self.add(view.labels)
        if not view.is_single:
            self._note(min(view.uids[view.truth_counts > 1].tolist(), key=natural))
            return
        cells = self._top_cells(view, weights)
        tops = cells.without_predictions(len(view.labels), len(self.thresholds))
        self.tops = self.tops.merged(tops.renamed(codes))
        if self.hardmax:
            cells = cells.where(cells.columns[1] != NONE)
            self.cells = self.cells.merged(cells.renamed(codes))
            return
        for cells in self._all_cells(view, weights):
            self.cells = self.cells.merged(cells.renamed(codes))

    def merge(self, other: KeyConfusion) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        super().merge(other)
        codes = self.vocabulary.join(other.vocabulary.labels)
        self.cells = self.cells.merged(other.cells.renamed(codes))
        self.tops = self.tops.merged(other.tops.renamed(codes))
        if other.several is not None:
            self._note(other.several)

    def resamples(self, *parts: Any) -> None:  # type: ignore[override]
        """Return None: cells are not one of the summed fields."""

    def dump(self) -> StateContent:
        """Return all cells, for a file."""
        return super().dump() | {
            "cells": _dumped(self.cells),
            "tops": _dumped(self.tops),
            "several": self.several,
        }

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content)
        self.cells = self._restored(content, "cells")
        self.tops = self._restored(content, "tops")
        if (self.cells.columns[1] == NONE).any() or (self.tops.columns[1] != NONE).any():
            raise StateError("cells: expected a prediction in each and none in tops")
        if (self.tops.columns[0] == NONE).any():
            raise StateError("tops: expected a ground truth in each, found one without")
        self.several = content["several"]
        if not isinstance(self.several, (str, int, type(None))):
            raise StateError(
                f"several: expected the uid of an item, found {short_repr(self.several)}"
            )

    def _restored(self, content: StateContent, name: str) -> Cells:
        """Validate the cells of a file: labels and thresholds must exist, each cell once."""
        if isinstance(content.get(name), list):  # of weighted items
            rows, sums = content[name]
            counts = of_text(sums, name, (len(sums),))
            found = saved_column({name: rows}, name, np.int64, shape=(len(sums), 3), low=NONE).T
        else:
            found = saved_column(content, name, np.int64, shape=(None, 4), low=NONE, high=_MOST).T
            found, counts = found[:3], np.ascontiguousarray(found[3])
        cells = Cells(np.ascontiguousarray(found), counts)
        if not found.size:
            return cells
        if found[:2].max() >= len(self.vocabulary):
            raise StateError(f"{name}: expected codes of {len(self.vocabulary):,} labels")
        if found[2].min() < 0 or found[2].max() > len(self.thresholds) or counts.min() < 0:
            raise StateError(f"{name}: expected numbers of thresholds and items, found others")
        if len(cells.summed().counts) != len(counts):
            raise StateError(f"{name}: expected each cell once, found one twice")
        return cells

    def warnings(self) -> Iterator[str]:
        """Warnings of thresholds without effect or out of reach."""
        if self.several is not None:
            return
        # Items with a ground truth, and predictions of items without one.
        cells = self.tops.and_others(self.cells.where(self.cells.columns[0] == NONE))
        reached = [
            sum(cells.counts[cells.columns[2] > index].tolist())
            for index in range(len(self.thresholds))
        ]
        items, count = sum(cells.counts.tolist()), len(self.vocabulary)
        yield from threshold_warnings(self.thresholds, reached, items, count, self.hardmax)

    @property
    def refusal(self) -> Failed | None:
        """Reason why there is no matrix, or None."""
        if self.several is None:
            return None
        return Failed(
            f"item {self.several!r}: expected one ground truth for each label key, "
            "found several; Counts treats every label on its own"
        )

    def at(self, threshold: float) -> tuple[Codes, Codes, Codes]:
        """Return the cells of `pairs`, each once, ascending."""
        width = len(self.vocabulary) + 1
        truths, predictions, items = self.pairs(threshold)
        codes, cell = np.unique(truths * width + predictions, return_inverse=True)
        counts = np.zeros(len(codes), dtype=items.dtype)
        np.add.at(counts, cell, items)
        return codes // width, codes % width, counts

    def pairs(self, threshold: float) -> tuple[Codes, Codes, Codes]:
        """Return the non-empty cells of the matrix at one of the thresholds.

        Returns
        -------
        truths, predictions : ndarray of int64
            Positions of the labels in sorted order, their number where there is none.
        items : ndarray of int64
            How many items, or the sum of their weights; a cell can occur several times.
        """
        index = self.thresholds.index(threshold)
        order = self.vocabulary.order
        ranks = np.empty(len(order) + 1, dtype=np.int64)
        ranks[order], ranks[NONE] = np.arange(len(order)), len(order)
        passed = self.cells.where(self.cells.columns[2] > index)
        both = passed.and_others(self.tops.where(self.tops.columns[2] <= index))
        truths, predictions, _ = both.columns
        return ranks[truths], ranks[predictions], both.counts

    def _top_cells(self, view: KeyView, weights: Floats | None) -> Cells:
        if weights is None:
            return Cells.of(view.top_cells(self.thresholds))
        bins = kernels.thresholds.passed(view.top_scores, np.array(self.thresholds))
        bins[view.top_labels == NONE] = 0
        return Cells.of(weighed_cells(view.truths, view.top_labels, bins, weights))

    def _all_cells(self, view: KeyView, weights: Floats | None) -> list[Cells]:
        scores, thresholds = view.scores, np.array(self.thresholds)
        if not isinstance(scores, ScoreMatrix):
            bins = kernels.thresholds.passed(scores.values, thresholds)
            return [self._count(view, scores.datums, scores.labels, bins, weights)]
        found = []
        lowest = in_type(thresholds[:1], scores.values.dtype)[0]
        step = max(_BLOCK // max(len(scores.labels), 1), 1)
        for start in range(0, view.count, step):
            rows, columns = np.nonzero(scores.values[start : start + step] >= lowest)
            bins = kernels.thresholds.passed(scores.values[start + rows, columns], thresholds)
            found.append(self._count(view, start + rows, scores.labels[columns], bins, weights))
        return found

    def _count(
        self,
        view: KeyView,
        datums: Codes,
        predictions: NDArray[np.integer[Any]],
        bins: NDArray[Any],
        weights: Floats | None,
    ) -> Cells:
        truths = view.truths[datums]
        if weights is not None:
            return Cells.of(weighed_cells(truths, predictions, bins, weights[datums]))
        return Cells.of(
            kernels.confusion.confusion_cells(
                truths,
                predictions,
                bins,
                label_count=len(view.labels),
                threshold_count=len(self.thresholds),
            )
        )

    def _note(self, uid: str | int) -> None:
        uids = [uid] if self.several is None else [uid, self.several]
        self.several = min(uids, key=natural)


def _dumped(cells: Cells) -> Any:
    if cells.counts.dtype == object:
        return [np.ascontiguousarray(cells.columns.T), as_text(cells.counts)]
    return np.ascontiguousarray(np.concatenate([cells.columns, cells.counts[None]]).T)


@define(slots=False)
class Confusion(StateByKey):
    """`KeyConfusion` for each label key."""

    part: ClassVar[type[KeyConfusion]] = KeyConfusion
    keeps_rows: ClassVar[bool] = True
    thresholds: tuple[float, ...] = ()
    hardmax: bool = True
    rows: tuple[bool, ...] = ()

    def item_rows_at(self, threshold: float) -> ItemRows | None:
        """Return 1 for each item of the only label key that is right, otherwise 0."""
        found = self.kept
        if found is None or found[0].several is not None:
            return None
        part, items = found
        items, sizes = items.at(part.thresholds.index(threshold))
        common = sizes["common"]
        is_right = (common == sizes["truths"]) & (common == sizes["predicted"])
        return items.with_numbers({"right": is_right})


def request(thresholds: tuple[float, ...], *, hardmax: bool) -> StateRequest:
    """Request the confusion at thresholds."""
    return StateRequest(Confusion, {"hardmax": hardmax}, {"thresholds": thresholds})
