"""Agreement of raters beyond chance."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike, NDArray

from valor_core.results import Undefined

Level = Literal["nominal", "ordinal", "interval"]
"""Scale of the values, which defines the distance of two values."""

Numbers = NDArray[np.float64]


@frozen
class Coefficient:
    """An estimate with its standard error.

    Parameters
    ----------
    value : float
        The estimate.
    error : float, optional
        Its standard error over items; None of a single item.
    """

    value: float
    error: float | None = None


def cohen_kappa(
    one: Sequence[Hashable],
    other: Sequence[Hashable],
    groups: Sequence[Hashable] | None = None,
) -> Coefficient | Undefined:
    """Cohen's kappa of two raters: agreement beyond chance.

    Chance agreement assumes independent raters with the same frequencies of values.

    Parameters
    ----------
    one, other : sequence
        Rating of each item by each rater.
    groups : sequence, optional
        Group of each item, if errors within a group may be correlated, such as
        the claims of one response; the standard error is then one over groups.

    Notes
    -----
    The standard error is that of J. L. Fleiss, J. Cohen and B. S. Everitt (1969), Large sample
    standard errors of kappa and weighted kappa, Psychological Bulletin 72, equation 13, with one
    item less in the denominator.

    Examples
    --------
    >>> cohen_kappa(["yes", "no", "no", "no"], ["yes", "no", "no", "yes"]).value
    0.5
    """
    first, second, count = _coded(one, other)
    if not len(first):
        return Undefined("no items that both have rated")
    shares = [np.bincount(codes, minlength=count) / len(codes) for codes in (first, second)]
    by_chance = math.fsum(shares[0] * shares[1])
    if count == 1:
        return Undefined("both raters say the same of every item, and nothing else")
    gradient = shares[1][first] + shares[0][second] - 2 * by_chance
    return _beyond_chance(first == second, by_chance, gradient, groups)


def gwet_ac1(
    one: Sequence[Hashable],
    other: Sequence[Hashable],
    categories: Sequence[Hashable] | None = None,
    groups: Sequence[Hashable] | None = None,
) -> Coefficient | Undefined:
    """Gwet's AC1 of two raters, which stays high if one value is very frequent.

    Parameters
    ----------
    one, other, groups : sequence
        As in `cohen_kappa`.
    categories : sequence, optional
        All possible values. Defaults to those in the ratings.

    Notes
    -----
    K. L. Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
    agreement, British Journal of Mathematical and Statistical Psychology 61, equations 5 and 6.

    Examples
    --------
    >>> round(gwet_ac1(["yes", "no", "no", "no"], ["yes", "no", "no", "yes"]).value, 4)
    0.5294
    """
    first, second, count = _coded(one, other, categories or ())
    if not len(first):
        return Undefined("no items that both have rated")
    if count == 1:
        return Undefined("both raters say the same of every item, and nothing else")
    said = (np.bincount(first, minlength=count) + np.bincount(second, minlength=count)) / 2
    shares = said / len(first)
    by_chance = math.fsum(shares * (1 - shares)) / (count - 1)
    each = (1 - 2 * shares)[first] / 2 + (1 - 2 * shares)[second] / 2
    gradient = (each - math.fsum(shares * (1 - 2 * shares))) / (count - 1)
    return _beyond_chance(first == second, by_chance, gradient, groups)


def krippendorff_alpha(ratings: ArrayLike, level: Level = "nominal") -> float | Undefined:
    """Krippendorff's alpha of any number of raters, with missing ratings.

    Parameters
    ----------
    ratings : array of float, of shape (raters, items)
        Rating of each item by each rater; NaN if missing.
    level : {"nominal", "ordinal", "interval"}
        Scale of the ratings.

    Notes
    -----
    K. Krippendorff (2011), Computing Krippendorff's alpha-reliability, section D and E.

    Examples
    --------
    >>> nan = float("nan")
    >>> krippendorff_alpha([[1, 2, 3, nan], [1, 2, 2, 3]], "interval")
    0.7058823529411764
    """
    table: Numbers = np.atleast_2d(np.asarray(ratings, np.float64))
    present = ~np.isnan(table)
    paired = present.sum(axis=0) >= 2
    if not paired.any():
        return Undefined("no items that two have rated")
    table, present = table[:, paired], present[:, paired]
    values, codes = np.unique(table[present], return_inverse=True)
    if len(values) == 1:
        return Undefined("all raters say the same of every item, and nothing else")
    counts = np.zeros((table.shape[1], len(values)))
    np.add.at(counts, (np.nonzero(present)[1], codes), 1)
    weights = 1 / (counts.sum(axis=1) - 1)
    together = (counts * weights[:, None]).T @ counts
    together -= np.diag((counts * weights[:, None]).sum(axis=0))
    totals = counts.sum(axis=0)
    by_chance = np.outer(totals, totals) - np.diag(totals)
    apart = _distances(values, totals, level)
    observed = math.fsum((together * apart).ravel())
    expected = math.fsum((by_chance * apart).ravel()) / (totals.sum() - 1)
    return float(1 - observed / expected)


def _distances(values: Numbers, totals: Numbers, level: Level) -> Numbers:
    """Squared distance of every two values."""
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "interval":
        apart: Numbers = values[:, None] - values[None, :]
        return apart**2
    # Distance of two ranks: the ratings between them, plus half of those at both ends.
    midranks = np.cumsum(totals) - totals / 2
    between: Numbers = midranks[:, None] - midranks[None, :]
    return between**2


def _coded(
    one: Sequence[Hashable], other: Sequence[Hashable], levels: Sequence[Hashable] = ()
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return the codes of two raters' values, and the number of codes."""
    if len(one) != len(other):
        raise ValueError(f"expected as many items of both raters, got {len(one)} and {len(other)}")
    codes = {value: code for code, value in enumerate(dict.fromkeys([*levels, *one, *other]))}
    first, second = (
        np.array([codes[value] for value in values], np.int64) for values in (one, other)
    )
    return first, second, len(codes)


def _beyond_chance(
    same: NDArray[np.bool_],
    by_chance: float,
    gradient: Numbers,
    groups: Sequence[Hashable] | None,
) -> Coefficient:
    """Return (observed - chance) / (1 - chance), with the error from each item's influence."""
    observed = math.fsum(same) / len(same)
    value = (observed - by_chance) / (1 - by_chance)
    influence = (same - observed - (1 - value) * gradient) / (1 - by_chance)
    return _with_error(value, influence, groups)


def _with_error(value: float, influence: Numbers, groups: Sequence[Hashable] | None) -> Coefficient:
    items = len(influence)
    if groups is not None:
        numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
        summed = np.zeros(len(numbers))
        np.add.at(summed, [numbers[group] for group in groups], influence)
        influence = summed
    count = len(influence)
    if count < 2:
        return Coefficient(value)
    spread = math.fsum(influence**2) * count / (count - 1)
    return Coefficient(value, math.sqrt(spread) / items)
