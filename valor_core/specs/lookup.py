"""Resolve the names of metrics, including aliases that set parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve

from valor_core.errors import RegistryError, UnknownNameError
from valor_core.specs.names import folded_name, split_name
from valor_core.specs.query import NameQuery, ResolvedName
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, TaskSpec


def meaning_of(name: str, registry: Registry, task: str | None = None) -> ResolvedName:
    """Resolve a name to a metric and parameters.

    A name is a metric's name or alias, a `ParameterAlias` such as ``"mAP50"``, or the value of
    the `name_parameter` of a metric. A bare name also finds a metric of another namespace if it
    is the only match for the task: ``"nv_accuracy"``.

    Parameters
    ----------
    name : str
        Full or bare name.
    registry : Registry
        Registry of the metrics.
    task : str, optional
        Namespace of bare names.

    Raises
    ------
    UnknownNameError, AmbiguousNameError, VersionPinError
        As in `Registry.find`, or if several aliases match.
    """
    try:
        spec = registry.metric(name, task)
    except UnknownNameError:
        matches = _matches(NameQuery(MetricSpec, name, task), registry)
        if len(matches) == 1 and matches[0].is_clear:
            return evolve(matches[0], spec=matches[0].spec.for_task(task))
        raise
    if spec.name_parameter is None:
        return ResolvedName(spec)
    short = split_name(name)[1].partition("@")[0]
    is_its_name = folded_name(short) in map(folded_name, (spec.short_name, *spec.aliases))
    return ResolvedName(spec, {} if is_its_name else {spec.name_parameter: short})


def _matches(query: NameQuery[MetricSpec], registry: Registry) -> list[ResolvedName]:
    """Return the metrics with a matching alias in the namespace or task of the name."""
    namespace = folded_name(split_name(query.name)[0])
    if namespace:
        specs = registry.all(MetricSpec)
        return list(
            query.meanings(spec for spec in specs if folded_name(spec.namespace) == namespace)
        )
    found = list(query.meanings(registry.metrics_of(query.home)))
    homes = registry.homes(query)
    return [one for one in found if one.spec.namespace in homes] or found


def has_all(registry: Registry, task: str, metrics: Iterable[Any]) -> bool:
    """Return whether a task supports all metrics: names, tables with a name, or specs."""
    return all(_has(registry, task, choice) for choice in metrics)


def named_task(metrics: Iterable[Any], registry: Registry) -> str | None:
    """Return the task that all metrics with a full name support if it is the only one.

    Examples
    --------
    >>> named_task(["F1"], Registry()) is None
    True
    """
    common: set[str] | None = None
    for choice in metrics:
        spec = choice.get("name") if isinstance(choice, Mapping) else choice
        try:
            if isinstance(spec, str) and split_name(spec)[0]:
                spec = meaning_of(spec, registry).spec
        except RegistryError:  # raised again with the position of the metric
            continue
        if isinstance(spec, MetricSpec):
            tasks = {spec.task, *spec.other_tasks}
            common = tasks if common is None else common & tasks
    return common.pop() if common is not None and len(common) == 1 else None


def check_metric_names(metrics: Iterable[Any], tasks: Sequence[str], registry: Registry) -> None:
    """Raise the error of the first metric that none of several tasks has.

    Parameters
    ----------
    metrics : iterable
        Requested metrics.
    tasks : sequence of str
        Possible tasks. The error is of the first that has a similar name.
    registry : Registry
        Registry of the metrics.
    """
    for choice in metrics:
        name = choice.get("name") if isinstance(choice, Mapping) else choice
        if not isinstance(name, str) or any(has_all(registry, task, [name]) for task in tasks):
            continue
        errors = []
        for task in tasks:
            try:
                meaning_of(name, registry, task)
            except UnknownNameError as error:
                errors.append(error)
        if errors:
            raise min(errors, key=lambda error: "Did you mean" not in (error.remedy or ""))


def only_task(metrics: Sequence[Any], registry: Registry) -> str | None:
    """Return the task that supports all metrics if exactly one does; None without metrics."""
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
    if not namespace:  # Most names miss most tasks, and errors with remedies are slow.
        query = NameQuery(MetricSpec, short.partition("@")[0], task)
        spec = registry.at_home(query)
        if spec is None and len(found := registry.elsewhere(query)) == 1:
            spec = found[0]
        if spec is None:
            matches = _matches(query, registry)
            spec = matches[0].spec if len(matches) == 1 and matches[0].is_clear else None
        return spec is not None and task in spec.tasks
    try:
        return task in meaning_of(name, registry, task).spec.tasks
    except UnknownNameError:
        return False
