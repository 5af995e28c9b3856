"""Smoothing: what nltk's BLEU has in place of precisions that are 0.

The methods of Chen and Cherry, 'A systematic comparison of smoothing techniques for sentence-level
BLEU', WMT 2014, as nltk has them, a row for each text or corpus. Three times nltk looks at its last
text alone where it smooths a corpus: for the 5-grams of method5 and method7, and for the number of
n-grams in method6. These are of the whole corpus here, since no number may depend on the order.
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
"""Length of the longest n-grams that a method looks at, where it is not that of the weights."""


@frozen(eq=False)
class Precisions:
    """Shares of the responses' n-grams that their references have, a column for each length.

    Parameters
    ----------
    table : NgramTable
        What was counted, of lengths that may be more.
    longest : int
        Length of the longest n-grams with a precision.
    """

    table: NgramTable
    longest: int

    @property
    def matches(self) -> Positions:
        """Numerators."""
        return self.table.matches[:, : self.longest]

    @property
    def counts(self) -> Positions:
        """Denominators: a text that is too short for an n-gram counts as if it had one."""
        return (self.table.totals + self.table.too_short)[:, : self.longest]

    @property
    def plain(self) -> Floats:
        """The quotients."""
        return self.matches / self.counts


def smoothed(precisions: Precisions, method: str, value: float) -> Floats:
    """The precisions, smoothed by a method; NaN in all of a row where the method has no answer.

    Parameters
    ----------
    precisions : Precisions
        Of texts that share a word at least with their references; the others' are of no use.
    method : str
        ``none`` or ``method1`` to ``method7``.
    value : float
        Number of the method; of no use for those that have none.
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
    """1/2, 1/4, 1/8 … in place of no match, as mteval-v13a.pl."""
    halves = 1 / (_doublings(precisions) * precisions.counts)
    return np.where(precisions.matches == 0, halves, precisions.plain)


def _halves_by_length(precisions: Precisions, value: float) -> Floats:
    """1/2, 1/4, 1/8 …, times ln(words) / k."""
    tokens = precisions.table.response_tokens
    logarithms = each(math.log, np.maximum(tokens, 2))[:, None]
    halves = 1 / (_doublings(precisions) * value / logarithms) / precisions.counts
    is_halved = (precisions.matches == 0) & (tokens > 1)[:, None]
    return np.where(is_halved, halves, precisions.plain)


def _mean_of_neighbours(precisions: Precisions, value: float) -> Floats:
    return _with_neighbours(precisions.plain, precisions)


def _interpolated(precisions: Precisions, value: float) -> Floats:
    """Between what was counted and what two shorter lengths let expect."""
    found = precisions.plain
    totals = precisions.table.totals
    for place in range(2, precisions.longest):
        before, last = found[:, place - 2], found[:, place - 1]
        expected = np.divide(last**2, before, out=np.zeros(len(found)), where=before > 0)
        found[:, place] = (precisions.matches[:, place] + value * expected) / (
            totals[:, place] + value
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
    """2 at the first length without a match, 4 at the second, and so on."""
    doublings: Floats = np.exp2(np.cumsum(precisions.matches == 0, axis=1))
    return doublings


def _with_neighbours(own: Floats, precisions: Precisions) -> Floats:
    """Means of each precision, the mean before it and the precision behind it.

    One more than the first stands before it; behind the last stands that of the 5-grams, however
    long the longest are.
    """
    fives = Precisions(precisions.table, LONGEST["method5"]).plain[:, -1:]
    behind = np.concatenate([own[:, 1:], fives], axis=1)
    means = np.empty_like(own)
    before = own[:, 0] + 1
    for place in range(precisions.longest):
        before = means[:, place] = (before + own[:, place] + behind[:, place]) / 3
    return means


def each(function: Callable[[Any], float], numbers: NDArray[Any]) -> Floats:
    """A function of `math` of each number: NumPy's differ in the last bit by processor."""
    told = map(function, numbers.ravel().tolist())
    return np.fromiter(told, np.float64, numbers.size).reshape(numbers.shape)
