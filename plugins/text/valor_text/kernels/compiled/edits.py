"""Edits: what makes one text of another, in the fewest steps."""

import numpy as np
from numpy.typing import NDArray

from valor_core.kernels import array
from valor_text.kernels.compiled.functions import COUNT, IDS, PLACES, PLACES_OUT, function
from valor_text.kernels.values import KINDS_OF_EDITS, Ids, Positions

_edits = function(
    "edits",
    *(IDS, PLACES, COUNT, PLACES, PLACES, COUNT),
    *(PLACES_OUT, array(np.uint8, written=True, optional=True)),
)


def edit_counts(
    ids: Ids, starts: Positions, known: int, lefts: Positions, rights: Positions
) -> Positions:
    """Hits, substitutions, deletions and insertions of each pair of texts."""
    counts = np.empty((len(lefts), KINDS_OF_EDITS), np.int64)
    _edits(ids, starts, known, lefts, rights, len(lefts), counts, None)
    return counts


def edit_sequences(
    ids: Ids, starts: Positions, known: int, lefts: Positions, rights: Positions
) -> tuple[NDArray[np.uint8], Positions]:
    """The edits of each pair of texts, in order, and where those of each begin."""
    counts = np.empty((len(lefts), KINDS_OF_EDITS), np.int64)
    lengths = np.diff(starts)
    edits = np.empty(int((lengths[lefts] + lengths[rights]).sum()), np.uint8)
    _edits(ids, starts, known, lefts, rights, len(lefts), counts, edits)
    ends = np.concatenate([[0], np.cumsum(counts.sum(axis=1))])
    return edits[: ends[-1]], ends
