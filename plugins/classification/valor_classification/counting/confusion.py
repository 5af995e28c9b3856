"""Sparse confusion counts at every threshold: ground truth, prediction, thresholds passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import KeyState, StateByKey
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.threshold_counts import threshold_warnings
from valor_classification.counting.weighted_counts import as_text, of_text, weighed_cells
from valor_classification.kernels.values import ConfusionCells, in_type
from valor_core.errors import StateError, short_repr
from valor_core.results import Failed
from valor_core.schemas import Codes, Floats
from valor_core.schemas.classification import ScoreMatrix
from valor_core.schemas.columns import natural
from valor_core.states import StateContent, StateRequest
from valor_core.states.saved_columns import saved_column

_BLOCK = 1 << 18
_MOST = 1 << 48  # items of a cell: sums of cells stay far below 2**63


def _no_cells() -> ConfusionCells:
    return _cells(np.zeros((3, 0), np.int64), np.zeros(0, np.int64))


@define(slots=False, repr=False)
class KeyConfusion(KeyState):
    """Counts by ground truth, prediction and number of thresholds passed.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds.
    hardmax : bool
        Whether only the best-scoring label of a datum is a prediction.

    Attributes
    ----------
    cells : ConfusionCells
        Ground truth or `NONE`, prediction, thresholds passed, and how many, each cell once.
    tops : ConfusionCells
        Ground truth, `NONE`, thresholds that the datum's best score passes, and how many.
    several : str, int or None
        The first item with several ground truths, whose matrix does not exist.
    """

    thresholds: tuple[float, ...]
    hardmax: bool
    cells: ConfusionCells = field(factory=_no_cells, init=False)
    tops: ConfusionCells = field(factory=_no_cells, init=False)
    several: str | int | None = field(default=None, init=False)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self._count_view(view, None)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        self._count_view(view, weights)

    def _count_view(self, view: KeyView, weights: Floats | None) -> None:
        codes = self.add(view.labels)
        if not view.is_single:
            self._note(min(view.uids[view.truth_counts > 1].tolist(), key=natural))
            return
        cells = self._top_cells(view, weights)
        tops = _without_predictions(cells, len(view.labels), len(self.thresholds))
        self.tops = _joined(self.tops, _renamed(tops, codes))
        if self.hardmax:
            cells = _where(cells.predictions != NONE, cells)
            self.cells = _joined(self.cells, _renamed(cells, codes))
            return
        for cells in self._all_cells(view, weights):
            self.cells = _joined(self.cells, _renamed(cells, codes))

    def merge(self, other: KeyConfusion) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        super().merge(other)
        codes = self.vocabulary.join(other.vocabulary.labels)
        self.cells = _joined(self.cells, _renamed(other.cells, codes))
        self.tops = _joined(self.tops, _renamed(other.tops, codes))
        if other.several is not None:
            self._note(other.several)

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
        if (self.cells.predictions == NONE).any() or (self.tops.predictions != NONE).any():
            raise StateError("cells: expected a prediction in each and none in tops")
        if (self.tops.truths == NONE).any():
            raise StateError("tops: expected a ground truth in each, found one without")
        self.several = content["several"]
        if not isinstance(self.several, (str, int, type(None))):
            raise StateError(
                f"several: expected the uid of an item, found {short_repr(self.several)}"
            )

    def _restored(self, content: StateContent, name: str) -> ConfusionCells:
        """Validate the cells of a file: labels and thresholds must exist, each cell once."""
        if isinstance(content.get(name), list):  # of weighted items
            rows, sums = content[name]
            counts = of_text(sums, name, (len(sums),))
            found = saved_column({name: rows}, name, np.int64, shape=(len(sums), 3), low=NONE).T
        else:
            found = saved_column(content, name, np.int64, shape=(None, 4), low=NONE, high=_MOST).T
            found, counts = found[:3], np.ascontiguousarray(found[3])
        cells = _cells(np.ascontiguousarray(found), counts)
        if not found.size:
            return cells
        if found[:2].max() >= len(self.vocabulary):
            raise StateError(f"{name}: expected codes of {len(self.vocabulary):,} labels")
        if cells.bins.min() < 0 or cells.bins.max() > len(self.thresholds) or counts.min() < 0:
            raise StateError(f"{name}: expected numbers of thresholds and items, found others")
        if len(_summed(cells).counts) != len(counts):
            raise StateError(f"{name}: expected each cell once, found one twice")
        return cells

    def warnings(self) -> Iterator[str]:
        """Warnings of thresholds without effect or out of reach."""
        if self.several is not None:
            return
        # Items with a ground truth, and predictions of items without one.
        cells = _together(self.tops, _where(self.cells.truths == NONE, self.cells))
        reached = [
            sum(cells.counts[cells.bins > index].tolist()) for index in range(len(self.thresholds))
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
        passed = _where(self.cells.bins > index, self.cells)
        failed = _where(self.tops.bins <= index, self.tops)
        both = _together(passed, failed)
        return ranks[both.truths], ranks[both.predictions], both.counts

    def _top_cells(self, view: KeyView, weights: Floats | None) -> ConfusionCells:
        if weights is None:
            return view.top_cells(self.thresholds)
        bins = kernels.thresholds.passed(view.top_scores, np.array(self.thresholds))
        bins[view.top_labels == NONE] = 0
        return weighed_cells(view.truths, view.top_labels, bins, weights)

    def _all_cells(self, view: KeyView, weights: Floats | None) -> list[ConfusionCells]:
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
    ) -> ConfusionCells:
        truths = view.truths[datums]
        if weights is not None:
            return weighed_cells(truths, predictions, bins, weights[datums])
        return kernels.confusion.confusion_cells(
            truths,
            predictions,
            bins,
            label_count=len(view.labels),
            threshold_count=len(self.thresholds),
        )

    def _note(self, uid: str | int) -> None:
        uids = [uid] if self.several is None else [uid, self.several]
        self.several = min(uids, key=natural)


def _cells(columns: Iterable[Codes], counts: Codes) -> ConfusionCells:
    truths, predictions, bins = columns
    return ConfusionCells(truths=truths, predictions=predictions, bins=bins, counts=counts)


def _columns(cells: ConfusionCells) -> Codes:
    return np.stack([cells.truths, cells.predictions, cells.bins])


def _dumped(cells: ConfusionCells) -> Any:
    columns = _columns(cells)
    if cells.counts.dtype == object:
        return [np.ascontiguousarray(columns.T), as_text(cells.counts)]
    return np.ascontiguousarray(np.concatenate([columns, cells.counts[None]]).T)


def _where(wanted: NDArray[np.bool_], cells: ConfusionCells) -> ConfusionCells:
    """Select cells; usually all."""
    if wanted.all():
        return cells
    columns = (cells.truths, cells.predictions, cells.bins)
    return _cells([column[wanted] for column in columns], cells.counts[wanted])


def _without_predictions(
    cells: ConfusionCells, label_count: int, threshold_count: int
) -> ConfusionCells:
    """Return the cells summed over predictions."""
    width = threshold_count + 1
    cells = _where(cells.truths != NONE, cells)
    if cells.counts.dtype == object:
        return _summed(evolve(cells, predictions=np.full_like(cells.predictions, NONE)))
    # Weights are float64, which holds counts up to 2**53.
    codes = cells.truths * width + cells.bins
    table = np.bincount(codes, cells.counts, label_count * width).astype(np.int64)
    found = np.flatnonzero(table)
    return _cells((found // width, np.full_like(found, NONE), found % width), table[found])


def _renamed(cells: ConfusionCells, codes: Codes) -> ConfusionCells:
    """Convert label codes of cells to codes of the vocabulary; `NONE` stays."""
    if np.array_equal(codes, np.arange(len(codes))):
        return cells
    renamed = np.append(codes, NONE)
    return evolve(cells, truths=renamed[cells.truths], predictions=renamed[cells.predictions])


def _together(cells: ConfusionCells, others: ConfusionCells) -> ConfusionCells:
    columns = np.concatenate([_columns(cells), _columns(others)], axis=1)
    return _cells(columns, np.concatenate([cells.counts, others.counts]))


def _joined(cells: ConfusionCells, new: ConfusionCells) -> ConfusionCells:
    """Merge two sets of cells, each cell once."""
    if not len(new.counts):
        return cells
    return _summed(_together(cells, new)) if len(cells.counts) else new


def _summed(cells: ConfusionCells) -> ConfusionCells:
    """Cells that occur several times as one."""
    columns = _columns(cells)
    if not columns.size:
        return cells
    order = np.lexsort(columns[::-1])
    columns = columns[:, order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    first = np.flatnonzero(is_first)
    return _cells(columns[:, first], np.add.reduceat(cells.counts[order], first))


@define(slots=False)
class Confusion(StateByKey):
    """`KeyConfusion` for each label key."""

    part: ClassVar[type[KeyConfusion]] = KeyConfusion
    thresholds: tuple[float, ...] = ()
    hardmax: bool = True


def request(thresholds: tuple[float, ...], *, hardmax: bool) -> StateRequest:
    """Request the confusion at thresholds."""
    return StateRequest(Confusion, {"hardmax": hardmax}, {"thresholds": thresholds})
