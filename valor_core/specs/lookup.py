"""Meaning: the metric that people mean by a name, and what the name says of its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve

from valor_core.errors import UnknownNameError
from valor_core.specs.names import fold, split_name
from valor_core.specs.query import NameQuery, ResolvedName
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, TaskSpec


def meaning_of(name: str, registry: Registry, task: str | None = None) -> ResolvedName:
    """What a name means.

    It is one of a metric's names; or one that people know it by with some of its parameters,
    ``"mAP50"``; or, where a metric takes names, the value of a parameter. A bare alias also finds
    a metric of another namespace if it is the only one of the task: ``"nv_accuracy"``.

    Parameters
    ----------
    name : str
        With the namespace or without.
    registry : Registry
        Where it is looked up.
    task : str, optional
        Namespace of bare names.

    Raises
    ------
    UnknownNameError, AmbiguousNameError, VersionPinError
        As `Registry.find`; also if people mean several things by the name.
    """
    try:
        spec = registry.metric(name, task)
    except UnknownNameError:
        known = _known(NameQuery(MetricSpec, name, task), registry)
        if len(known) == 1 and known[0].is_clear:
            return evolve(known[0], spec=known[0].spec.for_task(task))
        raise
    if spec.name_parameter is None:
        return ResolvedName(spec)
    short = split_name(name)[1].partition("@")[0]
    is_own = fold(short) in map(fold, (spec.short_name, *spec.aliases))
    return ResolvedName(spec, {} if is_own else {spec.name_parameter: short})


def _known(wanted: NameQuery[MetricSpec], registry: Registry) -> list[ResolvedName]:
    """What people mean by a name, among the metrics that it can be of."""
    namespace = fold(split_name(wanted.name)[0])
    if namespace:
        specs = registry.all(MetricSpec)
        return list(wanted.meanings(spec for spec in specs if fold(spec.namespace) == namespace))
    serving = registry.metrics_of(wanted.home)
    called = [spec for spec in serving if fold(wanted.name) in map(fold, spec.aliases)]
    return [*wanted.meanings(serving), *map(ResolvedName, called)]


def has_all(registry: Registry, task: str, metrics: Iterable[Any]) -> bool:
    """Whether a task has all of some metrics: names, tables with a name, or specs."""
    return all(_has(registry, task, choice) for choice in metrics)


def only_task(metrics: Sequence[Any], registry: Registry) -> str | None:
    """Task that has all of the metrics, if exactly one has; None without metrics."""
    tasks = dict.fromkeys(spec.short_name for spec in registry.all(TaskSpec)) if metrics else {}
    found = [task for task in tasks if has_all(registry, task, metrics)]
    return found[0] if len(found) == 1 else None


def _has(registry: Registry, task: str, choice: Any) -> bool:
    name = choice.get("name") if isinstance(choice, Mapping) else choice
    if isinstance(name, MetricSpec):
        return task in name.tasks
    if not isinstance(name, str):
        return False
    namespace, short = split_name(name)
    if not namespace:  # most names, for most tasks none: no error with its remedy is made
        wanted = NameQuery(MetricSpec, short.partition("@")[0], task)
        spec = registry.at_home(wanted)
        if spec is None:
            known = _known(wanted, registry)
            spec = known[0].spec if len(known) == 1 and known[0].is_clear else None
        return spec is not None and task in spec.tasks
    try:
        return task in meaning_of(name, registry, task).spec.tasks
    except UnknownNameError:
        return False
