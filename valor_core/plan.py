"""Plan: the chosen metrics and the fewest states that serve them all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import field, fields, frozen

from valor_core.errors import ConfigError, ParameterError, ValorError, found_at, shown
from valor_core.items import ItemMetric, check_scorer
from valor_core.parameters import build, plain
from valor_core.registry import Registry, implementation
from valor_core.result import Failed, Result, Undefined
from valor_core.spec import FunctionMetricSpec, MetricSpec
from valor_core.state import Metric, Resources, StateRequest, find, join

MetricChoice = str | Mapping[str, Any] | MetricSpec
"""A metric as people choose it: a name, a table of name and parameters, or a spec."""


@frozen
class BoundMetric:
    """A metric with its parameters.

    Parameters
    ----------
    spec : MetricSpec
        Its declaration.
    parameters : object
        An instance of its parameter class.
    place : str
        Where it was chosen, for errors: ``"config.yaml: metrics[0]"``.
    """

    spec: MetricSpec
    parameters: Any
    place: str = field(default="", eq=False)

    def describe(self) -> dict[str, Any]:
        """The choice as a config has it, with the version and every parameter written out."""
        return {"name": self.spec.identity} | plain(self.parameters)

    def make(self) -> Metric:
        """The metric itself; imports its code.

        Raises
        ------
        RegistryError
            If its code cannot be imported, or is no scorer of items where the spec says so.
        ParameterError
            If the metric refuses its parameters.
        """
        with found_at(f"{self.place}: " if self.place else ""):
            code = implementation(self.spec)
            if self.spec.per_item:
                check_scorer(self.spec, code)
                return ItemMetric(self.spec, self.parameters)
        try:
            metric: Metric = code(self.parameters)
        except ParameterError as error:
            raise (error.at(f"{self.place}.") if self.place else error) from None
        return metric


def bind(
    choices: Iterable[MetricChoice] | MetricChoice,
    registry: Registry,
    task: str | None,
    place: str = "",
) -> tuple[BoundMetric, ...]:
    """The metrics that some choices name, with their parameters checked, each once.

    Parameters
    ----------
    choices : iterable
        Names, tables of ``name`` and parameters, or specs; a single one stands for a list of it.
    registry : Registry
        Where names are looked up.
    task : str or None
        Namespace of bare names.
    place : str
        Where the choices stand, for errors: ``"config.yaml: "``; without it an error is placed
        by the metric's name.

    Raises
    ------
    ConfigError, ParameterError, RegistryError
        With the place, the expectation and the remedy.
    """
    if isinstance(choices, (str, Mapping, MetricSpec)):
        choices = [choices]
    bound: list[BoundMetric] = []
    for i, choice in enumerate(choices):
        metric = _bind(choice, registry, task, f"{place}metrics[{i}]" if place else "")
        if metric not in bound:
            bound.append(metric)
    return tuple(bound)


def _bind(choice: MetricChoice, registry: Registry, task: str | None, place: str) -> BoundMetric:
    named = isinstance(choice, (str, MetricSpec))
    values: Any = {"name": choice} if named else choice
    if not isinstance(values, Mapping) or "name" not in values:
        raise ConfigError(
            f"{place or 'metrics'}: expected a name or a table with a name, got {shown(choice)}",
            _with_a_name(choice, place),
        )
    name = values["name"]
    if not isinstance(name, (str, MetricSpec)):
        raise ConfigError(f"{place or 'metrics'}: name must be a string, got {shown(name)}")
    with found_at(f"{place}: " if place else ""):
        spec = _spec(name, registry, task)
    given = {key: value for key, value in values.items() if key != "name"}
    try:
        parameters: Any = build(spec.parameters, given, f"{place}." if place else f"{spec.name}: ")
    except ParameterError as error:
        if place:
            raise ParameterError(
                error.sentence, error.remedy or _parameters_of(spec), f"{place}."
            ) from None
        raise
    return BoundMetric(spec, parameters, place)


def _parameters_of(spec: MetricSpec) -> str:
    """Where to read what a metric takes; a decorated one is in no list of the installed."""
    if isinstance(spec, FunctionMetricSpec):
        names = ", ".join(one.name for one in fields(spec.parameters))
        return f"{spec.name} takes {names or 'no parameters'}."
    return f"See its parameters with: valor show {spec.name}"


def _with_a_name(choice: object, place: str) -> str | None:
    """How a metric is written whose name stands in the place of a key."""
    if not isinstance(choice, Mapping) or len(choice) != 1:
        return None
    ((name, values),) = choice.items()
    if not isinstance(values, Mapping | None):
        return None
    table = {"name": name, **(values or {})}
    if not place:
        return f"Write it as: {table!r}"
    return f"Write it as: {{{', '.join(f'{key}: {_in_yaml(table[key])}' for key in table)}}}"


def _in_yaml(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _spec(choice: str | MetricSpec, registry: Registry, task: str | None) -> MetricSpec:
    if isinstance(choice, str):
        return registry.metric(choice, task)
    registry.add(choice)
    return choice


def task_of(metrics: Iterable[BoundMetric], task: str | None) -> str:
    """The task that all metrics share.

    Raises
    ------
    ConfigError
        If they read batches of several tasks, or there are none to tell it from.
    """
    tasks = {metric.spec.task: metric.spec.name for metric in metrics}
    if tasks and task is not None:
        tasks = {task: "the config"} | tasks
    if len(tasks) == 1:
        return next(iter(tasks))
    if not tasks:
        raise ConfigError("metrics: expected at least one, found none", "Name one under metrics.")
    named = ", ".join(f"{task} ({name})" for task, name in tasks.items())
    raise ConfigError(
        f"metrics: expected one task, found {named}", "Evaluate each task in a run of its own."
    )


@frozen
class Plan:
    """Chosen metrics, the joined requests for states, and which metric reads which.

    Examples
    --------
    >>> plan = Plan.of([])
    >>> plan.new_states()
    []
    """

    metrics: tuple[BoundMetric, ...]
    requests: tuple[StateRequest, ...]
    _made: tuple[Metric, ...] = field(repr=False)
    _reads: tuple[tuple[int, ...], ...] = field(repr=False)

    @classmethod
    def of(cls, metrics: Sequence[BoundMetric]) -> Plan:
        """The plan for some metrics."""
        made = tuple(metric.make() for metric in metrics)
        needs = [metric.needs() for metric in made]
        requests = join(request for wanted in needs for request in wanted)
        reads = []
        for wanted in needs:
            found = (find(requests, request) for request in wanted)
            reads.append(tuple(place for place in found if place is not None))
        return cls(tuple(metrics), tuple(requests), made, tuple(reads))

    @property
    def refuses_nothing(self) -> bool:
        """Whether every state counts every batch that follows the schema, without resources."""
        return all(
            one.prepare is None and getattr(one.state, "refuses_nothing", False)
            for one in self.requests
        )

    def new_states(self) -> list[Any]:
        """A neutral state for every request."""
        return [request.open() for request in self.requests]

    def update(self, states: Sequence[Any], batch: Any, resources: Resources) -> None:
        """Count a batch in every state."""
        for request, state in zip(self.requests, states, strict=True):
            request.update(state, batch, resources)

    def detach(self, states: Sequence[Any]) -> None:
        """Make the states independent of the arrays of the batches that they counted."""
        for state in states:
            if hasattr(state, "detach"):
                state.detach()

    def within(self, states: Sequence[Any], whole: Sequence[Any]) -> list[Any]:
        """The states of a slice, which may take from those of all data what they worked out."""
        return [
            state.within(other) if hasattr(state, "within") else state
            for state, other in zip(states, whole, strict=True)
        ]

    def compute(self, states: Sequence[Any]) -> list[Result]:
        """Results of all metrics; one that fails is reported in its place and stops no other."""
        results = []
        for metric, made, reads in zip(self.metrics, self._made, self._reads, strict=True):
            results.extend(_results(metric, made, [states[place] for place in reads]))
        return results


def _results(metric: BoundMetric, made: Metric, states: Sequence[Any]) -> list[Result]:
    name, identity = metric.spec.short_name, metric.spec.identity
    reason: Failed | Undefined = Undefined("no data to compute it from")
    try:
        computed = [one.named(name, identity) for one in made.compute(*states)]
        if computed:
            return computed
    except ValorError as error:
        reason = Failed(error.one_line)
    except Exception as error:  # one metric's trouble must not lose the others' results
        reason = Failed(f"{type(error).__name__}: {error}")
    parameters = plain(metric.parameters)
    return [Result(type=name, metric=identity, parameters=parameters, value=reason)]
