"""N-grams: their numbers, and how many of them texts have in common."""

import numpy as np

from valor_text.kernels.compiled.functions import COUNT, IDS, IDS_OUT, PLACES, PLACES_OUT, function
from valor_text.kernels.values import Ids, Positions

_longer = function("longer_ngrams", IDS, IDS, PLACES, COUNT, COUNT, IDS_OUT)
_common = function("common_ngrams", IDS, PLACES, COUNT, PLACES, PLACES, PLACES, COUNT, PLACES_OUT)


def longer_ngrams(shorter: Ids, ids: Ids, starts: Positions, n: int) -> tuple[Ids, int]:
    """Numbers of the n-grams that begin at each token, and how many are different."""
    longer = np.empty(len(ids), np.int32)
    return longer, _longer(shorter, ids, starts, len(starts) - 1, n, longer)


def common_ngrams(
    ngrams: Ids,
    starts: Positions,
    known: int,
    responses: Positions,
    references: Positions,
    reference_starts: Positions,
) -> Positions:
    """Number of n-grams that each item's response and its references have in common."""
    common = np.empty(len(responses), np.int64)
    _common(ngrams, starts, known, responses, references, reference_starts, len(responses), common)
    return common
