"""Options: what one evaluation can be asked, in a Python call as in a config."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from valor_core.errors import ConfigError, ParameterError, RegistryError, did_you_mean, shown
from valor_core.parameters.declaration import build, declared, parameter, parameters
from valor_core.specs.lookup import meaning_of
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, ResourceSpec, TaskSpec


@parameters
class EvaluationOptions:
    """The keys that configs and Python calls share."""

    task: str | None = parameter(
        default=None,
        help="Task of the data; bare names of metrics and readers are looked up in it.",
    )
    metrics: tuple[Any, ...] = parameter(
        help="Names of metrics, or tables of a name and parameters; valor list has the names.",
        non_empty=True,
        aliases=("metrics_to_return",),
    )
    slices: tuple[str | tuple[str, ...], ...] = parameter(
        default=(), help="Metadata fields, or lists of fields to combine, to report on their own."
    )
    filter: str | None = parameter(
        default=None, help="Expression over metadata; only items that satisfy it take part."
    )
    label_map: Any = parameter(
        default=(), help="Renames of labels, from and to, applied to both sides before counting."
    )
    engine: str | Mapping[str, Any] | None = parameter(
        default=None,
        help="Where the work runs: the name of an engine, or a table with its name and parameters.",
    )
    items: bool | Path = parameter(
        default=False,
        help="Whether rows of per-item metrics stand in the report, or a file for them "
        "(.jsonl or .parquet).",
    )
    require: Mapping[str, Any] = parameter(
        default={}, help="Thresholds that results must meet, such as mAP: '>= 0.5'."
    )
    state: Path | None = parameter(
        default=None, help="File for the counts, to go on from after a stop or to merge later."
    )


def check_arguments(place: str = "", **arguments: Any) -> EvaluationOptions:
    """Check arguments of a Python call like the keys of a config.

    Raises
    ------
    ConfigError
        If one has a wrong type, or `items` is a path: only a config writes rows to a file.

    Examples
    --------
    >>> check_arguments(metrics="F1", slices=["weather"]).metrics
    ('F1',)
    """
    try:
        options: EvaluationOptions = build(EvaluationOptions, arguments, place)
    except ParameterError as error:
        raise ConfigError(error.message, error.remedy) from error
    if isinstance(options.items, Path):
        raise ConfigError(
            f"{place}items must be true or false, got {shown(str(options.items))}",
            "Only a config has rows written to a file.",
        )
    return options


_OF_PYTHON = ("resources", "registry")
"""Arguments of Python calls that configs spell otherwise or do not have."""


def check_no_others(
    call: str,
    others: Mapping[str, Any],
    metrics: Iterable[Any],
    task: str | None,
    registry: Registry,
) -> None:
    """Raise a `ConfigError` for arguments that a Python call does not have.

    A parameter of a metric goes with the metric, and one of a constructor with its batch.

    Parameters
    ----------
    call : str
        The function or class.
    others : mapping of str to object
        Arguments that it does not have.
    metrics : iterable
        The chosen metrics.
    task : str, optional
        The task, if it is clear.
    registry : Registry
        Registry of the metrics and the task.
    """
    for name, value in others.items():
        for choice in metrics:
            spec, own = _chosen(choice, task, registry)
            if spec is not None and name in {one.name for one in declared(spec.parameter_class)}:
                table = {"name": spec.short_name, **own, name: value}
                raise ConfigError(
                    f"{call}: {name} is a parameter of {spec.short_name}, not of {call}",
                    f"Write it with the metric: {table}",
                )
        known = [*(entry.name for entry in declared(EvaluationOptions)), *_OF_PYTHON]
        remedy = _of_a_batch(name, task, registry) or did_you_mean(name, known)
        raise ConfigError(
            f"{call}: unknown argument {name!r}", remedy or f"Arguments are: {', '.join(known)}."
        )


def _chosen(
    choice: Any, task: str | None, registry: Registry
) -> tuple[MetricSpec | None, dict[str, Any]]:
    """The metric of a choice, if there is one, and the parameters that the choice has."""
    own = dict(choice) if isinstance(choice, Mapping) else {}
    name = own.pop("name", None) if own else choice
    tasks = [task] if task else [spec.short_name for spec in registry.all(TaskSpec)]
    for one in tasks if isinstance(name, str) else ():
        try:
            meaning = meaning_of(name, registry, one)
        except RegistryError:
            continue
        return meaning.spec, {**meaning.parameters, **own}
    return (name if isinstance(name, MetricSpec) else None), own


def _of_a_batch(name: str, task: str | None, registry: Registry) -> str | None:
    """The remedy for an argument of the constructor of a task's batches."""
    spec = None if task is None else registry.arrays(task)
    if spec is None or f"{name}=" in spec.summary:
        return None if spec is None else spec.summary
    if name not in signature(spec.load()).parameters:
        return None
    module, _, function = spec.implementation.partition(":")
    return f"Make a batch first: {function}(…, {name}=…), from {module.partition('.')[0]}"


def as_table(name: str, value: object, registry: Registry) -> str | None:
    """The remedy for a word in the place of a resource's table, likely meant as its kind."""
    for spec in registry.all(ResourceSpec) if isinstance(value, str) else ():
        if spec.short_name == name and spec.kinds is not None:
            return f"Write it as: {name}: {{{spec.kinds}: {value}}}"
    return None


def check_sections(
    sections: Any, registry: Registry, place: str = ""
) -> Mapping[str, Mapping[str, Any]]:
    """Sections of resources, checked to be tables.

    Raises
    ------
    ConfigError
        If one is not.
    """
    if sections is None:
        return {}
    if not isinstance(sections, Mapping):
        raise ConfigError(f"{place}resources must be a table, got {shown(sections)}")
    for name, section in sections.items():
        if not isinstance(section, Mapping):
            remedy = as_table(name, section, registry)
            raise ConfigError(f"{place}{name} must be a table, got {shown(section)}", remedy)
    return sections
