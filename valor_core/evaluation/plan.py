"""Plan of an evaluation: the chosen metrics and the states that they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from valor_core.errors import ManifestError, ValorError, error_at, short_repr
from valor_core.evaluation.bound_metric import BoundMetric, FailedMetric, bind_metrics
from valor_core.evaluation.slices import SliceKey
from valor_core.parameters.declaration import parameter_values
from valor_core.resources.bound import BoundResource
from valor_core.results.result import Failed, Metric, MetricDetails, Result, Undefined
from valor_core.schemas import Batch
from valor_core.schemas.columns import Codes, Floats
from valor_core.specs.extensions import reason_of
from valor_core.specs.names import short_name
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec
from valor_core.states.memo import forget
from valor_core.states.state import (
    FailedState,
    Resources,
    RowsOf,
    State,
    StateRequest,
    find,
    join,
    prepare_together,
)


@frozen(repr=False)
class _Input:
    """Input of a metric: the state at a position, or its item rows."""

    position: int
    is_rows: bool

    def of(self, states: Sequence[Any]) -> Any:
        state = states[self.position]
        return state.item_rows if self.is_rows and not isinstance(state, FailedState) else state


def _position(requests: Sequence[StateRequest], request: StateRequest) -> int:
    position = find(requests, request)
    assert position is not None  # `requests` were joined from it
    return position


@frozen(repr=False)
class Plan:
    """Chosen metrics, the states that they need, and the inputs of each metric.

    Parameters
    ----------
    metrics : tuple of BoundMetric
        Chosen metrics.
    requests : tuple of StateRequest
        Joined requests of all metrics.
    sources : tuple of BoundMetric
        Metrics that are not chosen but whose item rows a chosen metric reads.
    lists_items : bool
        Whether reports have the rows of items.

    Examples
    --------
    >>> plan = Plan.of([], Registry())
    >>> plan.new_states()
    []
    """

    metrics: tuple[BoundMetric, ...]
    requests: tuple[StateRequest, ...]
    sources: tuple[BoundMetric, ...] = ()
    lists_items: bool = False
    _made: tuple[Metric, ...] = field(default=(), repr=False, alias="made")
    _reads: tuple[tuple[_Input, ...], ...] = field(default=(), repr=False, alias="reads")

    @classmethod
    def of(cls, metrics: Sequence[BoundMetric], registry: Registry, rows: bool = False) -> Plan:
        """Make the plan of some metrics.

        Parameters
        ----------
        metrics : sequence of BoundMetric
            Chosen metrics.
        registry : Registry
            Registry used to resolve metrics whose item rows are read.
        rows : bool
            Whether states that can keep the rows of items keep them.

        Raises
        ------
        RegistryError, ParameterError
            If code cannot be imported, or a metric whose rows are read does not exist.
        """
        made, inputs, sources = [], [], []
        for metric in metrics:
            one, needs = _made(metric)
            resolved = [_resolved(need, metric, registry) for need in needs]
            sources += [source for source, _ in resolved if source is not None]
            made.append(one)
            pairs = [(each.with_rows() if rows else each, of is not None) for of, each in resolved]
            inputs.append(pairs)
        requests = join(request for pairs in inputs for request, _ in pairs)
        reads = tuple(
            tuple(_Input(_position(requests, request), is_rows) for request, is_rows in pairs)
            for pairs in inputs
        )
        unchosen: list[BoundMetric] = []
        unchosen += (one for one in sources if one not in metrics and one not in unchosen)
        return cls(tuple(metrics), tuple(requests), tuple(unchosen), rows, tuple(made), reads)

    def only(self, positions: Sequence[int]) -> Plan:
        """Return the plan of the metrics at some positions, with the requests that they read."""
        used = sorted({one.position for i in positions for one in self._reads[i]})
        return evolve(
            self,
            metrics=tuple(self.metrics[i] for i in positions),
            requests=tuple(self.requests[i] for i in used),
            made=tuple(self._made[i] for i in positions),
            reads=tuple(
                tuple(evolve(one, position=used.index(one.position)) for one in self._reads[i])
                for i in positions
            ),
        )

    @property
    def taking_part(self) -> tuple[BoundMetric, ...]:
        """Chosen metrics and the metrics whose rows they read."""
        return (*self.metrics, *self.sources)

    @property
    def waits(self) -> int:
        """Number of per-item metrics that wait for responses."""
        return sum(request.waits for request in self.requests)

    @property
    def metadata(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Names of metrics that read item rows, and the metadata fields that they read."""
        for metric, made in zip(self.metrics, self._made, strict=True):
            for need in made.needs():
                if isinstance(need, RowsOf):
                    yield metric.spec.name, need.metadata

    @property
    def weightless(self) -> list[str]:
        """Names of metrics that cannot count items with weights, or that read item rows."""
        return [
            metric.spec.name
            for metric, reads in zip(self.metrics, self._reads, strict=True)
            if any(one.is_rows or not self.requests[one.position].weighs for one in reads)
        ]

    def new_states(self) -> list[Any]:
        """Return a new, empty state for each request."""
        return [request.open() for request in self.requests]

    def count(
        self,
        states: dict[SliceKey, list[Any]],
        batch: Batch,
        parts: Iterable[tuple[SliceKey, Codes]],
        resources: Resources,
        *weights: Floats,
    ) -> None:
        """Count a batch in the states of its slices.

        A state that fails is replaced by `FailedState`. The others continue to count.

        Parameters
        ----------
        states : dict of slice key to list of states
            States to update. New slices are added.
        batch : Batch
            Datums to count.
        parts : iterable of slice key and ndarray of int64
            Positions of the datums of each slice, ascending.
        resources : mapping of str to object
            Opened resources.
        *weights : ndarray of float64
            Weight of each datum, if they have weights.
        """
        scored = prepare_together(self.requests, batch, resources)
        divided = _SplitBatch(self.requests, batch, resources, scored, weights)
        for key, positions in parts:
            if key not in states:
                states[key] = self.new_states()
            divided.count(positions, states[key])

    def detach(self, states: list[Any]) -> None:
        """Copy arrays that the states share with counted batches."""
        for i, state in enumerate(states):
            if not isinstance(state, FailedState):
                try:
                    state.detach()
                except Exception as error:
                    states[i] = FailedState.by("detach", error)

    def within(self, states: Sequence[Any], whole: Sequence[Any]) -> list[Any]:
        """Return the states of a slice, which may reuse results cached for all data."""
        return [_within(*pair) for pair in zip(states, whole, strict=True)]

    def compute(
        self,
        states: Sequence[Any],
        resources: Iterable[BoundResource] = (),
        where: Mapping[str, Any] | None = None,
    ) -> list[Result]:
        """Compute all metrics. A metric that raises gets a `Failed` result.

        Parameters
        ----------
        states : sequence of State
            One state per request.
        resources : iterable of BoundResource
            Resources used for counting.
        where : mapping of str to value, optional
            Metadata values of the slice.
        """
        return [one for found in self.compute_each(states, resources, where) for one in found]

    def compute_each(
        self,
        states: Sequence[Any],
        resources: Iterable[BoundResource] = (),
        where: Mapping[str, Any] | None = None,
    ) -> list[list[Result]]:
        """Return the results of each metric; parameters as in `compute`."""
        bound = {name: one for one in resources for name in one.names}
        results = []
        for position, (metric, made) in enumerate(zip(self.metrics, self._made, strict=True)):
            read = self.read(position, states)
            found = _results(metric, made, read, where or {})
            results.append(_with_details(metric.spec.name, found, made, read, bound))
        return results

    def item_rows(self, position: int, states: Sequence[Any]) -> Any:
        """Return the rows of the metric at a position, or None."""
        inputs = [states[one.position] for one in self._reads[position] if not one.is_rows]
        if any(isinstance(state, FailedState) for state in inputs):
            return None
        return getattr(self._made[position], "item_rows", _first_rows)(*inputs)

    def source_rows(self, states: Sequence[Any]) -> Iterator[tuple[BoundMetric, Any]]:
        """Yield the metrics that are not chosen but whose rows are read, and their rows."""
        for source in self.sources:
            request = source.spec.rows_request(source.located, dict(source.resources), ())
            assert request is not None  # as in `_resolved`
            request = request.with_rows() if self.lists_items else request
            state = states[_position(self.requests, request)]
            if not isinstance(state, FailedState):
                yield source, state.item_rows

    def read(self, position: int, states: Sequence[Any]) -> list[Any]:
        """Return the inputs of the metric at a position, in the order of its needs."""
        return [one.of(states) for one in self._reads[position]]


