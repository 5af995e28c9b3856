"""States with a separate state for every label key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self

import attrs

from valor_core.errors import StateError
from valor_core.states import State, StateContent


@attrs.define(slots=False, repr=False)
class ByLabelKey(State):
    """State with a part for every label key.

    Subclasses are attrs classes with the settings of the parts as fields, and set `part`, a class
    with a `vocabulary` and the methods `merge`, `dump`, `restore` and `warnings`.

    Attributes
    ----------
    keys : dict of str to object
        Parts by label key.
    """

    part: ClassVar[type[Any]]
    keys: dict[str, Any] = attrs.field(factory=dict, init=False)

    def of(self, key: str) -> Any:
        """Return the part of a label key, without counts if the key is new."""
        if key not in self.keys:
            settings = attrs.asdict(self, recurse=False, filter=lambda one, _: one.init)
            self.keys[key] = self.part(**settings)
        return self.keys[key]

    def sorted(self) -> Iterator[tuple[str, Any]]:
        """Return label keys and their parts, by name."""
        return iter(sorted(self.keys.items()))

    def merge(self, other: Self) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        for key, part in other.keys.items():
            self.of(key).merge(part)

    def warnings(self) -> Iterable[str]:
        """Return the warnings of all label keys."""
        return [warning for _, part in self.sorted() for warning in part.warnings()]

    def dump(self) -> StateContent:
        """Return all counts by label key, for a file."""
        return {key: part.dump() for key, part in self.keys.items()}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned.

        Raises
        ------
        StateError
            If a part has labels of another key.
        """
        for key, counts in content.items():
            part = self.of(key)
            part.restore(counts)
            if any(label.key != key for label in part.vocabulary.labels):
                raise StateError(f"labels: expected labels of the key {key!r}, found others")
