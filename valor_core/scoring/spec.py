"""Spec of metrics that score items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen
from attrs.validators import optional

from valor_core.specs.spec import MetricSpec, import_object, place_form

_METRIC = "valor_core.scoring.item_metric:item_metric"
"""Import string, so that manifests load neither NumPy nor the code that scores."""


@frozen(kw_only=True)
class ItemMetricSpec(MetricSpec):
    """Spec of a metric that scores items; its result is the mean of their scores.

    The implementation is a function, ``score(item, parameters, resources)``. All coroutine
    functions of a batch run concurrently, for all items and metrics.

    Parameters
    ----------
    batched : bool
        Whether the implementation scores all items of a batch in one call,
        ``score_many(batch, parameters, resources)``.
    summarize : str, optional
        Import string of ``summarize(rows, spec, parameters, resources)``, which returns
        `MetricDetails` of the scored rows in addition to their mean. Rows are sorted by uid;
        resources are bound, not open.

    Examples
    --------
    >>> from valor_core.specs import Range
    >>> spec = ItemMetricSpec(
    ...     name="mylab.Length",
    ...     task="text",
    ...     summary="Mean number of characters in a response",
    ...     implementation="mylab.length:score",
    ...     higher_is_better=None,
    ...     range=Range(0),
    ... )
    >>> spec.identity
    'mylab.Length@1'
    """

    batched: bool = False
    summarize: str | None = field(default=None, validator=optional(place_form))

    def make(self, parameters: Any, resources: Mapping[str, str]) -> Any:
        """Make the metric of some parameters; imports its code and checks its signature."""
        return import_object(_METRIC)(self, parameters, resources)

    def rows_request(
        self, parameters: Any, resources: Mapping[str, str], metadata: tuple[str, ...]
    ) -> Any:
        """Return the `StateRequest` for rows of items with metadata."""
        return self.make(parameters, resources).request(metadata)
