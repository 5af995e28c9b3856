"""Noise: how far the scores of any metric of items fall from clean to noisy items."""

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from valor_core import Result, Undefined
from valor_core.parameters import changed_parameters, parameter, parameters
from valor_core.results import ItemRow, exact_mean
from valor_core.specs import MetricSpec, Range, hookimpl
from valor_core.states import RowsOf


@parameters
class DropParameters:
    """Parameters of Drop."""

    of: str = parameter(default="text.TokenF1", help="Metric whose scores are compared.")
    by: str = parameter(default="noise", help="Metadata field: 0 for clean items.")


@frozen
class Drop:
    """Mean score of clean items - mean score of noisy items."""

    parameters: DropParameters

    def needs(self) -> tuple[RowsOf, ...]:
        """Request the rows of the metric."""
        return (RowsOf(self.parameters.of, metadata=(self.parameters.by,)),)

    def compute(self, rows: Iterable[ItemRow]) -> Iterator[Result]:
        """Yield the difference."""
        clean: list[float] = []
        noisy: list[float] = []
        for row in rows:
            if isinstance(row.value, float) and row.metadata[self.parameters.by] is not None:
                (noisy if row.metadata[self.parameters.by] else clean).append(row.value)
        value: Any = Undefined("no scores of clean items, or of noisy ones")
        if clean and noisy:
            value = exact_mean(clean) - exact_mean(noisy)
        yield Result(value=value, parameters=changed_parameters(self.parameters))


@hookimpl
def valor_metrics() -> list[MetricSpec]:
    """Declare the metric."""
    return [
        MetricSpec(
            name="noise.Drop",
            task="text",
            summary="Mean score of clean items - mean score of noisy items",
            parameters=DropParameters,
            implementation="noise:Drop",
            higher_is_better=False,
            range=Range(-1, 1),
        )
    ]
