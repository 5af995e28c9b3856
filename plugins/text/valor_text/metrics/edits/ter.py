"""TER and CorpusTER: edits per word of the references, including shifts of runs of words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.parameters import parameter_values
from valor_core.results import Undefined
from valor_core.schemas.text import TextBatch
from valor_text.counting import preparation
from valor_text.counting.corpus import corpus_metric
from valor_text.counting.shifts import ShiftedEdits, ShiftedEditSums, edit_rates
from valor_text.parameters.edits import TERParameters


def score(batch: TextBatch, parameters: TERParameters, resources: Mapping[str, Any]) -> Any:
    """Translation edit rate of every item.

    Equal to sacrebleu's, which is 100 times as large: the edits from the reference that requires
    the fewest, per word of the mean length of all references.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : TERParameters
        Preparation of texts.
    resources : mapping
        Unused.

    Returns
    -------
    ndarray of float64 or ItemRows
        At least 0; without words in the references, 0 for a response without words, 1 for others.
    """
    found = ShiftedEdits.of(batch, **parameter_values(parameters))
    return preparation.rows(batch, edit_rates(found.edits, found.lengths), found.faults)


@corpus_metric(
    "CorpusTER",
    ShiftedEditSums,
    parameter_values,
    undefined=lambda parameters, items: Undefined("no items"),
)
def corpus_ter(sums: ShiftedEdits, parameters: TERParameters) -> NDArray[np.float64]:
    """Translation edit rate of all items: the sum of edits per word of the references.

    Equal to sacrebleu's, which is 100 times as large.
    """
    return edit_rates(sums.edits, sums.lengths)
