"""Shifts: edits of which moving a run of words is one."""

import numpy as np

from valor_text.kernels.compiled.functions import COUNT, IDS, PLACES, PLACES_OUT, function
from valor_text.kernels.values import Ids, Positions

_edits = function("shifted_edits", IDS, PLACES, PLACES, PLACES, COUNT, PLACES_OUT)


def shifted_edits(
    ids: Ids, starts: Positions, responses: Positions, references: Positions
) -> Positions:
    """Number of edits, shifts among them, that make each response of its reference."""
    edits = np.empty(len(responses), np.int64)
    _edits(ids, starts, responses, references, len(responses), edits)
    return edits
