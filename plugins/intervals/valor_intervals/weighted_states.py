"""States of resamples: groups of items counted with integer weights.

A state may offer `State.resamples`. Integers and exact sums of a derived state are multiplied and
added. All other states are merged as often as their weight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, cast

import attrs
import numpy as np

from valor_core.evaluation import EvaluationState
from valor_core.schemas import Floats
from valor_core.states import DerivedState, ExactSum, ExactSums, State
from valor_intervals.resamples import Weights

_LIMB = 30
"""Bits of a part of an integer. Sums of 2**22 parts are exact floats."""

Total = Callable[[Floats], Any]
"""Function of the weights of one resample."""


def weighted_states(
    new: Callable[[], Any], parts: Sequence[Any], weights: Weights
) -> Iterator[Any]:
    """Yield the state of each resample.

    Parameters
    ----------
    new : callable
        Function that returns a state without counts.
    parts : sequence of State
        State of each group, which is not modified.
    weights : ndarray of int64, shape (n_resamples, n_groups)
        Weight of each group in each resample.

    Examples
    --------
    >>> from valor_core.states import counted
    >>> @attrs.define
    ... class Words(DerivedState):
    ...     count: int = counted(int)
    >>> one, other = Words(), Words()
    >>> one.count, other.count = 1, 10
    >>> [state.count for state in weighted_states(Words, [one, other], np.array([[1, 2], [0, 3]]))]
    [21, 30]
    """
    neutral = new()
    if isinstance(neutral, State) and all(isinstance(part, State) for part in parts):
        found = neutral.resamples(parts, weights, weighted_states)
        if found is not None:
            return iter(found)
        added = _added(neutral, parts, weights)
        if added is not None:
            return added
    return _merged(new, parts, weights)


def _merged(new: Callable[[], Any], parts: Sequence[Any], weights: Weights) -> Iterator[Any]:
    """Yield states merged as often as their weight."""
    count = len(parts)
    if weights.shape == (count, count) and np.array_equal(weights, 1 - np.eye(count)):
        yield from _without_each(parts, new)
        return
    for row in weights:
        yield _sum(new(), np.repeat(np.arange(count), row).tolist(), parts)


def _sum(state: Any, chosen: Sequence[int], parts: Sequence[Any]) -> Any:
    """Merge parts into a state; a failed merge gives the replacement that reports it."""
    for position, i in enumerate(chosen):
        try:
            state.merge(parts[i])
        except Exception:
            total = EvaluationState({(): [state]})
            for j in chosen[position:]:
                total.absorb(EvaluationState({(): [parts[j]]}))
            return total.states[()][0]
    return state


def _without_each(parts: Sequence[Any], new: Callable[[], Any]) -> Iterator[Any]:
    """Yield merged states without each part; halving needs n log n merges instead of n squared."""

    def halves(first: int, last: int, others: Any) -> Iterator[Any]:
        if last - first == 1:
            yield others
            return
        middle = (first + last) // 2
        lower, upper = (first, middle), (middle, last)
        for inside, outside in ((lower, upper), (upper, lower)):
            merged = _sum(_sum(new(), [0], [others]), range(*outside), parts)
            yield from halves(*inside, merged)

    yield from halves(0, len(parts), new())


def _added(neutral: Any, parts: Sequence[Any], weights: Weights) -> Iterator[Any] | None:
    """Yield weighted sums of derived states, or None if a state does not add up its fields."""
    if not isinstance(neutral, DerivedState):
        return None
    # A state with another merge may declare that its numbers depend on sums of fields alone.
    if type(neutral).merge is not DerivedState.merge and not getattr(neutral, "adds_fields", False):
        return None
    most = int(weights.sum(axis=1).max(initial=0))
    totals: dict[str, Total] = {}
    for one in attrs.fields(cast("Any", type(neutral))):
        if not one.metadata.get("counted"):
            continue
        total = _total([getattr(part, one.name) for part in parts], most)
        if total is None:
            return None
        totals[one.name] = total
    return _sums(neutral, totals, weights)


def _sums(neutral: Any, totals: Mapping[str, Total], weights: Weights) -> Iterator[Any]:
    for row in weights.astype(np.float64):
        state = copy(neutral)
        for name, total in totals.items():
            setattr(state, name, total(row))
        yield state


def _total(columns: Sequence[Any], most: int) -> Total | None:
    """Return the function of weights that adds up values of one field, or None if there is none.

    Parameters
    ----------
    columns : sequence
        Value of each part.
    most : int
        Greatest sum of the weights of a resample.
    """
    first = columns[0]
    if isinstance(first, bool):
        flags = np.array(columns, np.float64)
        return lambda weights: bool(weights @ flags > 0)
    if len({type(one) for one in columns}) > 1:
        return None
    if isinstance(first, ExactSum):
        sums = exact_total([[one.units] for one in columns])
        return lambda weights: ExactSum(sums(weights)[0])
    if isinstance(first, ExactSums):
        width = max(map(len, columns))
        units = exact_total([one.units + [0] * (width - len(one)) for one in columns])
        return lambda weights: ExactSums(units(weights))
    if isinstance(first, set):
        return lambda weights: set().union(
            *(one for one, weight in zip(columns, weights, strict=True) if weight)
        )
    if isinstance(first, Counter):
        return _counter_total(columns, most)
    if isinstance(first, dict):
        return _table_total(columns, most)
    is_array = isinstance(first, np.ndarray)
    if not all(_is_whole(one) for one in columns):
        return None
    if max(int(np.abs(one).max(initial=0)) for one in map(np.asarray, columns)) * most >= 1 << 53:
        return None  # the products below would not be exact
    shape = np.shape(first)
    table = np.array(columns, np.float64).reshape(len(columns), -1)
    if is_array:
        return lambda weights: (weights @ table).astype(np.int64).reshape(shape)
    return lambda weights: int((weights @ table)[0])


def _is_whole(value: Any) -> bool:
    return type(value) is int or (isinstance(value, np.ndarray) and value.dtype == np.int64)


def _table_total(columns: Sequence[dict[Any, Any]], most: int) -> Total | None:
    """Return the function that adds up entries by key, or None if the keys of two parts differ."""
    names = columns[0].keys()
    if any(one.keys() != names for one in columns):
        return None
    found = {name: _total([one[name] for one in columns], most) for name in names}
    totals = {name: total for name, total in found.items() if total is not None}
    if len(totals) < len(found):
        return None
    return lambda weights: {name: total(weights) for name, total in totals.items()}


def _counter_total(columns: Sequence[Counter[Any]], most: int) -> Total | None:
    if any(type(count) is not int for column in columns for count in column.values()):
        return None
    keys = list(dict.fromkeys(key for column in columns for key in column))
    total = _total([np.array([one[key] for key in keys], np.int64) for one in columns], most)
    if total is None:
        return None

    def added(weights: Floats) -> Counter[Any]:
        counts = zip(keys, total(weights).tolist(), strict=True)
        return Counter({key: count for key, count in counts if count})

    return added


def exact_total(units: Sequence[Sequence[int]]) -> Callable[[Floats], list[int]]:
    """Return the function of weights that adds up integers of any size without rounding.

    Parameters
    ----------
    units : sequence of list of int, shape (n_groups, n)
        Integers of each group.

    Examples
    --------
    >>> exact_total([[1 << 100, -1], [1, 1]])(np.array([2.0, 3.0])) == [2 * (1 << 100) + 3, 1]
    True
    """
    flat = [value for row in units for value in row]
    zeros = min(((one & -one).bit_length() - 1 for one in flat if one), default=0)
    bits = max((abs(one).bit_length() for one in flat), default=0) - zeros
    width = max(-(-bits // _LIMB), 1)
    mask = (1 << _LIMB) - 1
    limbs = [
        (-1 if one < 0 else 1) * ((abs(one) >> zeros + _LIMB * limb) & mask)
        for one in flat
        for limb in range(width)
    ]
    # Products and sums of 30 bits are exact floats, so the result is the same on every machine.
    table = np.array(limbs, np.float64).reshape(len(units), -1)

    def added(weights: Floats) -> list[int]:
        columns = (weights @ table).reshape(-1, width).T.tolist()
        shifts = [zeros + _LIMB * limb for limb in range(width)]
        return [
            sum(int(value) << shift for value, shift in zip(values, shifts, strict=True))
            for values in zip(*columns, strict=True)
        ]

    return added
