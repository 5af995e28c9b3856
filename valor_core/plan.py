"""Plan: the chosen metrics and the fewest states that serve them all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, field, fields, frozen

from valor_core.errors import (
    ConfigError,
    ManifestError,
    ParameterError,
    ValorError,
    found_at,
    shown,
)
from valor_core.function_metric import FunctionMetricSpec
from valor_core.item_rows import ItemRows
from valor_core.items import ItemMetric, metric_of, with_metadata
from valor_core.parameters import build, declared, plain, relocate
from valor_core.registry import Registry, implementation
from valor_core.resources import open_as, with_digests
from valor_core.result import Failed, Result, Undefined
from valor_core.schemas import Batch
from valor_core.scoring import ItemScorer, Run, check_scorer, score
from valor_core.spec import MetricSpec, TaskSpec, fold
from valor_core.state import Broken, Metric, Resources, RowsOf, StateRequest, find, join

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
    resources : tuple of (str, str)
        For each resource of which there are several, the one that was chosen: ``("judge", "b")``.
    folder : Path, optional
        Folder of the config. A path among the parameters is relative to it if something is
        there, and is taken as it is written if not.
    """

    spec: MetricSpec
    parameters: Any
    place: str = field(default="", eq=False)
    resources: tuple[tuple[str, str], ...] = ()
    folder: Path | None = field(default=None, eq=False)

    @property
    def located(self) -> Any:
        """The parameters, with paths from the folder of the config."""
        folder = self.folder
        cls: type = type(self.parameters)
        if folder is None or not any(own.holds_paths for own in declared(cls)):
            return self.parameters

        def found(path: Path) -> Path:
            there = folder / path
            return there if there.exists() else path

        return relocate(self.parameters, found)

    def describe(self) -> dict[str, Any]:
        """The choice as a config has it, with the version and every parameter written out."""
        return {"name": self.spec.identity} | plain(self.parameters) | dict(self.resources)

    def identity(self) -> dict[str, Any]:
        """The choice as it tells two requests apart, with what the environment filled in."""
        return self.describe() | with_digests(self.parameters)

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
                return self.item_metric()
        try:
            metric: Metric = code(self.located)
        except ParameterError as error:
            raise (error.at(f"{self.place}.") if self.place else error) from None
        except ValorError:
            raise
        except Exception as error:
            return FailedMetric(f"constructor: {type(error).__name__}: {error}")
        return metric

    def item_metric(self) -> ItemMetric:
        """The metric of items itself, with the resources that it uses."""
        named = dict(self.resources)
        chosen = {
            asked: open_as(asked, named.get(_short(asked), "")) for asked in self.spec.resources
        }
        return metric_of(self.spec, self.located, chosen, named)


