"""States with a separate state for every label key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from attrs import define
from valor_labels import ByLabelKey, LabelRows

from valor_classification.counting.key_view import KeyView, views
from valor_core.schemas import Floats
from valor_core.schemas.classification import ClassificationBatch
from valor_core.states.saved_columns import saved_column


@define(slots=False, repr=False)
class KeyState(LabelRows):
    """Counts of one label key. Subclasses count views."""

    def update(self, view: KeyView) -> None:
        """Count a view."""
        raise NotImplementedError


@define(slots=False, repr=False)
class StateByKey(ByLabelKey):
    """State with a `KeyState` for every label key."""

    refuses_nothing: ClassVar[bool] = True

    def update(self, batch: ClassificationBatch) -> None:
        """Count a batch."""
        for view in views(batch):
            self.of(view.labels[0].key).update(view)


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
