"""States with a separate state for every label key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import attrs
import numpy as np
from attrs import define, field

from valor_classification.counting.key_view import KeyView, views
from valor_core.errors import StateError
from valor_core.schemas import Floats
from valor_core.schemas.classification import ClassificationBatch
from valor_core.states import Content, LabelRows, State, saved_column


@define(slots=False, repr=False)
class KeyState(LabelRows):
    """Counts of one label key. Subclasses count views."""

    def update(self, view: KeyView) -> None:
        """Count a view."""
        raise NotImplementedError


@define(slots=False, repr=False)
class StateByKey(State):
    """State with a `KeyState` for every label key.

    Subclasses are attrs classes with the settings of these states as fields, and set `part`.
    """

    part: ClassVar[type[Any]]
    refuses_nothing: ClassVar[bool] = True
    keys: dict[str, Any] = field(factory=dict, init=False)

    def of(self, key: str) -> Any:
        """Return the state of a label key, without counts if the key is new."""
        if key not in self.keys:
            settings = attrs.asdict(self, recurse=False, filter=lambda one, _: one.init)
            self.keys[key] = self.part(**settings)
        return self.keys[key]

    def sorted(self) -> Iterator[tuple[str, Any]]:
        """Return label keys and their states, by name."""
        return iter(sorted(self.keys.items()))

    def update(self, batch: ClassificationBatch) -> None:
        """Count a batch."""
        for view in views(batch):
            self.of(view.labels[0].key).update(view)

    def merge(self, other: StateByKey) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        for key, part in other.keys.items():
            self.of(key).merge(part)

    def warnings(self) -> Iterable[str]:
        """Return the warnings of all label keys."""
        return [warning for _, part in self.sorted() for warning in part.warnings()]

    def dump(self) -> Content:
        """Return all counts by label key, for a file."""
        return {key: part.dump() for key, part in self.keys.items()}

    def restore(self, content: Content) -> None:
        """Set a new state to the content that `dump` returned."""
        for key, counts in content.items():
            part = self.of(key)
            part.restore(counts)
            if any(label.key != key for label in part.vocabulary.labels):
                raise StateError(f"labels: expected labels of the key {key!r}, found others")


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
