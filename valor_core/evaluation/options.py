"""Options: what one evaluation can be asked, in a Python call as in a config."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from valor_core.errors import ConfigError, ParameterError, shown
from valor_core.parameters.declaration import fitted, parameter, parameters
from valor_core.plugins.registry import Registry
from valor_core.plugins.spec import ResourceSpec


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


def check_arguments(place: str = "", **arguments: Any) -> dict[str, Any]:
    """Arguments of a Python call, checked as the keys of a config that they are named like.

    Raises
    ------
    ConfigError
        If one has a wrong type.

    Examples
    --------
    >>> check_arguments(metrics="F1", slices=["weather"])
    {'metrics': ('F1',), 'slices': ('weather',)}
    """
    try:
        return fitted(EvaluationOptions, arguments, place)
    except ParameterError as error:
        raise ConfigError(error.message, error.remedy) from error


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
