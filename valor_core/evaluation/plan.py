"""Plan: the chosen metrics and the fewest states that serve them all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from valor_core.errors import ManifestError, ValorError, error_at, shown
from valor_core.evaluation.bound_metric import BoundMetric, FailedMetric, bind_metrics
from valor_core.evaluation.slices import SliceKey
from valor_core.parameters.declaration import parameter_values
from valor_core.resources.bound import BoundResource
from valor_core.results.result import Failed, Metric, MetricDetails, Result, Undefined
from valor_core.schemas import Batch
from valor_core.schemas.columns import Codes
from valor_core.specs.names import short_name
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec
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
class _Reading:
    """What a metric reads: the state at a position, or the rows in it."""

    place: int
    is_rows: bool

    def of(self, states: Sequence[Any]) -> Any:
        state = states[self.place]
        return state.item_rows if self.is_rows and not isinstance(state, FailedState) else state


def _place(requests: Sequence[StateRequest], wanted: StateRequest) -> int:
    place = find(requests, wanted)
    assert place is not None  # they were joined from it
    return place


@frozen(repr=False)
class Plan:
    """Chosen metrics, the joined requests for states, and which metric reads which.

    Parameters
    ----------
    metrics : tuple of BoundMetric
        The chosen metrics.
    requests : tuple of StateRequest
        The states that serve them all.
    sources : tuple of BoundMetric
        Metrics whose rows others read, and that nobody chose.

    Examples
    --------
    >>> plan = Plan.of([], Registry())
    >>> plan.new_states()
    []
    """

    metrics: tuple[BoundMetric, ...]
    requests: tuple[StateRequest, ...]
    sources: tuple[BoundMetric, ...] = ()
    _made: tuple[Metric, ...] = field(default=(), repr=False)
    _reads: tuple[tuple[_Reading, ...], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, metrics: Sequence[BoundMetric], registry: Registry) -> Plan:
        """The plan for some metrics.

        Parameters
        ----------
        metrics : sequence of BoundMetric
            The chosen metrics.
        registry : Registry
            Where the metrics whose rows they read are looked up.

        Raises
        ------
        RegistryError, ParameterError
            If code cannot be imported, or a metric whose rows are needed is not there.
        """
        made, needs, sources = [], [], []
        for metric in metrics:
            one, wanted = _made(metric)
            asked = [_resolved(need, metric, registry) for need in wanted]
            sources += [source for source, _ in asked if source is not None]
            made.append(one)
            needs.append([(request, source is not None) for source, request in asked])
        requests = join(request for wanted in needs for request, _ in wanted)
        reads = tuple(
            tuple(_Reading(_place(requests, request), is_rows) for request, is_rows in wanted)
            for wanted in needs
        )
        unchosen: list[BoundMetric] = []
        unchosen += (one for one in sources if one not in metrics and one not in unchosen)
        return cls(tuple(metrics), tuple(requests), tuple(unchosen), tuple(made), reads)

    @property
    def taking_part(self) -> tuple[BoundMetric, ...]:
        """The chosen metrics and those whose rows they read."""
        return (*self.metrics, *self.sources)

    @property
    def waits(self) -> int:
        """How many per-item metrics wait for something."""
        return sum(request.waits for request in self.requests)

    def new_states(self) -> list[Any]:
        """A neutral state for every request."""
        return [request.open() for request in self.requests]

    def update(self, states: Sequence[Any], batch: Batch, resources: Resources) -> None:
        """Count a batch in every state."""
        scored = prepare_together(self.requests, batch, resources)
        for place, (request, state) in enumerate(zip(self.requests, states, strict=True)):
            state.update(scored[place] if place in scored else request.prepared(batch, resources))

    def count(
        self,
        states: dict[SliceKey, list[Any]],
        batch: Batch,
        parts: Iterable[tuple[SliceKey, Codes]],
        resources: Resources,
    ) -> None:
        """Count a batch, each of its parts in the states of its slice.

        A state that fails becomes `FailedState`: what else there is is counted all the same.

        Parameters
        ----------
        states : dict of slice key to list of states
            What was counted so far; a new slice gets new states.
        batch : Batch
            The datums.
        parts : iterable of slice key and ndarray of int64
            Positions of the datums of each slice, ascending.
        resources : mapping of str to object
            What requests prepare a batch with.
        """
        scored = prepare_together(self.requests, batch, resources)
        divided = _Divided(self.requests, batch, resources, scored)
        for key, positions in parts:
            if key not in states:
                states[key] = self.new_states()
            divided.count(positions, states[key])

    def detach(self, states: list[Any]) -> None:
        """Make the states independent of the arrays of the batches that they counted."""
        for place, state in enumerate(states):
            if not isinstance(state, FailedState):
                try:
                    state.detach()
                except Exception as error:
                    states[place] = FailedState.by("detach", error)

    def within(self, states: Sequence[Any], whole: Sequence[Any]) -> list[Any]:
        """The states of a slice, which may take from those of all data what they worked out."""
        return [_within(*pair) for pair in zip(states, whole, strict=True)]

    def compute(
        self,
        states: Sequence[Any],
        resources: Iterable[BoundResource] = (),
        where: Mapping[str, Any] | None = None,
    ) -> list[Result]:
        """Results of all metrics; one that fails is reported in its place and stops no other.

        Parameters
        ----------
        states : sequence of State
            What was counted, a state for every request.
        resources : iterable of BoundResource
            What it was counted with.
        where : mapping of str to value, optional
            Metadata values of the slice that was counted.
        """
        bound = {name: one for one in resources for name in one.names}
        results: list[Result] = []
        for place, (metric, made) in enumerate(zip(self.metrics, self._made, strict=True)):
            read = self.read(place, states)
            found = _results(metric, made, read, where or {})
            results += _with_details(metric.spec.name, found, made, read, bound)
        return results

    def item_rows(self, position: int, states: Sequence[Any]) -> Any:
        """Return the rows that the metric at a position scores itself, or None."""
        own = (states[one.place] for one in self._reads[position] if not one.is_rows)
        rows = (state.item_rows for state in own if isinstance(state, State))
        return next((each for each in rows if each is not None), None)

    def read(self, place: int, states: Sequence[Any]) -> list[Any]:
        """What the metric at a place computes from, in the order of its needs."""
        return [one.of(states) for one in self._reads[place]]


@frozen(repr=False)
class _Divided:
    """A batch that is counted part by part.

    Parameters
    ----------
    requests : tuple of StateRequest
        What the states are of.
    batch : Batch
        The datums.
    resources : mapping of str to object
        What requests prepare a batch with.
    scored : mapping of int to object
        Content of the whole batch from `prepare_together`, by the position of the request.
    """

    requests: tuple[StateRequest, ...]
    batch: Batch
    resources: Resources
    scored: Mapping[int, Any]
    _wholes: dict[int, Any] = field(factory=dict, init=False)

    def count(self, positions: Codes, states: list[Any]) -> None:
        """Count the datums at some positions in every state."""
        is_part = len(positions) < len(self.batch)
        part = None if is_part else self.batch
        for place, (request, state) in enumerate(zip(self.requests, states, strict=True)):
            if isinstance(state, FailedState):
                continue
            try:
                if place in self.scored:
                    rows = self.scored[place]
                    state.update(rows.select(positions) if is_part else rows)
                elif is_part and state.divides:
                    state.merge(self._whole(place).select(positions))
                else:
                    part = self.batch.select(positions) if part is None else part
                    state.update(request.prepared(part, self.resources))
            except ValorError:
                raise
            except (Exception, SystemExit) as error:
                states[place] = FailedState.by("update", error)

    def _whole(self, place: int) -> Any:
        """A state that has counted the whole batch, made once for all parts."""
        if place not in self._wholes:
            whole = self._wholes[place] = self.requests[place].open()
            whole.update(self.requests[place].prepared(self.batch, self.resources))
        return self._wholes[place]


def _made(metric: BoundMetric) -> tuple[Metric, Sequence[StateRequest | RowsOf]]:
    """A metric and what it needs; what fails is a metric whose results say so."""
    made = metric.make()
    try:
        needs = tuple(made.needs())
        strange = next((need for need in needs if not _is_need(need)), None)
        if strange is None:
            return made, needs
        reason = f"needs: expected StateRequests of classes of State, got {shown(strange)}"
    except ValorError:
        raise
    except Exception as error:
        reason = f"needs: {type(error).__name__}: {error}"
    return FailedMetric(reason), ()


def _is_need(need: object) -> bool:
    if not isinstance(need, StateRequest):
        return isinstance(need, RowsOf)
    state: object = need.state
    return isinstance(state, type) and issubclass(state, State)


def _resolved(
    need: StateRequest | RowsOf, metric: BoundMetric, registry: Registry
) -> tuple[BoundMetric | None, StateRequest]:
    """The request that serves a need, and the other metric whose rows it asks for."""
    if isinstance(need, StateRequest):
        return None, need
    with error_at(f"{metric.spec.name}: "):
        spec = registry.metric(need.metric, metric.spec.task)
        named = _passed_on(metric, spec)
        choice = {"name": need.metric, **named, **need.parameters}
        (source,) = bind_metrics([choice], registry, metric.spec.task)
        rows = source.spec.rows_request(source.located, dict(source.resources), need.metadata)
        if rows is None or source.spec.task != metric.spec.task:
            raise ManifestError(
                f"rows are needed of a per-item metric of {metric.spec.task}, "
                f"{source.spec.name} is none"
            )
    return source, rows


def _passed_on(metric: BoundMetric, source: MetricSpec) -> dict[str, str]:
    """Which of several resources a metric means, for the one whose rows it reads."""
    asked = set(map(short_name, source.resources))
    missing = sorted(asked.difference(map(short_name, metric.spec.resources)))
    if missing:
        raise ManifestError(
            f"expected its resources to name {missing[0]}, which {source.name} asks for",
            f'Write in its spec: resources=("{missing[0]}",)',
        )
    return {name: chosen for name, chosen in metric.resources if name in asked}


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
    except Exception as error:  # one metric's trouble must not lose the others' results
        reason = Failed(_said_by(error))
    nothing = Result(parameters=parameter_values(metric.parameters), value=reason)
    return _named([nothing], metric, where)


def _named(
    results: Iterable[Result], metric: BoundMetric, where: Mapping[str, Any]
) -> list[Result]:
    """Results with the name of their metric and slice, and the resources that it was given."""
    spec = metric.spec
    names = (spec.short_name, spec.identity, spec.aliases, where)
    named = [result.named(*names) for result in results]
    if not metric.resources:
        return named
    chosen = dict(metric.resources)
    return [evolve(one, parameters={**one.parameters, **chosen}) for one in named]


def _said_by(error: Exception) -> str:
    return error.one_line if isinstance(error, ValorError) else f"{type(error).__name__}: {error}"


def _with_details(
    name: str,
    results: list[Result],
    made: Metric,
    states: Sequence[Any],
    resources: Mapping[str, BoundResource],
) -> list[Result]:
    """Add the details of a metric that has a method `details`; an error becomes a warning."""
    details = getattr(made, "details", None)
    if details is None or any(isinstance(one, FailedState) for one in states):
        return results
    try:
        told = details(*states, resources)
    except Exception as error:
        told = MetricDetails(warnings=(f"{name}: {_said_by(error)}",))
    if not (told.details or told.warnings):
        return results
    return [evolve(one, details=told.details, warnings=told.warnings) for one in results]
