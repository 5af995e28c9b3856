"""TER and CorpusTER: edits for each word of the references, where words may be moved in runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.parameters import parameter_values
from valor_core.results import Result, Undefined
from valor_core.schemas.text import TextBatch
from valor_core.states import StateRequest
from valor_text.counting import preparation
from valor_text.counting.shifts import ShiftedEdits, ShiftedEditTotals, edit_rates
from valor_text.parameters.edits import TERParameters


def score(batch: TextBatch, parameters: TERParameters, resources: Mapping[str, Any]) -> Any:
    """Translation edit rate of every item.

    Equal to sacrebleu's, which is 100 times as large: the edits from the reference that needs the
    fewest, for each word of the mean length of all references.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : TERParameters
        How texts are cut into words.
    resources : mapping
        None are used.

    Returns
    -------
    ndarray of float64 or ItemRows
        0 or more; where no reference has words, 0 for a response without and 1 for any other.
    """
    found = ShiftedEdits.of(batch, **parameter_values(parameters))
    return preparation.rows(batch, edit_rates(found.edits, found.lengths), found.faults)


@frozen
class CorpusTER:
    """Translation edit rate of all items: the edits of all, for each word of their references.

    Equal to sacrebleu's, which is 100 times as large.

    Parameters
    ----------
    parameters : TERParameters
        How texts are cut into words.
    """

    parameters: TERParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """The edits of all items."""
        return (StateRequest(ShiftedEditTotals, parameter_values(self.parameters)),)

    def compute(self, totals: ShiftedEditTotals) -> Iterator[Result]:
        """The rate."""
        value: float | Undefined = Undefined("no items")
        if totals.items:
            (rate,) = edit_rates(np.array([totals.edits]), np.array([totals.lengths.value]))
            value = float(rate)
        yield Result(
            parameters=parameter_values(self.parameters),
            value=value,
            left_out=dict(totals.left_out),
            warnings=totals.warnings_of("text.CorpusTER", self.parameters),
        )
