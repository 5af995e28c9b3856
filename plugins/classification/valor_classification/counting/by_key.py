"""Keyed states: every label key is counted on its own, by one part each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_classification.counting.key_view import KeyView, views
from valor_core.errors import StateError
from valor_core.schemas import Codes, Vocabulary
from valor_core.schemas.classification import ClassificationBatch
from valor_core.states import Content, State


class Part(Protocol):
    """What one label key has counted; a commutative monoid over views."""

    vocabulary: Vocabulary

    def update(self, view: KeyView) -> None:
        """Count a view."""

    def merge(self, other: Self) -> None:
        """Count what another part of the same key counted."""

    def dump(self) -> Content:
        """Everything counted so far."""

    def restore(self, content: Content) -> None:
        """Make a neutral part what `dump` described."""


@define(slots=False, repr=False)
class Keyed(State):
    """A state with one part for each label key; subclasses say which kind of part.

    Subclasses are attrs classes whose fields are the part's settings, and set `part`.
    """

    part: ClassVar[type[Any]]
    refuses_nothing: ClassVar[bool] = True
    keys: dict[str, Any] = field(factory=dict, init=False)

    def new_part(self) -> Any:
        """A neutral part with this state's settings."""
        settings = {
            name: value for name, value in vars(self).items() if name not in ("keys", "part")
        }
        return self.part(**settings)

    def of(self, key: str) -> Any:
        """The part of a label key, neutral where nothing was counted."""
        if key not in self.keys:
            self.keys[key] = self.new_part()
        return self.keys[key]

    def sorted(self) -> Iterator[tuple[str, Any]]:
        """Label keys and their parts, by name."""
        return iter(sorted(self.keys.items()))

    def update(self, batch: ClassificationBatch) -> None:
        """Count a batch."""
        for view in views(batch):
            self.of(view.labels[0].key).update(view)

    def merge(self, other: Keyed) -> None:
        """Count what another state counted."""
        for key, part in other.keys.items():
            self.of(key).merge(part)

    def warnings(self) -> Iterable[str]:
        """Warnings of the parts that have some."""
        parts = [part for _, part in self.sorted() if hasattr(part, "warnings")]
        return [warning for part in parts for warning in part.warnings()]

    def dump(self) -> Content:
        """Everything counted so far, by label key."""
        return {key: part.dump() for key, part in self.keys.items()}

    def restore(self, content: Content) -> None:
        """The keys that `dump` wrote."""
        for key, part in content.items():
            own = self.of(key)
            own.restore(part)
            if any(label.key != key for label in own.vocabulary.labels):
                raise StateError(f"labels: expected labels of the key {key!r}, found others")


def grown(table: NDArray[Any], count: int) -> NDArray[Any]:
    """The table with rows of zeros up to a number of rows.

    Examples
    --------
    >>> grown(np.ones(2), 3)
    array([1., 1., 0.])
    """
    if len(table) >= count:
        return table
    larger = np.zeros((count, *table.shape[1:]), dtype=table.dtype)
    larger[: len(table)] = table
    return larger


def add_rows(table: NDArray[Any], codes: Codes, rows: NDArray[Any], count: int) -> NDArray[Any]:
    """The table, grown to a number of rows, with other rows added at some distinct codes."""
    table = grown(table, count)
    table[codes] += rows
    return table
