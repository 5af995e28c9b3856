"""N-grams: how many of them texts have in common."""

import numpy as np

from valor_text.kernels.compiled.functions import COUNT, IDS, PLACES, PLACES_OUT, function
from valor_text.kernels.values import Ids, Positions

_common = function("common_ngrams", IDS, PLACES, COUNT, PLACES, PLACES, PLACES, COUNT, PLACES_OUT)


def common_ngrams(
    ids: Ids,
    starts: Positions,
    longest: int,
    responses: Positions,
    references: Positions,
    reference_starts: Positions,
) -> Positions:
    """Number of n-grams of each length that each item's response and references have in common."""
    common = np.empty((len(responses), longest), np.int64)
    _common(ids, starts, longest, responses, references, reference_starts, len(responses), common)
    return common
