"""States with a separate state for every label key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import define
from valor_labels import ByLabelKey, LabelRows

from valor_classification.counting.key_view import KeyView, views
from valor_classification.counting.weighted_counts import as_text, of_text
from valor_core.schemas import Floats
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
