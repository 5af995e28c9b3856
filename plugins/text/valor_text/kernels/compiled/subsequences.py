"""Subsequences: the longest that texts have in common."""

import numpy as np

from valor_text.kernels.compiled.functions import COUNT, IDS, PLACES, PLACES_OUT, function
from valor_text.kernels.values import Ids, Positions

_longest = function("longest_common", IDS, PLACES, COUNT, PLACES, PLACES, COUNT, PLACES_OUT)
_lines = function("lines_in_common", IDS, IDS, PLACES, COUNT, PLACES, PLACES, COUNT, PLACES_OUT)


def longest_common(
    ids: Ids, starts: Positions, known: int, lefts: Positions, rights: Positions
) -> Positions:
    """Length of a longest common subsequence of each pair of texts."""
    lengths = np.empty(len(lefts), np.int64)
    _longest(ids, starts, known, lefts, rights, len(lefts), lengths)
    return lengths


def lines_in_common(
    ids: Ids, lines: Ids, starts: Positions, known: int, lefts: Positions, rights: Positions
) -> Positions:
    """Hits of each pair's left text, by longest common subsequences of lines."""
    hits = np.empty(len(lefts), np.int64)
    _lines(ids, lines, starts, known, lefts, rights, len(lefts), hits)
    return hits
