"""States with a separate state for every label key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any, ClassVar, Self

import attrs
import numpy as np

from valor_core.errors import StateError
from valor_core.schemas import Codes
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

    def resamples(
        self, parts: Sequence[Self], weights: Codes, nested: Callable[..., Iterable[Any]]
    ) -> Iterator[Self] | None:
        """Yield states of which the part of each label key is resampled."""
        if type(self).merge is not ByLabelKey.merge:
            return None
        return self._resamples(parts, weights, nested)

    def _resamples(
        self, parts: Sequence[Self], weights: Codes, nested: Callable[..., Iterable[Any]]
    ) -> Iterator[Self]:
        keys = sorted({key for part in parts for key in part.keys})
        has_key = np.array([[key in part.keys for key in keys] for part in parts], np.int64)
        columns = []
        for key, has in zip(keys, has_key.T, strict=True):
            rows = np.flatnonzero(has).tolist()
            found = [parts[row].keys[key] for row in rows]
            columns.append(nested(partial(self._new, key), found, weights[:, rows]))
        for counts, *row in zip((weights @ has_key).tolist(), *columns, strict=True):
            state = copy(self)
            pairs = zip(keys, row, counts, strict=True)
            state.keys = {key: part for key, part, count in pairs if count}
            yield state

    def _new(self, key: str) -> Any:
        made = copy(self)
        made.keys = {}
        return made.of(key)

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
