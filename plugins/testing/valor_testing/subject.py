"""Subject: metrics under test, with the operations that laws compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import Factory, field, frozen

from valor_core.errors import SchemaError, ValorError
from valor_core.evaluation import BoundMetric, Plan
from valor_core.resources.opening import OpenResources
from valor_core.results import ItemScore, Result
from valor_core.schemas import Batch, Codes, Floats
from valor_core.scoring import submit
from valor_core.scoring.column_answers import as_rows
from valor_core.scoring.item_metric import ItemMetric
from valor_core.scoring.scoring import Items, ItemScorer, MetricScoring
from valor_core.specs import MetricSpec, Registry
from valor_core.states.memo import forget
from valor_core.states.state import Resources, prepare_together
from valor_testing.data_set import DataSet

States = list[Any]
"""One state per request of a plan."""

Weigh = Callable[[Batch], Floats]
"""Function that returns the weight of each item of a batch."""

Outcome = list[Any]
"""Results as dictionaries, or `REFUSED`."""

REFUSED: Outcome = ["refused"]
"""Placeholder for the results if the metric rejects the data."""


class Refusal(Exception):
    """The metric rejects the data with a `ValorError`, which is allowed."""


def _plan(subject: Subject) -> Plan:
    return Plan.of(subject.metrics, subject.registry, rows=subject.rows)


@frozen
class Subject:
    """Metrics under test, usually one, with their resources.

    Parameters
    ----------
    metrics : tuple of BoundMetric
        The metrics with their parameters.
    resources : mapping of str to object
        Open resources by name.
    registry : Registry, optional
        Registry used to resolve metrics that these depend on. Defaults to a new `Registry()`.
    rows : bool
        Whether states that can keep the rows of items keep them.

    Examples
    --------
    >>> from valor_core import metric
    >>> from valor_core.parameters import NoParameters
    >>> from valor_testing import examples
    >>> @metric("mylab.Words", task="text", higher_is_better=None)
    ... def words(item) -> float:
    ...     return len((item.response or "").split())
    >>> subject = Subject((BoundMetric(words, NoParameters()),))
    >>> subject.name, len(subject.outcome(examples.datasets("text")["plain"]))
    ('mylab.Words', 1)
    """

    metrics: tuple[BoundMetric, ...]
    resources: Resources = field(factory=dict)
    registry: Registry = field(factory=Registry, eq=False, repr=False)
    rows: bool = False
    plan: Plan = field(init=False, repr=False, default=Factory(_plan, takes_self=True))
    _expected: dict[int, tuple[DataSet, Outcome]] = field(
        init=False, factory=dict, eq=False, repr=False
    )

    @property
    def name(self) -> str:
        """Names of the metrics."""
        return " and ".join(metric.spec.name for metric in self.metrics)

    @property
    def spec(self) -> MetricSpec:
        """Declaration of the only metric."""
        return self.metrics[0].spec

    def anew(self) -> Subject:
        """Return a new subject with the same metrics."""
        return Subject(self.metrics, self.resources, self.registry)

    def update(self, states: States, batches: Iterable[Batch], weigh: Weigh | None = None) -> None:
        """Count batches, optionally with the weights that a function returns.

        Raises
        ------
        Refusal
            If a state or a scorer rejects a batch with a `ValorError`.
        """
        for batch in batches:
            weights = () if weigh is None else (weigh(batch),)
            try:
                _count(self.plan, states, batch, self.resources, *weights)
            except ValorError as error:
                raise Refusal(str(error)) from error

    def count(self, batches: Iterable[Batch], weigh: Weigh | None = None) -> States:
        """Count batches in new states."""
        states = self.plan.new_states()
        self.update(states, batches, weigh)
        return states

    def sliced(self, batch: Batch, slices: Sequence[Codes]) -> list[States]:
        """Count slices of a batch, each an array of item indices; return states per slice.

        Raises
        ------
        Refusal
            If a state or a scorer rejects the batch with a `ValorError`.
        """
        states: dict[Any, States] = {}
        parts = [((number,), positions) for number, positions in enumerate(slices)]
        try:
            self.plan.count(states, batch, parts, self.resources)
        except ValorError as error:
            raise Refusal(str(error)) from error
        return list(states.values())

    def merge(self, states: States, others: States) -> States:
        """Merge `others` into `states` and return `states`."""
        for state, other in zip(states, others, strict=True):
            state.merge(other)
        return states

    def compute(self, states: States) -> Outcome:
        """Compute the results as dictionaries; errors of the metric are results with an error."""
        return [result.to_dict() for result in self.plan.compute(states)]

    def results(self, states: States) -> list[Result]:
        """Compute the results of the only metric without catching its errors."""
        metric, read = self.metrics[0].make(), self.plan.read(0, states)
        if isinstance(metric, ItemMetric):
            metric.details(read[0], {})
        return list(metric.compute(*read))

    def outcome(self, batches: Iterable[Batch], weigh: Weigh | None = None) -> Outcome:
        """Return the results of batches counted in sequence, or `REFUSED`."""
        try:
            return self.compute(self.count(batches, weigh))
        except Refusal:
            return REFUSED

    def expected(self, batches: DataSet) -> Outcome:
        """Return the results of a data set, cached as the reference of several laws."""
        if id(batches) not in self._expected:
            self._expected[id(batches)] = batches, self.outcome(batches)
        return self._expected[id(batches)][1]

    def outcome_merged(self, batches: Iterable[Batch], weigh: Weigh | None = None) -> Outcome:
        """Return the results of batches counted in separate states and merged in a tree."""
        try:
            return self.compute(self._merged(batches, weigh))
        except Refusal:
            return REFUSED

    def item_rows(self, batches: Iterable[Batch]) -> Outcome:
        """Return the rows of the only metric, of batches counted separately and merged.

        Empty if the metric has no rows, `REFUSED` if it rejects the data.
        """
        try:
            rows = self.plan.item_rows(0, self._merged(batches))
        except Refusal:
            return REFUSED
        return [] if rows is None else [row.to_dict() for row in rows]

    def _merged(self, batches: Iterable[Batch], weigh: Weigh | None = None) -> States:
        parts = [self.count([batch], weigh) for batch in batches]
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            unpaired = parts[-1:] if len(parts) % 2 else []
            parts = [self.merge(left, right) for left, right in pairs] + unpaired
        return parts[0] if parts else self.plan.new_states()

    def answers(
        self, batch: Batch, items: Iterable[Any] | None = None
    ) -> Iterator[tuple[Any, Any]]:
        """Yield every item's uid with the return value or exception of a per-item metric.

        The metric receives `items`, or new objects of the items of the batch.
        """
        metric: Any = self.metrics[0].make()
        items = batch.items() if items is None else items
        answers = _item_answers(metric.scorer, batch, items, self.resources)
        yield from zip(batch.datums.uids.tolist(), answers, strict=True)


def _count(
    plan: Plan, states: States, batch: Batch, resources: Resources, *weights: Floats
) -> None:
    """Count a batch like `Plan.count`, but raise all errors."""
    scored = prepare_together(plan.requests, batch, resources)
    for i, (request, state) in enumerate(zip(plan.requests, states, strict=True)):
        content = scored[i] if i in scored else request.prepared(batch, resources)
        state.update(content, *weights)
    forget(batch)


def _item_answers(
    scorer: ItemScorer, batch: Batch, items: Iterable[Any], resources: Resources
) -> Iterator[Any]:
    """Yield a metric's unprocessed return value, or the exception it raises, for every item."""
    job = MetricScoring(scorer, Items(batch), OpenResources.of(resources))
    answers = _batch_answers(job, batch) if scorer.spec.batched else None
    for item, gap in zip(items, map(job.missing.at, range(len(batch))), strict=True):
        if not isinstance(gap, float):
            yield gap
            continue
        if answers is not None:
            yield next(answers)
            continue
        try:
            answer = job.function(item, scorer.parameters, job.requested)
            yield submit(answer).result() if job.is_coroutine else answer
        except Exception as error:
            yield error


def _batch_answers(job: MetricScoring, batch: Batch) -> Iterator[Any]:
    """Call a metric that scores batches once, for the items that have all fields."""
    readable = np.flatnonzero(job.missing.codes == 0)
    if not len(readable):
        return iter(())
    part, metric = batch.select(readable), job.scorer.spec.name
    answered = job.function(part, job.scorer.parameters, job.requested)
    rows = as_rows(answered, part.datums.uids, metric)
    if rows is not None:
        return (ItemScore(row.value, row.details) for row in rows)
    listed = list(answered)
    if len(listed) != len(part):
        raise SchemaError(f"expected {len(part):,} answers from {metric}, got {len(listed):,}")
    return iter(listed)
