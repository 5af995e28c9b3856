"""Numbers of all results in replicates: groups of items counted with integer weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from valor_core.errors import SchemaError
from valor_core.evaluation import Evaluation
from valor_core.results import Result
from valor_core.scoring import ItemMetricSpec
from valor_core.states import ExactSum, ExactSums
from valor_intervals.resamples import Floats, Weights
from valor_intervals.weighted_states import exact_total, weighted_states

Place = tuple[int, str]
"""Position of a result, and the name of one of its numbers; ``""`` for the only one."""

Means = Callable[[Floats], dict[str, float]]
"""Function of the weights of the groups that returns the means of item scores by name."""


@frozen(eq=False)
class Replicates:
    """Numbers of results as a function of the weights of groups of items.

    Parameters
    ----------
    results : sequence of Result
        Results over all items.
    parts : sequence of list of State
        States of each group, which are not modified.
    evaluation : Evaluation
        Evaluation that computes results from states.
    where : mapping of str to value
        Metadata values of the slice.
    places : sequence of (int, str)
        Numbers to compute.
    of : callable
        Function that yields the numbers of a result by name.
    """

    results: Sequence[Result]
    parts: Sequence[Sequence[Any]]
    evaluation: Evaluation
    where: Mapping[str, Any]
    places: Sequence[Place]
    of: Callable[[Result], Iterator[tuple[str, float]]] = field(default=lambda one: numbers_of(one))

    @property
    def values(self) -> list[float]:
        """Numbers over all items."""
        values = {i: dict(self.of(self.results[i])) for i, _ in self.places}
        return [values[i][name] for i, name in self.places]

    def numbers(self, weights: Weights) -> Floats:
        """Return all numbers in each replicate, NaN for undefined.

        Parameters
        ----------
        weights : ndarray of int64, shape (n_replicates, n_groups)
            How often each group is counted.

        Returns
        -------
        ndarray of float64, shape (n_replicates, n_places)
        """
        found = np.full((len(weights), len(self.places)), np.nan)
        means, others = self._ways()
        columns = {place: column for column, place in enumerate(self.places)}
        for i, of in means.items():
            for row, each in zip(found, weights.astype(np.float64), strict=True):
                for name, number in of(each).items():
                    if (i, name) in columns:
                        row[columns[i, name]] = number
        for row, replicate in zip(found, self._computed(others, weights), strict=False):
            for i, result in replicate:
                for name, number in self.of(result):
                    if (i, name) in columns:
                        row[columns[i, name]] = number
        return found

    def _ways(self) -> tuple[dict[int, Means], list[int]]:
        """Return means of item scores by position of the result, and positions of other metrics."""
        plan, means, others = self.evaluation.plan, {}, []
        names = Counter(one.spec.identity for one in plan.metrics)
        wanted = {self.results[i].metric for i, _ in self.places}
        for position, one in enumerate(plan.metrics):
            name = one.spec.identity
            if name not in wanted:
                continue
            rows = [i for i, each in enumerate(self.results) if each.metric == name]
            of = None
            if isinstance(one.spec, ItemMetricSpec) and names[name] == len(rows) == 1:
                of = _means([plan.item_rows(position, part) for part in self.parts])
                # The metric defines its value: sums replace it only if they give the same.
                if of(np.ones(len(self.parts))) != dict(self.of(self.results[rows[0]])):
                    of = None
            if of is None:
                others.append(position)
            else:
                means[rows[0]] = of
        return means, others

    def _computed(
        self, positions: Sequence[int], weights: Weights
    ) -> Iterator[list[tuple[int, Result]]]:
        """Yield the results of some metrics in each replicate, with positions in `results`."""
        plan = self.evaluation.plan.only(positions)
        if not plan.requests:
            return
        evaluation = evolve(self.evaluation, plan=plan)
        at = [self.evaluation.plan.requests.index(request) for request in plan.requests]
        columns = [
            weighted_states(request.open, [part[i] for part in self.parts], weights)
            for request, i in zip(plan.requests, at, strict=True)
        ]
        names = {one.spec.identity for one in plan.metrics}
        chosen = [i for i, one in enumerate(self.results) if one.metric in names]
        wanted = [self.results[i] for i in chosen]
        for states in zip(*columns, strict=True):
            found = _aligned(wanted, evaluation.compute(states, self.where))
            yield [(i, one) for i, one in zip(chosen, found, strict=True) if one is not None]


def numbers_of(result: Result, with_tables: bool = False) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a result by name; the only one is ``""``.

    Parameters
    ----------
    result : Result
        Result of a metric.
    with_tables : bool
        Whether to include cells of tables and points of curves, by their path.

    Examples
    --------
    >>> result = Result(value={"rouge1": 0.5, "bins": [1, 2]})
    >>> dict(numbers_of(result)), list(dict(numbers_of(result, with_tables=True)))
    ({'rouge1': 0.5}, ['rouge1', 'bins[0]', 'bins[1]'])
    """
    value = result.value if with_tables else result.content
    if with_tables:
        yield from _nested("", value)
        return
    named = value.items() if type(value) is dict else [("", value)]
    # Values are of built-in types; a boolean is no number.
    yield from ((name, float(one)) for name, one in named if type(one) in (int, float))


def _nested(path: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _nested(f"{path}.{name}" if path else str(name), one)
    elif isinstance(value, list):
        for position, one in enumerate(value):
            yield from _nested(f"{path}[{position}]", one)
    elif type(value) in (int, float):
        yield path, float(value)


def _means(parts: Sequence[Any]) -> Means:
    """Return the function of weights that gives the exactly rounded means of item rows."""
    tables = [{} if rows is None else rows.columns() for rows in parts]
    names = sorted({name for table in tables for name in table})
    sums, counts = [], np.zeros((len(parts), len(names)))
    for part, table in enumerate(tables):
        row = []
        for column, name in enumerate(names):
            total = ExactSum()
            if name in table:
                present = table[name].present
                total.add(present)
                counts[part, column] = len(present)
            row.append(total.units)
        sums.append(row)
    added = exact_total(sums)

    def means(weights: Floats) -> dict[str, float]:
        sizes = (weights @ counts).tolist()
        units = added(weights)
        try:
            totals = ExactSums(units).values.tolist()
        except SchemaError:  # a sum beyond the range of floats
            return {}
        pairs = zip(names, totals, sizes, strict=True)
        return {name: total / size for name, total, size in pairs if size}

    return means


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
