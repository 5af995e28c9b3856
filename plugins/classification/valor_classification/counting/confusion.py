"""Sparse confusion counts at every threshold: ground truth, prediction, thresholds passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import KeyState, StateByKey
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.threshold_counts import threshold_warnings
from valor_classification.kernels.values import ConfusionCells, in_type
from valor_core.errors import StateError, short_repr
from valor_core.results import Failed
from valor_core.schemas import Codes
from valor_core.schemas.classification import ScoreMatrix
from valor_core.schemas.columns import natural
from valor_core.states import StateContent, StateRequest
from valor_core.states.saved_columns import saved_column

_BLOCK = 1 << 18
_MOST = 1 << 48  # items of a cell: sums of cells stay far below 2**63


def _no_cells() -> Codes:
    return np.zeros((4, 0), dtype=np.int64)


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
    cells : ndarray of int64, shape (4, n_cells)
        Ground truth or `NONE`, prediction, thresholds passed, and how many, each cell once.
    tops : ndarray of int64, shape (4, n_cells)
        Ground truth, `NONE`, thresholds that the datum's best score passes, and how many.
    several : str, int or None
        The first item with several ground truths, whose matrix does not exist.
    """

    thresholds: tuple[float, ...]
    hardmax: bool
    cells: Codes = field(factory=_no_cells, init=False)
    tops: Codes = field(factory=_no_cells, init=False)
    several: str | int | None = field(default=None, init=False)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        codes = self.add(view.labels)
        if not view.is_single:
            self._note(min(view.uids[view.truth_counts > 1].tolist(), key=natural))
            return
        cells = _columns(view.top_cells(self.thresholds))
        tops = _without_predictions(cells, len(view.labels), len(self.thresholds))
        self.tops = _joined(self.tops, _renamed(tops, codes))
        if self.hardmax:
            cells = _where(cells[1] != NONE, cells)
            self.cells = _joined(self.cells, _renamed(cells, codes))
            return
        for cells in self._all_cells(view):
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
            "cells": np.ascontiguousarray(self.cells.T),
            "tops": np.ascontiguousarray(self.tops.T),
            "several": self.several,
        }

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content)
        self.cells = self._restored(content, "cells")
        self.tops = self._restored(content, "tops")
        if (self.cells[1] == NONE).any() or (self.tops[1] != NONE).any():
            raise StateError("cells: expected a prediction in each and none in tops")
        if (self.tops[0] == NONE).any():
            raise StateError("tops: expected a ground truth in each, found one without")
        self.several = content["several"]
        if not isinstance(self.several, (str, int, type(None))):
            raise StateError(
                f"several: expected the uid of an item, found {short_repr(self.several)}"
            )

    def _restored(self, content: StateContent, name: str) -> Codes:
        """Validate the cells of a file: labels and thresholds must exist, each cell once."""
        found = saved_column(content, name, np.int64, shape=(None, 4), low=NONE, high=_MOST).T
        cells: Codes = np.ascontiguousarray(found)
        if not cells.size:
            return cells
        if cells[:2].max() >= len(self.vocabulary):
            raise StateError(f"{name}: expected codes of {len(self.vocabulary):,} labels")
        if cells[2:].min() < 0 or cells[2].max() > len(self.thresholds):
            raise StateError(f"{name}: expected numbers of thresholds and items, found others")
        if _summed(cells).shape != cells.shape:
            raise StateError(f"{name}: expected each cell once, found one twice")
        return cells

    def warnings(self) -> Iterator[str]:
        """Warnings of thresholds without effect or out of reach."""
        if self.several is not None:
            return
        # Items with a ground truth, and predictions of items without one.
        cells = np.concatenate([self.tops, _where(self.cells[0] == NONE, self.cells)], axis=1)
        reached = [int(cells[3, cells[2] > index].sum()) for index in range(len(self.thresholds))]
        items, count = int(cells[3].sum()), len(self.vocabulary)
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
        counts = np.zeros(len(codes), dtype=np.int64)
        np.add.at(counts, cell, items)
        return codes // width, codes % width, counts

    def pairs(self, threshold: float) -> tuple[Codes, Codes, Codes]:
        """Return the non-empty cells of the matrix at one of the thresholds.

        Returns
        -------
        truths, predictions : ndarray of int64
            Positions of the labels in sorted order, their number where there is none.
        items : ndarray of int64
            How many items; a cell can occur several times.
        """
        index = self.thresholds.index(threshold)
        order = self.vocabulary.order
        ranks = np.empty(len(order) + 1, dtype=np.int64)
        ranks[order], ranks[NONE] = np.arange(len(order)), len(order)
        passed = _where(self.cells[2] > index, self.cells)
        failed = _where(self.tops[2] <= index, self.tops)
        truths, predictions, _, items = np.concatenate([passed, failed], axis=1)
        return ranks[truths], ranks[predictions], items

    def _all_cells(self, view: KeyView) -> list[Codes]:
        scores, thresholds = view.scores, np.array(self.thresholds)
        if not isinstance(scores, ScoreMatrix):
            bins = kernels.thresholds.passed(scores.values, thresholds)
            return [self._count(view, view.truths[scores.datums], scores.labels, bins)]
        found = []
        lowest = in_type(thresholds[:1], scores.values.dtype)[0]
        step = max(_BLOCK // max(len(scores.labels), 1), 1)
        for start in range(0, view.count, step):
            rows, columns = np.nonzero(scores.values[start : start + step] >= lowest)
            bins = kernels.thresholds.passed(scores.values[start + rows, columns], thresholds)
            truths = view.truths[start + rows]
            found.append(self._count(view, truths, scores.labels[columns], bins))
        return found

    def _count(
        self,
        view: KeyView,
        truths: Codes,
        predictions: NDArray[np.integer[Any]],
        bins: NDArray[Any],
    ) -> Codes:
        return _columns(
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


def _columns(cells: ConfusionCells) -> Codes:
    return np.stack([cells.truths, cells.predictions, cells.bins, cells.counts])


def _where(wanted: NDArray[np.bool_], cells: Codes) -> Codes:
    """Select cells; usually all."""
    return cells if wanted.all() else cells[:, wanted]


def _without_predictions(cells: Codes, label_count: int, threshold_count: int) -> Codes:
    """Return the cells summed over predictions."""
    width = threshold_count + 1
    truths, _, bins, counts = _where(cells[0] != NONE, cells)
    # Weights are float64, which holds counts up to 2**53.
    table = np.bincount(truths * width + bins, counts, label_count * width).astype(np.int64)
    indices = np.flatnonzero(table)
    return np.stack(
        [indices // width, np.full_like(indices, NONE), indices % width, table[indices]]
    )


def _renamed(cells: Codes, codes: Codes) -> Codes:
    """Convert label codes of cells to codes of the vocabulary; `NONE` stays."""
    if np.array_equal(codes, np.arange(len(codes))):
        return cells
    renamed = cells.copy()
    renamed[:2] = np.append(codes, NONE)[cells[:2]]
    return renamed


def _joined(cells: Codes, new: Codes) -> Codes:
    """Merge two sets of cells, each cell once."""
    if not new.size:
        return cells
    if not cells.size:
        return new
    return _summed(np.concatenate([cells, new], axis=1))


def _summed(cells: Codes) -> Codes:
    """Cells that occur several times as one."""
    cells = cells[:, np.lexsort(cells[2::-1])]
    is_first = np.ones(cells.shape[1], dtype=bool)
    is_first[1:] = (cells[:3, 1:] != cells[:3, :-1]).any(axis=0)
    first = np.flatnonzero(is_first)
    joined = cells[:, first]
    joined[3] = np.add.reduceat(cells[3], first)
    return joined


@define(slots=False)
class Confusion(StateByKey):
    """`KeyConfusion` for each label key."""

    part: ClassVar[type[KeyConfusion]] = KeyConfusion
    thresholds: tuple[float, ...] = ()
    hardmax: bool = True


def request(thresholds: tuple[float, ...], *, hardmax: bool) -> StateRequest:
    """Request the confusion at thresholds."""
    return StateRequest(Confusion, {"hardmax": hardmax}, {"thresholds": thresholds})
