"""Stems of words by Porter's algorithm."""

import numpy as np

from valor_core.kernels import array
from valor_text.kernels.compiled.functions import COUNT, PLACES
from valor_text.kernels.library import KERNELS
from valor_text.kernels.values import CODE_TYPES, Characters, Codes, Ids

_STEMS = {
    np.dtype(kind): KERNELS.function(
        f"stems_{np.dtype(kind).name}",
        None,
        *(array(kind, written=True), PLACES, array(np.int32, written=True), COUNT),
    )
    for kind in CODE_TYPES
}


def stems(words: Characters) -> tuple[Codes, Ids]:
    """Code points of the stems, where the words were, and their lengths."""
    codes, lengths = words.codes.copy(), (words.stops - words.starts).astype(np.int32)
    _STEMS[codes.dtype](codes, words.starts, lengths, len(lengths))
    return codes, lengths