@frozen
class FailedMetric:
    """What stands in the place of a metric that cannot be made; all that it computes failed."""

    reason: str

    def needs(self) -> tuple[StateRequest, ...]:
        """None."""
        return ()

    def compute(self) -> Iterable[Result]:
        """None: what is reported is the reason."""
        return ()


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def bind(
    choices: Iterable[MetricChoice] | MetricChoice,
    registry: Registry,
    task: str | None,
    place: str = "",
    folder: Path | None = None,
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
    folder : Path, optional
        Folder of the config.

    Raises
    ------
    ConfigError, ParameterError, RegistryError
        With the place, the expectation and the remedy.
    """
    if isinstance(choices, (str, Mapping, MetricSpec)):
        choices = [choices]
    bound: list[BoundMetric] = []
    for i, choice in enumerate(choices):
        metric = _bind(choice, registry, task, f"{place}metrics[{i}]" if place else "", folder)
        if metric not in bound:
            bound.append(metric)
    tasks = {metric.spec.task for metric in bound if not metric.spec.other_tasks}
    if task is None and len(tasks) == 1:
        (told,) = tasks
        bound = [evolve(metric, spec=metric.spec.serving(told)) for metric in bound]
    return tuple(bound)


def _bind(
    choice: MetricChoice, registry: Registry, task: str | None, place: str, folder: Path | None
) -> BoundMetric:
    is_name = isinstance(choice, (str, MetricSpec))
    values: Any = {"name": choice} if is_name else choice
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
        if spec.reads:
            registry.find(TaskSpec, spec.task).check_reads(spec)
    given = {key: value for key, value in values.items() if key != "name"}
    meant = _named_parameter(name, spec)
    for parameter in meant.keys() & given.keys():
        raise ConfigError(
            f"{place or spec.name}: {parameter} is given twice, by the name {name!r} too",
            f"Write the name as {spec.name}, or leave out {parameter}.",
        )
    given = meant | given
    named = _named_resources(spec, given, f"{place}." if place else f"{spec.name}: ")
    try:
        parameters: Any = build(
            spec.parameter_class, given, f"{place}." if place else f"{spec.name}: "
        )
    except ParameterError as error:
        if place:
            raise ParameterError(
                error.sentence, error.remedy or _parameters_of(spec), f"{place}."
            ) from None
        raise
    return BoundMetric(spec, parameters, place, named, folder)


def _named_parameter(name: str | MetricSpec, spec: MetricSpec) -> dict[str, Any]:
    """The parameter that a name means which is none of the metric's own."""
    if spec.takes_names is None or not isinstance(name, str):
        return {}
    short = name.partition("@")[0].rpartition(".")[2]
    is_own = fold(short) in map(fold, (spec.short_name, *spec.aliases))
    return {} if is_own else {spec.takes_names: short}


def _named_resources(
    spec: MetricSpec, given: dict[str, Any], place: str
) -> tuple[tuple[str, str], ...]:
    """Which of several resources a metric means; taken out of what was given."""
    own = {one.name for one in fields(spec.parameter_class)} if spec.resources else set()
    named = {}
    for short in map(_short, spec.resources):
        if short in given and short not in own:
            named[short] = given.pop(short)
            if not isinstance(named[short], str):
                raise ConfigError(f"{place}{short} must be a name, got {shown(named[short])}")
    return tuple(named.items())


def _parameters_of(spec: MetricSpec) -> str:
    """Where to read what a metric takes; a decorated one is in no list of the installed."""
    if isinstance(spec, FunctionMetricSpec):
        names = ", ".join(one.name for one in fields(spec.parameter_class))
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
    return choice.serving(task)


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
class _Reading:
    """What a metric reads: the state at a position, or the rows in it."""

    place: int
    is_rows: bool

    def of(self, states: Sequence[Any]) -> Any:
        state = states[self.place]
        return state.rows.sorted() if self.is_rows and not isinstance(state, Broken) else state


def _place(requests: Sequence[StateRequest], wanted: StateRequest) -> int:
    place = find(requests, wanted)
    assert place is not None  # they were joined from it
    return place


@frozen
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
    >>> plan = Plan.of([])
    >>> plan.new_states()
    []
    """

    metrics: tuple[BoundMetric, ...]
    requests: tuple[StateRequest, ...]
    sources: tuple[BoundMetric, ...] = ()
    _made: tuple[Metric, ...] = field(default=(), repr=False)
    _reads: tuple[tuple[_Reading, ...], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, metrics: Sequence[BoundMetric], registry: Registry | None = None) -> Plan:
        """The plan for some metrics.

        Parameters
        ----------
        metrics : sequence of BoundMetric
            The chosen metrics.
        registry : Registry, optional
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
    def refuses_nothing(self) -> bool:
        """Whether every state counts every batch that follows the schema, without resources."""
        return all(
            one.prepare is None and getattr(one.state, "refuses_nothing", False)
            for one in self.requests
        )

    @property
    def waits(self) -> int:
        """How many per-item metrics wait for something."""
        return sum(
            isinstance(one.prepare, ItemScorer) and one.prepare.waits for one in self.requests
        )

    def new_states(self) -> list[Any]:
        """A neutral state for every request."""
        return [request.open() for request in self.requests]

    def scored(
        self, batch: Batch, resources: Resources, run: Run | None = None
    ) -> dict[int, ItemRows]:
        """Rows of a batch by the position of the request that wants them, all scored together."""
        places = [i for i, one in enumerate(self.requests) if isinstance(one.prepare, ItemScorer)]
        scorers = [self.requests[place].prepare for place in places]
        rows = score(scorers, batch, resources, run) if places else []  # type: ignore[arg-type]
        return {
            place: with_metadata(one, batch.datums, dict(self.requests[place].union)["metadata"])
            for place, one in zip(places, rows, strict=True)
        }

    def update(self, states: Sequence[Any], batch: Batch, resources: Resources) -> None:
        """Count a batch in every state."""
        scored = self.scored(batch, resources)
        for place, (request, state) in enumerate(zip(self.requests, states, strict=True)):
            if place in scored:
                state.update(scored[place])
            else:
                request.update(state, batch, resources)

    def detach(self, states: list[Any]) -> None:
        """Make the states independent of the arrays of the batches that they counted."""
        for place, state in enumerate(states):
            if hasattr(state, "detach"):
                try:
                    state.detach()
                except Exception as error:
                    states[place] = Broken.by("detach", error)

    def within(self, states: Sequence[Any], whole: Sequence[Any]) -> list[Any]:
        """The states of a slice, which may take from those of all data what they worked out."""
        return [_within(*pair) for pair in zip(states, whole, strict=True)]

    def compute(self, states: Sequence[Any]) -> list[Result]:
        """Results of all metrics; one that fails is reported in its place and stops no other."""
        results = []
        for place, (metric, made) in enumerate(zip(self.metrics, self._made, strict=True)):
            results.extend(_results(metric, made, self.read(place, states)))
        return results

    def read(self, place: int, states: Sequence[Any]) -> list[Any]:
        """What the metric at a place computes from, in the order of its needs."""
        return [one.of(states) for one in self._reads[place]]


def _made(metric: BoundMetric) -> tuple[Metric, Sequence[StateRequest | RowsOf]]:
    """A metric and what it needs; what fails is a metric whose results say so."""
    made = metric.make()
    try:
        needs = tuple(made.needs())
        if all(isinstance(need, (StateRequest, RowsOf)) for need in needs):
            return made, needs
        reason = f"needs: expected StateRequests, got {shown(needs)}"
    except ValorError:
        raise
    except Exception as error:
        reason = f"needs: {type(error).__name__}: {error}"
    return FailedMetric(reason), ()


def _resolved(
    need: StateRequest | RowsOf, metric: BoundMetric, registry: Registry | None
) -> tuple[BoundMetric | None, StateRequest]:
    """The request that serves a need, and the other metric whose rows it asks for."""
    if isinstance(need, StateRequest):
        return None, need
    registry = Registry() if registry is None else registry
    with found_at(f"{metric.spec.name}: "):
        spec = registry.metric(need.metric, metric.spec.task)
        named = _passed_on(metric, spec)
        choice = {"name": need.metric, **named, **need.parameters}
        (source,) = bind([choice], registry, metric.spec.task)
        if not source.spec.per_item or source.spec.task != metric.spec.task:
            raise ManifestError(
                f"rows are needed of a per-item metric of {metric.spec.task}, "
                f"{source.spec.name} is none"
            )
        check_scorer(source.spec, implementation(source.spec))
    (request,) = source.item_metric().needs(need.metadata)
    return source, request


def _passed_on(metric: BoundMetric, source: MetricSpec) -> dict[str, str]:
    """Which of several resources a metric means, for the one whose rows it reads."""
    asked = set(map(_short, source.resources))
    missing = sorted(asked.difference(map(_short, metric.spec.resources)))
    if missing:
        raise ManifestError(
            f"expected its resources to name {missing[0]}, which {source.name} asks for",
            f'Write in its spec: resources=("{missing[0]}",)',
        )
    return {name: chosen for name, chosen in metric.resources if name in asked}


def _within(state: Any, whole: Any) -> Any:
    if not hasattr(state, "within") or isinstance(whole, Broken):
        return state
    try:
        return state.within(whole)
    except Exception as error:
        return Broken.by("within", error)


def _results(metric: BoundMetric, made: Metric, states: Sequence[Any]) -> list[Result]:
    name, identity, aliases = metric.spec.short_name, metric.spec.identity, metric.spec.aliases
    reason: Failed | Undefined = Undefined("no data to compute it from")
    failed = [one.reason for one in (made, *states) if isinstance(one, (FailedMetric, Broken))]
    try:
        if failed:
            reason = Failed(failed[0])
        elif computed := list(made.compute(*states)):
            named = [one.named(name, identity, aliases) for one in computed]
            return [_of_resources(one, metric.resources) for one in named]
    except ValorError as error:
        reason = Failed(error.one_line)
    except Exception as error:  # one metric's trouble must not lose the others' results
        reason = Failed(f"{type(error).__name__}: {error}")
    parameters = plain(metric.parameters) | dict(metric.resources)
    result = Result(parameters=parameters, value=reason)
    return [result.named(name, identity, aliases)]


def _of_resources(result: Result, resources: tuple[tuple[str, str], ...]) -> Result:
    """A result that says which of several resources it comes from."""
    if not resources:
        return result
    return evolve(result, parameters={**result.parameters, **dict(resources)})
