"""Smoothing: replacements for zero precisions in BLEU of nltk.

Methods of Chen and Cherry, 'A systematic comparison of smoothing techniques for sentence-level
BLEU', WMT 2014, as in nltk, with one row per text or corpus. For a corpus, nltk uses three counts
of its last text only: the 5-grams of method5 and method7, and the number of n-grams in method6.
Here they are those of the whole corpus, since results must not depend on the order.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_text.counting.ngrams import NgramTable
from valor_text.kernels.values import Positions

Floats = NDArray[np.float64]

LONGEST = {"method5": 5, "method7": 5}
"""Largest length of n-grams that a method uses, if it is not that of the weights."""


@frozen(eq=False)
class Precisions:
    """Shares of the responses' n-grams that are in their references, one column per length.

    Parameters
    ----------
    table : NgramTable
        Counts, also of larger lengths.
    longest : int
        Largest length of n-grams with a precision.
    """

    table: NgramTable
    longest: int

    @property
    def matches(self) -> Positions:
        """Numerators."""
        return self.table.matches[:, : self.longest]

    @property
    def counts(self) -> Positions:
        """Denominators: a text too short for an n-gram counts as if it had one."""
        return (self.table.totals + self.table.too_short)[:, : self.longest]

    @property
    def plain(self) -> Floats:
        """Quotients."""
        return self.matches / self.counts


def smoothed(precisions: Precisions, method: str, value: float) -> Floats:
    """Smooth precisions by a method; NaN in all columns of a row if it is not applicable.

    Parameters
    ----------
    precisions : Precisions
        Precisions of texts with a common word; other rows are unused.
    method : str
        ``none`` or ``method1`` to ``method7``.
    value : float
        Parameter of the method, unused by methods without one.
    """
    return _METHODS[method](precisions, value)


def _none(precisions: Precisions, value: float) -> Floats:
    return np.where(precisions.matches == 0, sys.float_info.min, precisions.plain)


def _add_epsilon(precisions: Precisions, value: float) -> Floats:
    return np.where(precisions.matches == 0, value / precisions.counts, precisions.plain)


def _add_one(precisions: Precisions, value: float) -> Floats:
    added = (precisions.matches + 1) / (precisions.counts + 1)
    added[:, 0] = precisions.plain[:, 0]
    return added


def _halves(precisions: Precisions, value: float) -> Floats:
    """Replace zero matches by 1/2, 1/4, 1/8, …, as in mteval-v13a.pl."""
    halves = 1 / (_doublings(precisions) * precisions.counts)
    return np.where(precisions.matches == 0, halves, precisions.plain)


def _halves_by_length(precisions: Precisions, value: float) -> Floats:
    """Replace zero matches by 1/2, 1/4, 1/8, …, times ln(words) / k."""
    tokens = precisions.table.response_tokens
    logarithms = each(math.log, np.maximum(tokens, 2))[:, None]
    halves = 1 / (_doublings(precisions) * value / logarithms) / precisions.counts
    is_halved = (precisions.matches == 0) & (tokens > 1)[:, None]
    return np.where(is_halved, halves, precisions.plain)


def _mean_of_neighbours(precisions: Precisions, value: float) -> Floats:
    return _with_neighbours(precisions.plain, precisions)


def _interpolated(precisions: Precisions, value: float) -> Floats:
    """Interpolate between counts and the expectation from two shorter lengths."""
    found = precisions.plain
    totals = precisions.table.totals
    for column in range(2, precisions.longest):
        before, last = found[:, column - 2], found[:, column - 1]
        expected = np.divide(last**2, before, out=np.zeros(len(found)), where=before > 0)
        found[:, column] = (precisions.matches[:, column] + value * expected) / (
            totals[:, column] + value
        )
    found[precisions.matches[:, 2] == 0] = np.nan
    return found


def _halves_by_length_and_neighbours(precisions: Precisions, value: float) -> Floats:
    return _with_neighbours(_halves_by_length(precisions, value), precisions)


_METHODS: dict[str, Callable[[Precisions, float], Floats]] = {
    "none": _none,
    "method1": _add_epsilon,
    "method2": _add_one,
    "method3": _halves,
    "method4": _halves_by_length,
    "method5": _mean_of_neighbours,
    "method6": _interpolated,
    "method7": _halves_by_length_and_neighbours,
}


def _doublings(precisions: Precisions) -> Floats:
    """Return 2 for the first length without a match, 4 for the second, and so on."""
    doublings: Floats = np.exp2(np.cumsum(precisions.matches == 0, axis=1))
    return doublings


def _with_neighbours(precision_rows: Floats, precisions: Precisions) -> Floats:
    """Average each precision with the mean before it and the precision after it.

    The first one is preceded by itself plus one. The last one is followed by the precision of
    5-grams, regardless of the largest length.
    """
    fives = Precisions(precisions.table, LONGEST["method5"]).plain[:, -1:]
    after = np.concatenate([precision_rows[:, 1:], fives], axis=1)
    means = np.empty_like(precision_rows)
    before = precision_rows[:, 0] + 1
    for column in range(precisions.longest):
        before = means[:, column] = (before + precision_rows[:, column] + after[:, column]) / 3
    return means


def each(function: Callable[[Any], float], numbers: NDArray[Any]) -> Floats:
    """Apply a function of `math`: NumPy's results differ by processor in the last bit."""
    values = map(function, numbers.ravel().tolist())
    return np.fromiter(values, np.float64, numbers.size).reshape(numbers.shape)
