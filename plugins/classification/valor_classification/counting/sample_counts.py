"""Sample counts: numbers of true, predicted and common labels of each datum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from attrs import define

from valor_classification.counting.by_key import KeyState, StateByKey
from valor_classification.counting.key_view import KeyView
from valor_classification.counting.threshold_counts import SEVERAL
from valor_classification.counting.weighted_counts import as_text, of_text, weighed
from valor_core.errors import StateError
from valor_core.schemas import Codes, Floats
from valor_core.states import StateContent, StateRequest, counted
from valor_core.states.saved_columns import saved_column

_WIDTH = 4

SetSizes = tuple[int, int, int, Any]
"""Common, predicted and true labels, and the number of datums or the sum of their weights."""


@define(slots=False, repr=False)
class KeySampleCounts(KeyState):
    """Datums by their numbers of common, predicted and true labels, at every threshold.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending score thresholds.
    hardmax : bool
        Whether only the best-scoring label of a datum is a prediction.

    Attributes
    ----------
    sets : Counter of (threshold position, common, predicted, true)
        Number of datums, or the sum of their weights.
    """

    thresholds: tuple[float, ...]
    hardmax: bool
    sets: Counter[tuple[int, int, int, int]] = counted(Counter)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self._count(view, None)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        self._count(view, weights)

    def _count(self, view: KeyView, weights: Floats | None) -> None:
        self.add(view.labels)
        sizes, common = view.set_sizes(self.thresholds, self.hardmax)
        rows = np.flatnonzero(view.taking_part)
        truths = view.truth_counts[rows]
        width = len(view.labels) + 1
        for index in range(len(self.thresholds)):
            pairs = (common[rows, index] * width + sizes[rows, index]) * width + truths
            cells, codes, counts = np.unique(pairs, return_inverse=True, return_counts=True)
            found = counts if weights is None else weighed(codes, weights[rows], len(cells))
            for cell, count in zip(cells.tolist(), found.tolist(), strict=True):
                both, true = divmod(cell, width)
                self.sets[index, *divmod(both, width), true] += count

    def resamples(
        self, parts: Sequence[Self], weights: Codes, nested: Callable[..., Iterable[Any]]
    ) -> Iterator[Self]:
        """Yield weighted sums of the counts."""
        return self._resamples(parts, weights, nested)

    def dump(self) -> StateContent:
        """Return all counts, for a file."""
        sets = [[*cell, as_text(count)] for cell, count in sorted(self.sets.items())]
        return super().dump() | {"sets": sets}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content | {"sets": {}})
        rows = content["sets"]
        if not isinstance(rows, list) or any(len(row) != _WIDTH + 1 for row in rows):
            raise StateError("sets: expected rows of four sizes and a count, found others")
        cells = np.array([row[:_WIDTH] for row in rows], np.int64).reshape(-1, _WIDTH)
        index, common, predicted, true = saved_column(
            {"sets": cells}, "sets", np.int64, shape=(None, _WIDTH), low=0
        ).T
        size = len(self.vocabulary)
        is_larger = (common > predicted) | (common > true) | (predicted + true - common > size)
        if (index >= len(self.thresholds)).any() or is_larger.any():
            raise StateError("sets: expected thresholds and sizes of sets, found other numbers")
        counts = [row[_WIDTH] for row in rows]
        counts = [of_text(one, "sets") if isinstance(one, str) else one for one in counts]
        if any(isinstance(one, float) or one < 0 for one in counts):
            raise StateError("sets: expected counts of 0 or more, found others")
        sizes: list[Any] = list(map(tuple, cells.tolist()))
        self.sets = Counter(dict(zip(sizes, counts, strict=True)))

    def warnings(self) -> Iterator[str]:
        """Warning of several ground truths, of which hardmax predicts one."""
        if self.hardmax and any(true > 1 for *_, true in self.sets):
            yield SEVERAL

    def at(self, threshold: float) -> list[SetSizes]:
        """Return the sizes at one of the thresholds, sorted."""
        wanted = self.thresholds.index(threshold)
        return sorted(
            (common, predicted, true, count)
            for (index, common, predicted, true), count in self.sets.items()
            if index == wanted
        )


@define(slots=False, repr=False)
class SampleCounts(StateByKey):
    """`KeySampleCounts` for each label key."""

    part: ClassVar[type[KeySampleCounts]] = KeySampleCounts
    thresholds: tuple[float, ...] = ()
    hardmax: bool = True


def request(thresholds: tuple[float, ...], *, hardmax: bool) -> StateRequest:
    """Request the sample counts at thresholds."""
    return StateRequest(SampleCounts, {"hardmax": hardmax}, {"thresholds": thresholds})
