"""States with a separate state for every label key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from attrs import define, field
from numpy.typing import NDArray
from valor_labels import ByLabelKey, LabelRows

from valor_classification.counting.item_labels import ItemLabels, KeptItems
from valor_classification.counting.key_view import KeyView, views
from valor_classification.counting.weighted_counts import as_text, of_text
from valor_core.results import ItemRows, Numbers
from valor_core.schemas import Codes, Floats
from valor_core.schemas.classification import ClassificationBatch
from valor_core.states import StateContent
from valor_core.states.saved_columns import saved_column


@define(slots=False, repr=False)
class KeyState(LabelRows):
    """Counts of one label key. Subclasses count views.

    The counts of weighted items are sums of weights, as in `weighted_counts`.
    """

    def update(self, view: KeyView) -> None:
        """Count a view."""
        raise NotImplementedError

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        raise NotImplementedError

    def dump(self) -> StateContent:
        """Return all counts, for a file."""
        return {name: as_text(value) for name, value in super().dump().items()}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        sums: dict[str, Any] = {}
        for name in (*self._counted(), *self._rows()):
            neutral, value = getattr(self, name), content.get(name)
            if isinstance(neutral, int) and isinstance(value, str):
                sums[name] = of_text(value, name)
                content = content | {name: 0}
            elif isinstance(neutral, np.ndarray) and isinstance(value, list):
                rows = len(content["labels"]) if name in self._rows() else len(neutral)
                sums[name] = of_text(value, name, (rows, *neutral.shape[1:]))
                content = content | {name: np.zeros(sums[name].shape, np.int64)}
        super().restore(content)
        for name, value in sums.items():
            setattr(self, name, value)


@define(slots=False, repr=False)
class KeyItems(KeyState):
    """Counts of one label key that can keep the labels of each item and columns of numbers.

    Subclasses call `keep`, and set `rows` to ``()`` if items have weights.

    Parameters
    ----------
    rows : tuple of bool
        Not empty to keep the columns.
    """

    rows: tuple[bool, ...] = field(default=(), kw_only=True)
    _kept: list[KeptItems] = field(factory=list, init=False)

    def keep(
        self,
        view: KeyView,
        positions: Codes,
        columns: Mapping[str, NDArray[Any]],
        least: float | None = None,
    ) -> None:
        """Keep the labels and the numbers by name of some items; see `ItemLabels.of`."""
        uids = view.uids[positions]
        zeros = np.zeros(len(uids), np.uint8)
        numbers = {name: Numbers(one.astype(np.float64), zeros) for name, one in columns.items()}
        labels = ItemLabels.of(view, positions, least)
        self._kept.append(KeptItems(ItemRows(uids, numbers), labels))

    def keep_sets(self, view: KeyView, thresholds: tuple[float, ...], hardmax: bool) -> None:
        """Keep the labels of the items of a view, and how many are predicted at each threshold."""
        kept = np.flatnonzero(view.taking_part)
        sizes, common = view.set_sizes(thresholds, hardmax)
        columns = {"truths": view.truth_counts[kept]}
        for index in range(len(thresholds)):
            columns[f"predicted {index}"] = sizes[kept, index]
            columns[f"common {index}"] = common[kept, index]
        self.keep(view, kept, columns, None if hardmax else thresholds[0])

    @property
    def kept(self) -> KeptItems | None:
        """Kept columns by uid, or None without."""
        return KeptItems.joined(self._kept).sorted() if self.rows and self._kept else None

    def merge(self, other: Self) -> None:
        """Add the counts and the columns of another state."""
        super().merge(other)
        self.rows = self.rows if other.rows else ()
        self._kept += other._kept

    def resamples(
        self, parts: Sequence[Self], weights: Codes, nested: Callable[..., Iterable[Any]]
    ) -> Iterator[Self]:
        """Yield weighted sums of the counts."""
        return self._resamples(parts, weights, nested)

    def dump(self) -> StateContent:
        """Return all counts and the columns, for a file."""
        return super().dump() | (KeptItems.joined(self._kept).dump() if self.rows else {})

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned, with or without columns."""
        super().restore(content)
        self.rows = self.rows if {"item_rows", "item_labels"} <= set(content) else ()
        self._kept = [KeptItems.restored(content)] if self.rows else []


@define(slots=False, repr=False)
class StateByKey(ByLabelKey):
    """State with a `KeyState` for every label key."""

    refuses_nothing: ClassVar[bool] = True

    def update(self, batch: ClassificationBatch, weights: Floats | None = None) -> None:
        """Count a batch, optionally with the weights of its items."""
        for view in views(batch):
            part = self.of(view.labels[0].key)
            if weights is None:
                part.update(view)
            else:
                part.weigh(view, weights)

    @property
    def kept(self) -> tuple[Any, KeptItems] | None:
        """Part and kept columns of the only label key, or None without."""
        parts = list(self.keys.values())
        found = parts[0].kept if len(parts) == 1 else None
        return None if found is None else (parts[0], found)


def saved_scores(content: Mapping[str, Any], name: str, shape: tuple[int | None, ...]) -> Floats:
    """Return finite scores of a state file, in one of the two types that kernels read.

    Raises
    ------
    StateError
        If the array is missing or invalid.

    Examples
    --------
    >>> saved_scores({"values": np.array([0.5])}, "values", (None,))
    array([0.5])
    """
    dtype = getattr(content.get(name), "dtype", None)
    found: Floats = saved_column(
        content, name, np.float32 if dtype == np.float32 else np.float64, shape=shape
    )
    return found
