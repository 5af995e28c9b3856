"""States with a separate state for every label key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from attrs import define, field
from numpy.typing import NDArray
from valor_labels import ByLabelKey, LabelRows

from valor_classification.counting.key_view import KeyView, views
from valor_classification.counting.weighted_counts import as_text, of_text
from valor_core.results import ItemRows, Numbers
from valor_core.results.detail_columns import DetailColumns
from valor_core.results.item_rows import SINGLE
from valor_core.schemas import Codes, Floats, Uids
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
    """Counts of one label key that can keep columns of numbers of each item.

    Subclasses call `keep`, and set `rows` to ``()`` if items have weights.

    Parameters
    ----------
    rows : tuple of bool
        Not empty to keep the columns.
    """

    rows: tuple[bool, ...] = field(default=(), kw_only=True)
    _kept: list[ItemRows] = field(factory=list, init=False)

    def keep(self, uids: Uids, columns: Mapping[str, NDArray[Any]]) -> None:
        """Keep the numbers of some items by name."""
        zeros = np.zeros(len(uids), np.uint8)
        numbers = {name: Numbers(one.astype(np.float64), zeros) for name, one in columns.items()}
        self._kept.append(ItemRows(uids.copy(), numbers))

    @property
    def kept(self) -> ItemRows | None:
        """Kept columns by uid, or None without."""
        return ItemRows.joined(self._kept).sorted() if self.rows and self._kept else None

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
        kept = {"item_rows": ItemRows.joined(self._kept).dump()} if self.rows else {}
        return super().dump() | kept

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned, with or without columns."""
        super().restore(content)
        self.rows = self.rows if "item_rows" in content else ()
        self._kept = [ItemRows.restored(content["item_rows"])] if self.rows else []


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
    def kept(self) -> tuple[Any, ItemRows] | None:
        """Part and kept columns of the only label key, or None without."""
        parts = list(self.keys.values())
        rows = parts[0].kept if len(parts) == 1 else None
        return None if rows is None else (parts[0], rows)


def single_rows(
    uids: Uids, values: NDArray[Any], details: Mapping[str, NDArray[Any]] | None = None
) -> ItemRows:
    """Return rows with a number for each item, and optionally columns of details.

    Examples
    --------
    >>> single_rows(np.array(["a"]), np.array([True]))[0].value
    1.0
    """
    numbers = Numbers(values.astype(np.float64), np.zeros(len(uids), np.uint8))
    columns = DetailColumns(details, np.arange(len(uids))) if details else {}
    return ItemRows(uids, {SINGLE: numbers}, columns)


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
