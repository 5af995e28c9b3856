"""Bound metrics: chosen metrics with validated parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any

from attrs import evolve, field, fields, frozen

from valor_core.errors import (
    ConfigError,
    ParameterError,
    RegistryError,
    ValorError,
    error_at,
    short_repr,
)
from valor_core.parameters.declaration import parameter_values, parameters_from, relocate
from valor_core.resources.bound import with_digests
from valor_core.results.result import Metric, Result
from valor_core.specs.extensions import reason_of
from valor_core.specs.lookup import meaning_of
from valor_core.specs.names import folded_name, in_config, short_name, split_name
from valor_core.specs.query import ResolvedName
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, TaskSpec
from valor_core.states.state import StateRequest

MetricChoice = str | Mapping[str, Any] | MetricSpec
"""Choice of a metric: a name, a table of name and parameters, or a spec."""


@frozen(repr=False)
class BoundMetric:
    """Metric with its parameters.

    Parameters
    ----------
    spec : MetricSpec
        Spec of the metric.
    parameters : object
        Instance of its parameter class.
    place : str
        Position in the config for errors, such as ``"config.yaml: metrics[0]"``.
    resources : tuple of (str, str)
        Chosen instance of each resource with several instances: ``("judge", "b")``.
    folder : Path, optional
        Folder of the config. Paths among the parameters are relative to it if they exist there.
    asked : str, optional
        Name in the request, if it is not the metric's short name: ``"mAP50-95"``.
    """

    spec: MetricSpec
    parameters: Any
    place: str = field(default="", eq=False)
    resources: tuple[tuple[str, str], ...] = ()
    folder: Path | None = field(default=None, eq=False)
    asked: str | None = field(default=None, eq=False)

    @property
    def located(self) -> Any:
        """Parameters with paths relative to the folder of the config."""
        folder = self.folder
        if folder is None:
            return self.parameters

        def resolve(path: Path) -> Path:
            inside = folder / path
            return inside if inside.exists() else path

        return relocate(self.parameters, resolve)

    def describe(self) -> dict[str, Any]:
        """Describe the metric as in a config, with its version and all parameters."""
        return {"name": self.spec.identity} | self.result_parameters

    @property
    def result_parameters(self) -> dict[str, Any]:
        """Parameters and chosen resource instances."""
        return parameter_values(self.parameters) | dict(self.resources)

    def identity(self) -> dict[str, Any]:
        """Describe the metric for comparison, with hashes of values from the environment."""
        return self.describe() | with_digests(self.parameters)

    def make(self) -> Metric:
        """Import the code and construct the metric.

        Raises
        ------
        RegistryError
            If the code cannot be imported, or is not an item scorer for a per-item spec.
        ParameterError
            If the metric rejects its parameters.
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
            return FailedMetric(f"constructor: {reason_of(error)}")
        return metric


@frozen(repr=False)
class FailedMetric:
    """Replacement of a metric whose construction failed. All its results are `Failed`."""

    reason: str

    def needs(self) -> tuple[StateRequest, ...]:
        """Return no needs."""
        return ()

    def compute(self) -> Iterable[Result]:
        """Return no results; the plan reports the reason."""
        return ()


def bind_metrics(
    choices: Iterable[MetricChoice] | MetricChoice,
    registry: Registry,
    task: str | None,
    place: str = "",
    folder: Path | None = None,
) -> tuple[BoundMetric, ...]:
    """Resolve choices of metrics and validate their parameters. Drop duplicates.

    Parameters
    ----------
    choices : iterable
        Names, tables of ``name`` and parameters, or specs. A single one needs no list.
    registry : Registry
        Registry used to resolve names.
    task : str or None
        Task used to resolve short names.
    place : str
        Prefix of errors, such as ``"config.yaml: "``. Without it, errors start with the metric's
        name.
    folder : Path, optional
        Folder of the config.

    Raises
    ------
    ConfigError, ParameterError, RegistryError
        If a choice or a parameter is invalid, or a name is unknown.
    """
    if isinstance(choices, (str, Mapping, MetricSpec)):
        choices = [choices]
    bound: list[BoundMetric] = []
    for i, choice in enumerate(choices):
        metric = _bind(choice, registry, task, f"{place}metrics[{i}]" if place else "", folder)
        if metric not in bound:
            bound.append(metric)
        elif bound[bound.index(metric)].asked is None:
            bound[bound.index(metric)] = metric
    tasks = {metric.spec.task for metric in bound if not metric.spec.other_tasks}
    if task is None and len(tasks) == 1:
        (common,) = tasks
        bound = [evolve(metric, spec=metric.spec.for_task(common)) for metric in bound]
    return tuple(bound)