@frozen(repr=False)
class _SplitBatch:
    """Batch that is counted slice by slice.

    Parameters
    ----------
    requests : tuple of StateRequest
        Requests of the plan.
    batch : Batch
        Datums of all slices.
    resources : mapping of str to object
        Opened resources.
    scored : mapping of int to object
        Content from `prepare_together` for the whole batch, by position of the request.
    weights : tuple of ndarray of float64
        Weight of each datum, if they have weights.
    """

    requests: tuple[StateRequest, ...]
    batch: Batch
    resources: Resources
    scored: Mapping[int, Any]
    weights: tuple[Floats, ...]
    _wholes: dict[int, Any] = field(factory=dict, init=False)

    def count(self, positions: Codes, states: list[Any]) -> None:
        """Count the datums at `positions` in all states."""
        is_part = len(positions) < len(self.batch)
        part = None if is_part else self.batch
        weights = [column[positions] for column in self.weights]
        for i, (request, state) in enumerate(zip(self.requests, states, strict=True)):
            if isinstance(state, FailedState):
                continue
            try:
                if i in self.scored:
                    rows = self.scored[i]
                    state.update(rows.select(positions) if is_part else rows, *weights)
                elif is_part and state.divides:
                    state.merge(self._whole(i).select(positions))
                else:
                    part = self.batch.select(positions) if part is None else part
                    state.update(request.prepared(part, self.resources), *weights)
            except ValorError:  # invalid data stops the run, a bug in one metric does not
                raise
            except (Exception, SystemExit) as error:
                states[i] = FailedState.by("update", error)
        forget(part)

    def _whole(self, position: int) -> Any:
        """Return a cached state that has counted the whole batch."""
        if position not in self._wholes:
            whole = self._wholes[position] = self.requests[position].open()
            prepared = self.requests[position].prepared(self.batch, self.resources)
            whole.update(prepared, *self.weights)
        return self._wholes[position]


