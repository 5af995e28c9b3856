"""P-values of paired items that are right or wrong, and corrections for many p-values.

References
----------
McNemar, 'Note on the sampling error of the difference between correlated proportions or
percentages', Psychometrika 12, 1947.
Edwards, 'Note on the correction for continuity in testing the significance of the difference
between correlated proportions', Psychometrika 13, 1948.
Holm, 'A simple sequentially rejective multiple test procedure', Scandinavian Journal of Statistics
6, 1979.
Benjamini and Hochberg, 'Controlling the false discovery rate', Journal of the Royal Statistical
Society B 57, 1995.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import ConfigError, did_you_mean, short_repr

Correction = Literal["holm", "bh", "none"]
"""Correction of p-values: by Holm, by Benjamini and Hochberg, or none."""

POWER: Final = 0.8
"""Probability of finding the smallest difference that `smallest_difference` returns."""

_MOST_EXACT = 10_000
"""Most trials whose probabilities are counted in whole numbers, which takes 20 ms."""

McNemar = Literal["exact", "corrected", "uncorrected"]
"""Distribution of McNemar's test: binomial, or chi-square with or without continuity correction."""


def mcnemar(only_first: int, only_second: int, method: McNemar = "exact") -> float:
    """Return the p-value of McNemar's test that two models are right equally often.

    Parameters
    ----------
    only_first, only_second : int
        Numbers of items that only the first and only the second model has right.
    method : str
        ``"exact"`` for the binomial distribution; ``"corrected"`` and ``"uncorrected"`` for the
        chi-square distribution with and without the continuity correction by Edwards.

    Returns
    -------
    float
        Two-sided p-value; 1 without items on which the models differ.

    Raises
    ------
    ConfigError
        If a number is negative, or there is no such method.

    Examples
    --------
    >>> mcnemar(1, 7)
    0.0703125
    >>> round(mcnemar(10, 25, "corrected"), 4), round(mcnemar(10, 25, "uncorrected"), 4)
    (0.018, 0.0112)
    """
    if method not in get_args(McNemar) or min(only_first, only_second) < 0:
        raise ConfigError(
            f"mcnemar: expected two counts and exact, corrected or uncorrected, got "
            f"{short_repr((only_first, only_second, method))}",
            "Write it as: mcnemar(3, 8, 'exact')",
        )
    count = only_first + only_second
    if not count:
        return 1.0
    if method == "exact":
        return min(1.0, 2 * _binomial_tail(min(only_first, only_second), count))
    distance = abs(only_first - only_second)
    # Edwards subtracts 1 also from 0, as other programs do.
    distance = abs(distance - 1) if method == "corrected" else distance
    return math.erfc(distance / math.sqrt(2 * count))


def _binomial_tail(successes: int, count: int) -> float:
    """Return the probability of at most so many successes among fair trials."""
    if count <= _MOST_EXACT:
        total = ways = 1
        for k in range(successes):
            ways = ways * (count - k) // (k + 1)
            total += ways
        share: float = total / 2**count
        return share
    start = math.lgamma(count + 1) - count * math.log(2)
    return math.fsum(
        math.exp(start - math.lgamma(k + 1) - math.lgamma(count - k + 1))
        for k in range(successes + 1)
    )


def smallest_difference(error: float, level: float, power: float = POWER) -> float:
    """Return the smallest true difference that a paired test finds with the given probability.

    Parameters
    ----------
    error : float
        Standard error of the difference. It falls with the square root of the number of items.
    level : float
        One minus the p-value below which the test finds a difference.
    power : float
        Probability of finding it.

    Examples
    --------
    >>> round(smallest_difference(0.01, 0.95), 4)
    0.028
    """
    normal = NormalDist()
    return error * (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power))


def corrected(values: Sequence[float], correction: str = "holm") -> list[float]:
    """Return p-values corrected for their number.

    Parameters
    ----------
    values : sequence of float
        P-values.
    correction : str
        ``"holm"``, ``"bh"`` or ``"none"``. Holm's method limits the probability that any of the
        differences found is luck; that of Benjamini and Hochberg the expected share of luck among
        them, and finds more.

    Raises
    ------
    ConfigError
        If there is no such correction.

    Examples
    --------
    >>> corrected([0.25, 0.5]), corrected([0.25, 0.5], "bh")
    ([0.5, 0.5], [0.5, 0.5])
    """
    if correction not in _CORRECTIONS:
        names = get_args(Correction)
        raise ConfigError(
            f"correction: expected holm, bh or none, got {short_repr(correction)}",
            did_you_mean(str(correction), names) or "Write it as: correction='holm'",
        )
    return _CORRECTIONS[correction](values)


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    ordered, rank = _ordered(values)
    multiplied = np.minimum(ordered * np.arange(len(values), 0, -1), 1)
    found: list[float] = np.maximum.accumulate(multiplied)[rank].tolist()
    return found


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Return p-values corrected for the false discovery rate.

    Examples
    --------
    >>> benjamini_hochberg([0.125, 0.5, 0.25, 0.25])
    [0.3333333333333333, 0.5, 0.3333333333333333, 0.3333333333333333]
    """
    ordered, rank = _ordered(values)
    # Divides by the share of the rank, as statsmodels does, for equal bits.
    shares = np.arange(1, len(values) + 1) / max(len(values), 1)
    lowest = np.minimum.accumulate((ordered / shares)[::-1])[::-1]
    found: list[float] = np.minimum(lowest, 1)[rank].tolist()
    return found


def _ordered(values: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return ascending values, and the rank of each value."""
    column = np.array(values, np.float64)
    order = np.argsort(column, kind="stable")
    return column[order], np.argsort(order, kind="stable")


def _uncorrected(values: Sequence[float]) -> list[float]:
    return list(values)


_CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": _uncorrected,
}
