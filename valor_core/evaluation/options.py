"""Options shared by Python calls and configs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from valor_core.errors import ConfigError, ParameterError, RegistryError, did_you_mean, short_repr
from valor_core.parameters.declaration import parameter, parameters, parameters_from, parameters_of
from valor_core.parameters.kinds import built_in
from valor_core.specs.lookup import meaning_of
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, ResourceSpec, TaskSpec


@parameters
class EvaluationOptions:
    """Options shared by configs and Python calls."""

    task: str | None = parameter(
        default=None,
        help="Task of the data, used to resolve short names of metrics and readers.",
    )
    metrics: tuple[Any, ...] = parameter(
        help="Names of metrics (see valor list), or tables of a name and parameters.",
        non_empty=True,
        aliases=("metrics_to_return",),
    )
    slices: tuple[str | Mapping[str, Any] | tuple[str | Mapping[str, Any], ...], ...] = parameter(
        default=(),
        help="Metadata fields, ranges of numeric fields such as {edges: [32, 96], of: size}, or "
        "lists of these to combine, to report separately.",
    )
    filter: str | None = parameter(
        default=None, help="Expression over metadata. Only items that satisfy it are counted."
    )
    weights: str | None = parameter(
        default=None, help="Metadata field with the weight of each item, a number of 0 or more."
    )
    confidence: float | Mapping[str, Any] | None = parameter(
        default=None,
        help="Level of intervals such as 0.95, or a table with the level and further parameters.",
    )
    label_map: Any = parameter(
        default=(), help="Old and new names of labels, applied to both sides before counting."
    )
    engine: str | Mapping[str, Any] | None = parameter(
        default=None,
        help="Name of an engine, or a table with its name and parameters.",
    )
    items: bool | Path = parameter(
        default=False,
        help="Whether to report rows of per-item metrics, or a file for them (.jsonl or .parquet).",
    )
    require: Mapping[str, Any] = parameter(
        default={}, help="Thresholds that results must meet, such as mAP: '>= 0.5'."
    )
    state: Path | None = parameter(
        default=None, help="File for the counts, to resume after a stop or to merge later."
    )


def check_arguments(place: str = "", **arguments: Any) -> EvaluationOptions:
    """Check arguments of a Python call like the keys of a config.

    Raises
    ------
    ConfigError
        If an argument has a wrong type, or `items` is a path.

    Examples
    --------
    >>> check_arguments(metrics="F1", slices=["weather"]).metrics
    ('F1',)
    """
    try:
        options: EvaluationOptions = parameters_from(EvaluationOptions, arguments, place)
    except ParameterError as error:
        remedy = _REMEDIES.get(re.split(r"\W", error.sentence)[0], error.remedy)
        raise ConfigError(error.message, remedy) from error
    if isinstance(options.items, Path):
        raise ConfigError(
            f"{place}items must be true or false, got {short_repr(str(options.items))}",
            "Only a config can write rows to a file.",
        )
    return options


_REMEDIES = {
    "engine": "Write it as: engine={'name': 'local', 'workers': 4}, or pass an object with the "
    "methods of valor_core.evaluation.Engine.",
    "confidence": "Write it as: confidence=0.95, or confidence={'resamples': 1000}",
    "slices": "Name metadata fields: slices=['weather', ['weather', 'camera']]",
    "weights": "Put weights of items in a metadata field, and name it: weights='weight'",
}

_PYTHON_ONLY = ("resources", "registry")
"""Arguments of Python calls that are not keys of a config."""


def check_no_others(
    call: str,
    others: Mapping[str, Any],
    metrics: Iterable[Any],
    task: str | None,
    registry: Registry,
) -> None:
    """Raise a `ConfigError` for unknown arguments of a Python call.

    The remedy shows where to pass parameters of a metric or of a batch constructor.

    Parameters
    ----------
    call : str
        Name of the function or class.
    others : mapping of str to object
        Unknown arguments.
    metrics : iterable
        Chosen metrics.
    task : str, optional
        Task, if it can be inferred.
    registry : Registry
        Registry of the metrics and the task.
    """
    for name, value in others.items():
        for choice in metrics:
            spec, values = _chosen(choice, task, registry)
            entries = () if spec is None else parameters_of(spec.parameter_class)
            for entry in entries:
                word = value if entry.name == name and isinstance(value, str) else name
                if word in entry.instead:
                    raise ConfigError(
                        f"{call}: unknown argument {name}={short_repr(value)}", entry.instead[word]
                    )
            if spec is not None and name in {one.name for one in entries}:
                table = {"name": spec.short_name, **values, name: value}
                raise ConfigError(
                    f"{call}: {name} is a parameter of {spec.short_name}, not of {call}",
                    f"Write it with the metric: {table}",
                )
        known = [*(entry.name for entry in parameters_of(EvaluationOptions)), *_PYTHON_ONLY]
        remedy = _batch_remedy(name, task, registry) or did_you_mean(name, known)
        raise ConfigError(
            f"{call}: unknown argument {name!r}", remedy or f"Arguments: {', '.join(known)}."
        )


def _chosen(
    choice: Any, task: str | None, registry: Registry
) -> tuple[MetricSpec | None, dict[str, Any]]:
    """Return the metric of a choice, or None, and the parameters of the choice."""
    values = dict(choice) if isinstance(choice, Mapping) else {}
    name = values.pop("name", None) if values else choice
    tasks = [task] if task else [spec.short_name for spec in registry.all(TaskSpec)]
    for one in tasks if isinstance(name, str) else ():
        try:
            resolved = meaning_of(name, registry, one)
        except RegistryError:
            continue
        return resolved.spec, {**resolved.parameters, **values}
    return (name if isinstance(name, MetricSpec) else None), values


def _batch_remedy(name: str, task: str | None, registry: Registry) -> str | None:
    """Return the remedy for an argument of a batch constructor."""
    spec = None if task is None else registry.arrays(task)
    if spec is None or f"{name}=" in spec.summary:
        return None if spec is None else spec.summary
    if name not in signature(spec.load()).parameters:
        return None
    module, _, function = spec.implementation.partition(":")
    return f"Make a batch first: {function}(…, {name}=…), from {module.partition('.')[0]}"


def as_table(name: str, value: object, registry: Registry) -> str | None:
    """Return the remedy for a kind given instead of a resource's table."""
    for spec in registry.all(ResourceSpec) if isinstance(value, str) else ():
        if spec.short_name == name and spec.kinds is not None:
            return f"Write it as: {name}: {{{spec.kinds}: {value}}}"
    return None


def check_sections(
    sections: Any, registry: Registry, place: str = ""
) -> Mapping[str, Mapping[str, Any]]:
    """Check that sections of resources are tables.

    Raises
    ------
    ConfigError
        If a section is not a table.
    """
    if sections is None:
        return {}
    if not isinstance(sections, Mapping):
        raise ConfigError(f"{place}resources must be a table, got {short_repr(sections)}")
    tables: dict[str, Any] = built_in(sections, f"{place}resources")
    for name, section in tables.items():
        if not isinstance(section, Mapping):
            remedy = as_table(name, section, registry)
            raise ConfigError(f"{place}{name} must be a table, got {short_repr(section)}", remedy)
    return tables
