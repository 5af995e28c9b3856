"""Agreement of the predicted labels of each datum with its ground truths, as sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from attrs import define
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import KeyItems, StateByKey
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.threshold_counts import threshold_warnings
from valor_classification.counting.weighted_counts import as_text, of_text, total, weighed
from valor_core.errors import StateError
from valor_core.schemas import Codes, Floats
from valor_core.states import StateContent, StateRequest, counted
from valor_core.states.saved_columns import saved_column


def _no_hits(state: KeyAgreement) -> Codes:
    return np.zeros(len(state.thresholds) + 1, np.int64)


@define(slots=False, repr=False)
class KeyAgreement(KeyItems):
    """Datums by the overlap of their predicted labels and ground truths, at every threshold.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds.
    hardmax : bool
        Whether only the best-scoring label of a datum is a prediction.
    rows : tuple of bool
        Not empty to keep the labels of each datum.

    Attributes
    ----------
    with_truth, datums : int
        Datums with a ground truth, and datums that take part.
    has_several : bool
        Whether a datum has several ground truths.
    hits : ndarray of int64, shape (n_thresholds + 1,)
        Ground truths by the number of thresholds that their prediction passes.
    sets : Counter of (threshold position, common, united)
        Datums by the sizes of the intersection and the union of the two sets of labels.
    """

    thresholds: tuple[float, ...]
    hardmax: bool
    with_truth: int = counted(int)
    datums: int = counted(int)
    has_several: bool = counted(bool)
    hits: Codes = counted(_no_hits, takes_self=True)
    sets: Counter[tuple[int, int, int]] = counted(Counter)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.add(view.labels)
        self.datums += view.size
        self.with_truth += view.with_truth
        self.has_several |= not view.is_single
        if self.rows:
            self.keep_sets(view, self.thresholds, self.hardmax)
        if self.hardmax and view.is_single:
            self._count_single(view)
            return
        self.hits = self.hits + np.bincount(
            truth_bins(view, self.thresholds, hardmax=self.hardmax), minlength=len(self.hits)
        )
        sizes, common = view.set_sizes(self.thresholds, self.hardmax)
        rows = view.taking_part
        truths = view.truth_counts[rows]
        for index in range(len(self.thresholds)):
            found, shared = sizes[rows, index], common[rows, index]
            self._count_sets(index, shared, truths + found - shared)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        self.add(view.labels)
        self.datums += total(weights[view.taking_part])
        self.with_truth += total(weights[view.has_truth])
        self.has_several |= not view.is_single
        self.rows = ()
        hits = weights[self._truth_rows(view)]
        self.hits = self.hits + weighed(
            truth_bins(view, self.thresholds, hardmax=self.hardmax), hits, len(self.hits)
        )
        sizes, common = view.set_sizes(self.thresholds, self.hardmax)
        rows = np.flatnonzero(view.taking_part)
        for index in range(len(self.thresholds)):
            found, shared = sizes[rows, index], common[rows, index]
            pairs = np.stack([shared, view.truth_counts[rows] + found - shared])
            cells, codes = np.unique(pairs, axis=1, return_inverse=True)
            sums = weighed(codes.reshape(-1), weights[rows], cells.shape[1])
            for cell, weight in zip(cells.T.tolist(), sums.tolist(), strict=True):
                self.sets[index, *cell] += weight

    def warnings(self) -> Iterator[str]:
        """Warnings of thresholds without effect or out of reach, for one ground truth an item."""
        if self.has_several:
            return
        reached = [0] * len(self.thresholds)
        for (index, common, united), count in self.sets.items():
            # one in the union is a ground truth without a prediction, or the other way round
            reached[index] += count if common or united > 1 else 0
        count = len(self.vocabulary)
        yield from threshold_warnings(self.thresholds, reached, self.datums, count, self.hardmax)

    def dump(self) -> StateContent:
        """Return all counts, for a file."""
        sets: Any = [(*cell, as_text(count)) for cell, count in self.sets.items()]
        if not any(isinstance(weight, str) for *_, weight in sets):
            sets = np.array(sets, np.int64).reshape(-1, 4)
        return super().dump() | {"sets": sets}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content | {"sets": {}})
        if isinstance(content["sets"], list):
            cells = np.array([cell for *cell, _ in content["sets"]], np.int64)
            sums = [of_text(weight, "sets") for *_, weight in content["sets"]]
            self._check_sets(cells, sums)
            self.sets = Counter({tuple(c): n for c, n in zip(cells.tolist(), sums, strict=True)})
            return
        if self.hits.max(initial=0) > self.datums * len(self.vocabulary):
            raise StateError(f"hits: expected labels of {self.datums:,} items, found more")
        sets = saved_column(content, "sets", np.int64, shape=(None, 4), low=0)
        self._check_sets(sets[:, :3], sets[:, 3].tolist())
        self.sets = Counter({(p, common, united): n for p, common, united, n in sets.tolist()})

    def _check_sets(self, cells: Codes, items: Sequence[Any]) -> None:
        indices, common, united = cells.reshape(-1, 3).T
        if (indices >= len(self.thresholds)).any() or (common > united).any():
            raise StateError("sets: expected thresholds and sizes of sets, found other numbers")
        if (united > len(self.vocabulary)).any():
            raise StateError("sets: expected sets of the labels, found greater ones")
        counted = [
            sum(n for at, n in zip(indices, items, strict=True) if at == index)
            for index in range(len(self.thresholds))
        ]
        if any(count != self.datums for count in counted):
            raise StateError(f"sets: expected {self.datums} items at each threshold")

    def correct(self, threshold: float) -> Any:
        """Number of ground truths that are predicted, or the sum of their weights."""
        return sum(self.hits[self.thresholds.index(threshold) + 1 :].tolist())

    def exact(self, threshold: float) -> Any:
        """Number of datums whose two sets are equal, or the sum of their weights."""
        return sum(n for common, united, n in self._sets_at(threshold) if common == united)

    def overlap(self, threshold: float) -> Fraction:
        """Sum over datums of common labels by united labels; two empty sets agree."""
        return sum(
            (
                n * (Fraction(common, united) if united else Fraction(1))
                for common, united, n in self._sets_at(threshold)
            ),
            Fraction(0),
        )

    def differing(self, threshold: float) -> Any:
        """Number of (datum, label) pairs on which the two sets differ, or the sum of weights."""
        return sum(n * (united - common) for common, united, n in self._sets_at(threshold))

    def _sets_at(self, threshold: float) -> list[tuple[int, int, Any]]:
        wanted = self.thresholds.index(threshold)
        return sorted((c, u, n) for (index, c, u), n in self.sets.items() if index == wanted)

    def _truth_rows(self, view: KeyView) -> Codes:
        """Return the datum of each entry of `truth_bins`."""
        if self.hardmax:
            return np.flatnonzero(view.top_is_true)
        return view.truth_datums[view.truth_is_listed]

    def _count_single(self, view: KeyView) -> None:
        """Count datums that have one prediction and one ground truth, if any."""
        cells = view.top_cells(self.thresholds)
        has_truth, has_top = cells.truths != NONE, cells.predictions != NONE
        is_hit = cells.truths == cells.predictions
        kinds = np.where(has_truth, np.where(is_hit, 0, 1), np.where(has_top, 2, 3))
        table = np.zeros((4, len(self.hits)), dtype=np.int64)
        np.add.at(table, (kinds, cells.bins), cells.counts)
        self.hits = self.hits + table[0]
        hits, misses, unmatched, _ = table.tolist()
        for index in range(len(self.thresholds)):
            hit, miss, other = (sum(part[index + 1 :]) for part in (hits, misses, unmatched))
            found = {
                (1, 1): hit,
                (0, 2): miss,
                (0, 1): sum(hits) - hit + sum(misses) - miss + other,
                (0, 0): sum(unmatched) - other,
            }
            self.sets.update({(index, *cell): count for cell, count in found.items() if count})

    def _count_sets(self, index: int, common: Codes, united: Codes) -> None:
        width = int(united.max(initial=0)) + 1
        cells, counts = np.unique(common * width + united, return_counts=True)
        for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
            self.sets[index, *divmod(cell, width)] += count


def truth_bins(view: KeyView, thresholds: tuple[float, ...], *, hardmax: bool) -> NDArray[Any]:
    """Return the number of thresholds that each listed ground truth's prediction passes."""
    if hardmax:
        return kernels.thresholds.passed(view.top_scores[view.top_is_true], np.array(thresholds))
    return kernels.thresholds.passed(view.truth_scores[view.truth_is_listed], np.array(thresholds))


@define(slots=False, repr=False)
class Agreement(StateByKey):
    """`KeyAgreement` for each label key."""

    part: ClassVar[type[KeyAgreement]] = KeyAgreement
    keeps_rows: ClassVar[bool] = True
    thresholds: tuple[float, ...] = ()
    hardmax: bool = True
    rows: tuple[bool, ...] = ()


def request(thresholds: tuple[float, ...], *, hardmax: bool) -> StateRequest:
    """Request the agreement at thresholds."""
    return StateRequest(Agreement, {"hardmax": hardmax}, {"thresholds": thresholds})
