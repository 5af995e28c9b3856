"""Alignments of words by stages."""

import numpy as np

from valor_text.kernels.compiled.functions import COUNT, IDS, PLACES, PLACES_OUT, function
from valor_text.kernels.values import Ids, Positions

_alignments = function(
    "alignments",
    *(IDS, IDS, PLACES, COUNT, IDS, PLACES),
    *(PLACES, PLACES, COUNT, PLACES_OUT, PLACES_OUT),
)


def alignments(
    ids: Ids,
    stems: Ids,
    starts: Positions,
    known: int,
    synonyms: Ids,
    synonym_starts: Positions,
    responses: Positions,
    references: Positions,
) -> tuple[Positions, Positions]:
    """Words of each pair's response that are aligned to its reference, and in how many chunks."""
    aligned, chunks = np.empty(len(responses), np.int64), np.empty(len(responses), np.int64)
    _alignments(
        *(ids, stems, starts, known, synonyms, synonym_starts),
        *(responses, references, len(responses), aligned, chunks),
    )
    return aligned, chunks
