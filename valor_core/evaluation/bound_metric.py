"""Bound metrics: what people choose by name, with the parameters checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, field, fields, frozen

from valor_core.errors import (
    ConfigError,
    ParameterError,
    RegistryError,
    ValorError,
    error_at,
    shown,
)
from valor_core.parameters.declaration import build, parameter_values, relocate
from valor_core.resources.bound import with_digests
from valor_core.results.result import Metric, Result
from valor_core.specs.lookup import meaning_of
from valor_core.specs.names import short_name
from valor_core.specs.query import ResolvedName
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, TaskSpec
from valor_core.states.state import StateRequest

MetricChoice = str | Mapping[str, Any] | MetricSpec
"""A metric as people choose it: a name, a table of name and parameters, or a spec."""


@frozen(repr=False)
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
        if folder is None:
            return self.parameters

        def found(path: Path) -> Path:
            there = folder / path
            return there if there.exists() else path

        return relocate(self.parameters, found)

    def describe(self) -> dict[str, Any]:
        """The choice as a config has it, with the version and every parameter written out."""
        return {"name": self.spec.identity} | self.result_parameters

    @property
    def result_parameters(self) -> dict[str, Any]:
        """Parameters, and the instances of resources that the choice names."""
        return parameter_values(self.parameters) | dict(self.resources)

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
        try:
            metric: Metric = self.spec.make(self.located, dict(self.resources))
        except ParameterError as error:
            raise (error.at(f"{self.place}.") if self.place else error) from None
        except RegistryError as error:
            raise (error.at(f"{self.place}: ") if self.place else error) from error
        except ValorError:
            raise
        except Exception as error:
            return FailedMetric(f"constructor: {type(error).__name__}: {error}")
        return metric


@frozen(repr=False)
class FailedMetric:
    """What stands in the place of a metric that cannot be made; all that it computes failed."""

    reason: str

    def needs(self) -> tuple[StateRequest, ...]:
        """None."""
        return ()

    def compute(self) -> Iterable[Result]:
        """None: what is reported is the reason."""
        return ()


def bind_metrics(
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
        bound = [evolve(metric, spec=metric.spec.for_task(told)) for metric in bound]
    return tuple(bound)


def _bind(
    choice: MetricChoice, registry: Registry, task: str | None, place: str, folder: Path | None
) -> BoundMetric:
    is_name = isinstance(choice, (str, MetricSpec))
    values: Any = {"name": choice} if is_name else choice
    if not isinstance(values, Mapping) or "name" not in values:
        raise ConfigError(
            f"{place or 'metrics'}: expected a name or a table with a name, got {shown(choice)}",
            "Write it as: {name: F1, average: macro}",
        )
    name = values["name"]
    if not isinstance(name, (str, MetricSpec)):
        raise ConfigError(f"{place or 'metrics'}: name must be a string, got {shown(name)}")
    with error_at(f"{place}: " if place else ""):
        meaning = _meaning(name, registry, task)
        spec, meant = meaning.spec, meaning.parameters
        if spec.requires:
            registry.find(TaskSpec, spec.task).check_required_fields(spec)
    given = {key: value for key, value in values.items() if key != "name"}
    for parameter in meant.keys() & given.keys():
        raise ConfigError(
            f"{place or spec.name}: {parameter} is given twice, by the name {name!r} too",
            f"Write the name as {spec.name}, or leave out {parameter}.",
        )
    given = {**meant, **given}
    named = _named_resources(spec, given, f"{place}." if place else f"{spec.name}: ")
    try:
        parameters: Any = build(
            spec.parameter_class, given, f"{place}." if place else f"{spec.name}: "
        )
    except ParameterError as error:
        if place:
            raise ParameterError(
                error.sentence, error.remedy or spec.parameters_hint, f"{place}."
            ) from None
        raise
    asked = getattr(parameters, "asked_resources", spec.resources)
    if asked != spec.resources:
        spec = evolve(spec, resources=asked)
    return BoundMetric(spec, parameters, place, named, folder)


def _named_resources(
    spec: MetricSpec, given: dict[str, Any], place: str
) -> tuple[tuple[str, str], ...]:
    """Which of several resources a metric means; taken out of what was given."""
    own = {one.name for one in fields(spec.parameter_class)} if spec.resources else set()
    named = {}
    for short in map(short_name, spec.resources):
        if short in given and short not in own:
            named[short] = given.pop(short)
            if not isinstance(named[short], str):
                raise ConfigError(f"{place}{short} must be a name, got {shown(named[short])}")
    return tuple(named.items())


def _meaning(choice: str | MetricSpec, registry: Registry, task: str | None) -> ResolvedName:
    if isinstance(choice, str):
        return meaning_of(choice, registry, task)
    registry.add(choice)
    return ResolvedName(choice.for_task(task))


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
