"""Averages: ratios of counts, means of numbers, and means over labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from valor_core.results.result import Failed, Undefined

NumberOrReason = float | Undefined | Failed
"""A number of a metric, or the reason why it is undefined or failed."""


def ratio(
    numerator: float, denominator: float, zero_division: float | None, reason: str
) -> float | Undefined:
    """Return the ratio of two counts.

    Parameters
    ----------
    numerator, denominator : float
        Counts.
    zero_division : float or None
        Value of 0/0; None makes it undefined.
    reason : str
        Why the denominator is 0, for the report.

    Examples
    --------
    >>> ratio(1, 4, 0.0, "no predictions"), ratio(0, 0, None, "no predictions")
    (0.25, Undefined(reason='no predictions'))
    """
    if denominator:
        return float(numerator / denominator)
    return Undefined(reason) if zero_division is None else float(zero_division)


def ratios(
    numerators: ArrayLike, denominators: ArrayLike, zero_division: float | None
) -> list[float | None]:
    """Return the ratios of two columns of counts as `ratio` does, with None for undefined.

    Examples
    --------
    >>> ratios([1, 0], [4, 0], None)
    [0.25, None]
    """
    divisors = np.asarray(denominators)
    quotients: list[float | None] = (numerators / np.where(divisors, divisors, 1)).tolist()
    for row in np.flatnonzero(divisors == 0).tolist():
        quotients[row] = None if zero_division is None else float(zero_division)
    return quotients


def mean_of_defined(
    values: Iterable[float | Undefined | Failed], of: str
) -> tuple[float | Undefined, dict[str, int]]:
    """Return the exactly rounded mean of the defined values, and the excluded values by reason.

    Parameters
    ----------
    values : iterable of float, Undefined or Failed
        Values to average.
    of : str
        Plural noun for the items of the values in the reason: ``"labels"``.

    Returns
    -------
    mean : float or Undefined
        Mean, or `Undefined` if no value is defined.
    left_out : dict of str to int
        Number of excluded values by reason.

    Examples
    --------
    >>> mean_of_defined([0.5, Undefined("no ground truths")], "labels")
    (0.5, {'no ground truths': 1})
    """
    numbers = []
    left_out: Counter[str] = Counter()
    for value in values:
        if isinstance(value, (Undefined, Failed)):
            left_out[value.reason] += 1
        else:
            numbers.append(value)
    if not numbers:
        return Undefined(f"no {of} with a value"), dict(left_out)
    return exact_mean(numbers), dict(left_out)


def exact_mean(numbers: Iterable[float]) -> float:
    """Return the mean of at least one number from the exact sum.

    Examples
    --------
    >>> exact_mean([0.1] * 10), exact_mean([1.5e308, 1.5e308])
    (0.1, 1.5e+308)
    """
    numbers = list(numbers)
    try:
        return math.fsum(numbers) / len(numbers)
    except OverflowError:  # the sum exceeds the range of floats; the mean does not
        from fractions import Fraction

        return float(sum(map(Fraction, numbers), Fraction()) / len(numbers))


def macro_mean(
    values: Iterable[NumberOrReason],
    truths: ArrayLike,
    include_prediction_only: bool = False,
    excluded: Mapping[int, str] = {},
) -> tuple[NumberOrReason, dict[str, int]]:
    """Return the unweighted mean over labels with ground truth, and excluded labels by reason.

    Parameters
    ----------
    values : iterable of float, Undefined or Failed
        Value of each label.
    truths : array_like of int
        Number of ground truths of each label.
    include_prediction_only : bool
        Whether to include labels without ground truth.
    excluded : mapping of int to str
        Labels to exclude by position, with the reason.

    Examples
    --------
    >>> macro_mean([1.0, 0.5, 0.0], [3, 1, 0])
    (0.75, {'label only in predictions': 1})
    """
    included: list[NumberOrReason] = []
    for i, (value, count) in enumerate(zip(values, _counts(truths), strict=True)):
        if i in excluded:
            included.append(Undefined(excluded[i]))
        elif count or include_prediction_only:
            included.append(value)
        else:
            included.append(Undefined("label only in predictions"))
    return mean_of_defined(included, "labels")


def _counts(truths: ArrayLike) -> list[int]:
    counts: list[int] = np.asarray(truths).tolist()
    return counts


def weighted_mean(
    values: Iterable[NumberOrReason], truths: ArrayLike
) -> tuple[NumberOrReason, dict[str, int]]:
    """Return the mean over labels weighted by ground truths, and excluded labels by reason.

    Examples
    --------
    >>> weighted_mean([1.0, 0.5], [3, 1])
    (0.875, {})
    """
    true = [pair for pair in zip(values, _counts(truths), strict=True) if pair[1]]
    _, left_out = mean_of_defined([value for value, _ in true], "labels")
    pairs = [(value, count) for value, count in true if not isinstance(value, (Undefined, Failed))]
    total = sum(count for _, count in pairs)
    if not total:
        return Undefined("no labels with a value"), left_out
    return math.fsum(value * count for value, count in pairs) / total, left_out