def _made(metric: BoundMetric) -> tuple[Metric, Sequence[StateRequest | RowsOf]]:
    """Make a metric and its needs, or a `FailedMetric` that reports the failure."""
    made = metric.make()
    try:
        needs = tuple(made.needs())
        invalid = next((need for need in needs if not _is_need(need)), None)
        if invalid is None:
            return made, needs
        reason = f"needs: expected StateRequests of classes of State, got {short_repr(invalid)}"
    except ValorError:
        raise
    except Exception as error:
        reason = f"needs: {reason_of(error)}"
    return FailedMetric(reason), ()


def _first_rows(*states: State) -> Any:
    return next((rows for rows in (one.item_rows for one in states) if rows is not None), None)


def _is_need(need: object) -> bool:
    if not isinstance(need, StateRequest):
        return isinstance(need, RowsOf)
    state: object = need.state
    return isinstance(state, type) and issubclass(state, State)


def _resolved(
    need: StateRequest | RowsOf, metric: BoundMetric, registry: Registry
) -> tuple[BoundMetric | None, StateRequest]:
    """Return the request for a need, and the metric whose rows it reads, if any."""
    if isinstance(need, StateRequest):
        return None, need
    with error_at(f"{metric.spec.name}: "):
        spec = registry.metric(need.metric, metric.spec.task)
        named = _chosen_resources(metric, spec)
        choice = {"name": need.metric, **named, **need.parameters}
        (source,) = bind_metrics([choice], registry, metric.spec.task)
        rows = source.spec.rows_request(source.located, dict(source.resources), need.metadata)
        if rows is None or source.spec.task != metric.spec.task:
            raise ManifestError(
                f"expected rows of a per-item metric of {metric.spec.task}, got {source.spec.name}"
            )
    return source, rows


def _chosen_resources(metric: BoundMetric, source: MetricSpec) -> dict[str, str]:
    """Return the resource instances of a metric that its source metric must use too."""
    required = set(map(short_name, source.resources))
    missing = sorted(required.difference(map(short_name, metric.spec.resources)))
    if missing:
        raise ManifestError(
            f"expected the resource {missing[0]}, which {source.name} requires",
            f'Write in its spec: resources=("{missing[0]}",)',
        )
    return {name: chosen for name, chosen in metric.resources if name in required}


def _within(state: Any, whole: Any) -> Any:
    if isinstance(state, FailedState) or isinstance(whole, FailedState):
        return state
    try:
        return state.within(whole)
    except Exception as error:
        return FailedState.by("within", error)


def _results(
    metric: BoundMetric, made: Metric, states: Sequence[Any], where: Mapping[str, Any]
) -> list[Result]:
    reason: Failed | Undefined = Undefined("no data to compute it from")
    failed = [one.reason for one in (made, *states) if isinstance(one, (FailedMetric, FailedState))]
    try:
        if failed:
            reason = Failed(failed[0])
        elif computed := list(made.compute(*states)):
            return _named(computed, metric, where)
    except Exception as error:  # an error of one metric must not lose the others' results
        reason = Failed(_describe(error))
    nothing = Result(parameters=parameter_values(metric.parameters), value=reason)
    return _named([nothing], metric, where)


def _named(
    results: Iterable[Result], metric: BoundMetric, where: Mapping[str, Any]
) -> list[Result]:
    """Add the metric's name, slice and chosen resources to its results."""
    spec = metric.spec
    names = (spec.short_name, spec.identity, spec.aliases, where, metric.asked)
    named = [result.named(*names) for result in results]
    if not metric.resources:
        return named
    chosen = dict(metric.resources)
    return [evolve(one, parameters={**one.parameters, **chosen}) for one in named]


def _describe(error: Exception) -> str:
    return error.one_line if isinstance(error, ValorError) else reason_of(error)


def _with_details(
    name: str,
    results: list[Result],
    made: Metric,
    states: Sequence[Any],
    resources: Mapping[str, BoundResource],
) -> list[Result]:
    """Add the details of a metric with a method `details`. Turn its errors into warnings."""
    details = getattr(made, "details", None)
    if details is None or any(isinstance(one, FailedState) for one in states):
        return results
    try:
        added = details(*states, resources)
    except Exception as error:
        added = MetricDetails(warnings=(f"{name}: {_describe(error)}",))
    if not (added.details or added.warnings):
        return results
    return [evolve(one, details=added.details, warnings=added.warnings) for one in results]
