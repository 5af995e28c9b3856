"""Standard errors and intervals by leaving out each group of items in turn.

The delete-a-group jackknife holds for statistics that depend smoothly on their items: means,
ratios, areas under curves, averages over labels. It needs the states of the groups alone.

References
----------
Shao and Tu, 'The Jackknife and Bootstrap', Springer 1995, section 2.3.
Korn and Graubard, 'Confidence intervals for proportions with small expected number of positive
counts estimated from survey data', Survey Methodology 24, 1998.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any

from attrs import evolve, frozen

from valor_core.evaluation import Evaluation, EvaluationState
from valor_core.results import Result
from valor_core.specs import Range
from valor_intervals.intervals import wilson_interval
from valor_intervals.student import student_quantile

_UNIT = Range(0, 1)
_SMALLEST = 1e-12
"""Smallest sample size: Wilson's interval divides by it."""
_LEAST_VARIANCE = sys.float_info.min
"""Least variance: squares of tiny errors are 0."""
_FEWEST = 2
"""Fewest groups that must change a number, for one degree of freedom."""


@frozen
class Estimate:
    """Interval of one number.

    Parameters
    ----------
    interval : (float, float), optional
        Ends; None without an interval.
    method : str
        Method, or the reason why there is no interval.
    error : float, optional
        Standard error.
    groups : int
        Number of groups of items that change the number.
    without : sequence of float or None
        Number without each group; None if it is undefined.
    """

    interval: tuple[float, float] | None
    method: str
    error: float | None = None
    groups: int = 0
    without: Sequence[float | None] = ()

    def row(self, name: str) -> dict[str, Any]:
        """Return the row of a table of details, without the numbers without each group."""
        first = {"number": name} if name else {}
        ends = None if self.interval is None else list(self.interval)
        return {
            **first,
            "interval": ends,
            "method": self.method,
            "error": self.error,
            "groups": self.groups,
        }


def results_without_each(
    parts: Sequence[Sequence[Any]], evaluation: Evaluation, where: Mapping[str, Any]
) -> Iterator[list[Result]]:
    """Yield the results of all items except those of one group, for each group.

    Parameters
    ----------
    parts : sequence of list of State
        States of each group, which are not modified.
    evaluation : Evaluation
        Evaluation that computes results from states.
    where : mapping of str to value
        Metadata values of the slice.
    """
    for states in _without_each(parts, evaluation.plan.new_states(), evaluation):
        yield evaluation.compute(states, where)


def _without_each(
    parts: Sequence[Sequence[Any]], others: list[Any], evaluation: Evaluation
) -> Iterator[list[Any]]:
    """Yield merged states without each part; halving needs n log n merges instead of n squared."""
    if len(parts) == 1:
        yield others
        return
    middle = len(parts) // 2
    for inside, outside in ((parts[:middle], parts[middle:]), (parts[middle:], parts[:middle])):
        merged = EvaluationState()
        for states in (others, *outside):
            merged.merge(EvaluationState({(): list(states)}), evaluation.plan)
        yield from _without_each(inside, merged.states[()], evaluation)


def estimates(
    results: Sequence[Result],
    replicates: Iterable[Sequence[Result]],
    ranges: Mapping[str, Range],
    level: float,
) -> Iterator[tuple[Result, Mapping[str, Estimate]]]:
    """Yield each result with the estimates of its numbers by name; the only number is ``""``.

    Parameters
    ----------
    results : sequence of Result
        Results over all items.
    replicates : iterable of sequence of Result
        Results without each group.
    ranges : mapping of str to Range
        Range by name and version of a metric.
    level : float
        Confidence level.
    """
    places = [(i, name) for i, one in enumerate(results) for name, _ in _numbers(one)]
    without: list[list[float | None]] = [[] for _ in places]
    for found in replicates:
        others = _aligned(results, found)
        numbers = [{} if one is None else dict(_numbers(one)) for one in others]
        for column, (i, name) in zip(without, places, strict=True):
            column.append(numbers[i].get(name))
    columns = dict(zip(places, without, strict=True))
    for i, result in enumerate(results):
        range = ranges.get(result.metric, Range())
        yield (
            result,
            {
                name: evolve(
                    estimate(value, columns[i, name], range, level), without=columns[i, name]
                )
                for name, value in _numbers(result)
            },
        )


def _aligned(results: Sequence[Result], found: Sequence[Result]) -> Sequence[Result | None]:
    """Return the results of a replicate in the order of all results, or None for missing ones."""
    if len(found) == len(results) and all(map(_are_same, results, found)):
        return found
    by_key = {_key(one): one for one in found}
    return [by_key.get(_key(one)) for one in results]


def _are_same(one: Result, other: Result) -> bool:
    return one.metric == other.metric and one.parameters == other.parameters


def _key(result: Result) -> tuple[str, str]:
    return result.metric, str(sorted(result.parameters.items(), key=str))


def _numbers(result: Result) -> Iterator[tuple[str, float]]:
    value = result.content
    named = value.items() if type(value) is dict else [("", value)]
    # Values are of built-in types; a boolean is no number.
    yield from ((name, float(one)) for name, one in named if type(one) in (int, float))


def estimate(value: float, without: Sequence[float | None], range: Range, level: float) -> Estimate:
    """Return the interval of a number.

    Parameters
    ----------
    value : float
        Number over all items.
    without : sequence of float or None
        Number without each group; None if it is undefined.
    range : Range
        Possible numbers.
    level : float
        Confidence level.

    Returns
    -------
    Estimate
        For a number from 0 to 1, Wilson's interval of the sample size that would give the same
        standard error, reduced for the degrees of freedom as by Korn and Graubard. Otherwise the
        number plus or minus its standard error times the quantile of Student's t distribution. The
        degrees of freedom are the number of groups that change the number, minus one.

    Examples
    --------
    >>> found = estimate(0.5, [0.4, 0.6, 0.45, 0.55], Range(0, 1), 0.95)
    >>> round(found.error, 4), [round(end, 4) for end in found.interval]
    (0.1369, [0.1715, 0.8285])
    >>> estimate(1.0, [1.0, 1.0], Range(0, 1), 0.95).method
    'no interval: the same without any group of items'
    """
    if len(without) < _FEWEST:
        return Estimate(None, "no interval: one group of items")
    numbers = [one for one in without if one is not None]
    if len(numbers) < len(without):
        return Estimate(None, "no interval: undefined without one group of items")
    changing = sum(one != value for one in numbers)
    if len(set(numbers)) == 1:
        return Estimate(None, "no interval: the same without any group of items", 0.0)
    if changing < _FEWEST:
        return Estimate(None, "no interval: it depends on one group of items", None, changing)
    middle = math.fsum(numbers) / len(numbers)
    squares = math.fsum((one - middle) ** 2 for one in numbers)
    error = math.sqrt(squares * (len(numbers) - 1) / len(numbers))
    quantile = student_quantile(level, changing - 1)
    if range == _UNIT and 0 < value < 1:
        normal = NormalDist().inv_cdf((1 + level) / 2)
        size = value * (1 - value) / max(error**2, _LEAST_VARIANCE) * (normal / quantile) ** 2
        low, high = wilson_interval(value, max(size, _SMALLEST), level)
        return Estimate(_within(low, high, range), "Wilson", error, changing)
    low, high = value - quantile * error, value + quantile * error
    return Estimate(_within(low, high, range), "Student", error, changing)


def _within(low: float, high: float, range: Range) -> tuple[float, float]:
    low = low if range.low is None else max(low, float(range.low))
    return low, high if range.high is None else min(high, float(range.high))
