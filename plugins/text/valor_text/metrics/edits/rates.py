"""Rates: errors in speech and their kin, from numbers of edits.

Each function takes counts of hits, substitutions, deletions and insertions, shape (..., 4), of
references that have tokens, and gives float64 in shape (...). The order of its operations is that
of jiwer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_text.counting.edits import errors, reference_tokens, response_tokens
from valor_text.kernels.values import HIT, Positions

Rates = NDArray[np.float64]


def word_error_rate(counts: Positions) -> Rates:
    """Edits for each token of the reference; above 1 where more is inserted than was right.

    Examples
    --------
    >>> word_error_rate(np.array([2, 1, 1, 0]))
    np.float64(0.5)
    """
    rates: Rates = errors(counts) / reference_tokens(counts)
    return rates


def match_error_rate(counts: Positions) -> Rates:
    """Share of edits in all that was matched, inserted and deleted, in [0, 1].

    Examples
    --------
    >>> match_error_rate(np.array([2, 1, 1, 1]))
    np.float64(0.6)
    """
    rates: Rates = errors(counts) / counts.sum(-1)
    return rates


def word_information_lost(counts: Positions) -> Rates:
    """One less the share of hits in the reference times that in the response, in [0, 1].

    1 where the response has no tokens.

    Examples
    --------
    >>> word_information_lost(np.array([2, 1, 1, 0]))
    np.float64(0.6666666666666667)
    """
    hits = counts[..., HIT]
    said = np.maximum(response_tokens(counts), 1)
    rates: Rates = 1 - (hits / reference_tokens(counts)) * (hits / said)
    return rates