def _bind(
    choice: MetricChoice, registry: Registry, task: str | None, place: str, folder: Path | None
) -> BoundMetric:
    is_name = isinstance(choice, (str, MetricSpec))
    values: Any = {"name": choice} if is_name else choice
    if not isinstance(values, Mapping) or "name" not in values:
        raise ConfigError(
            f"{place or 'metrics'}: expected a name or a table with a name, "
            f"got {short_repr(choice)}",
            f"Write it as: {_listed(values)}",
        )
    name = values["name"]
    if not isinstance(name, (str, MetricSpec)):
        raise ConfigError(f"{place or 'metrics'}: name must be a string, got {short_repr(name)}")
    with error_at(f"{place}: " if place else ""):
        resolved = _resolve(name, registry, task)
        spec, implied = resolved.spec, resolved.parameters
        if spec.requires:
            registry.find(TaskSpec, spec.task).check_required_fields(spec)
    given = {key: value for key, value in values.items() if key not in ("name", "asked")}
    for parameter in implied.keys() & given.keys():
        raise ConfigError(
            f"{place or spec.name}: {parameter} is given twice, also by the name {name!r}",
            f"Write the name as {spec.name}, or remove {parameter}.",
        )
    given = {**implied, **given}
    named = _named_resources(spec, given, f"{place}." if place else f"{spec.name}: ")
    try:
        parameters: Any = parameters_from(
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
    word = values.get("asked") or (_asked(name, resolved) if isinstance(name, str) else None)
    return BoundMetric(spec, parameters, place, named, folder, word)


def _listed(values: Any) -> str:
    """Return a table of parameters by metric as the list of a config, or an example."""
    is_by_name = isinstance(values, Mapping) and all(
        isinstance(value, (Mapping, NoneType)) for value in values.values()
    )
    if not is_by_name or not values:
        return "{name: F1, average: macro}"
    tables = (f"{{{in_config({'name': name, **(more or {})})}}}" for name, more in values.items())
    named = zip(values.items(), tables, strict=True)
    return f"metrics: [{', '.join(table if more else str(name) for (name, more), table in named)}]"


def _asked(name: str, resolved: ResolvedName) -> str | None:
    """Return a requested name without namespace and version, None for the metric's short name."""
    _, word = split_name(name)
    if not resolved.parameters:
        word = word.partition("@")[0]
    return None if folded_name(word) == folded_name(resolved.spec.short_name) else word


def _named_resources(
    spec: MetricSpec, given: dict[str, Any], place: str
) -> tuple[tuple[str, str], ...]:
    """Remove the chosen resource instances from the parameters and return them."""
    parameters = {one.name for one in fields(spec.parameter_class)} if spec.resources else set()
    named = {}
    for short in map(short_name, spec.resources):
        if short in given and short not in parameters:
            named[short] = given.pop(short)
            if not isinstance(named[short], str):
                raise ConfigError(f"{place}{short} must be a name, got {short_repr(named[short])}")
    return tuple(named.items())


def _resolve(choice: str | MetricSpec, registry: Registry, task: str | None) -> ResolvedName:
    if isinstance(choice, str):
        return meaning_of(choice, registry, task)
    registry.add(choice)
    return ResolvedName(choice.for_task(task))


def task_of(metrics: Iterable[BoundMetric], task: str | None, source: str = "the data") -> str:
    """Return the common task of all metrics.

    Parameters
    ----------
    metrics : iterable of BoundMetric
        The metrics.
    task : str, optional
        Task of the data or the config.
    source : str
        Origin of the task, for the error.

    Raises
    ------
    ConfigError
        If the metrics have several tasks, or there are no metrics.
    """
    tasks = {metric.spec.task: metric.spec.name for metric in metrics}
    if tasks and task is not None:
        tasks = {task: source} | tasks
    if len(tasks) == 1:
        return next(iter(tasks))
    if not tasks:
        raise ConfigError("metrics: expected at least one, found none", "Add one to metrics.")
    named = ", ".join(f"{task} ({name})" for task, name in tasks.items())
    raise ConfigError(
        f"metrics: expected one task, found {named}", "Evaluate each task in a separate run."
    )
