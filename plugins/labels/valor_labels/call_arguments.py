"""Evaluation with arguments that are passed on to the metrics that declare them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from valor_core import Registry, Report, evaluate
from valor_core.evaluation import MetricChoice
from valor_core.evaluation.evaluate import EvaluateOptions
from valor_core.parameters import parameters_of
from valor_core.specs import MetricSpec
from valor_core.specs.names import folded_name


def documented_call(
    data: Any,
    metrics: Sequence[MetricChoice] | MetricChoice,
    task: str,
    arguments: Mapping[str, Any],
    **options: Unpack[EvaluateOptions],
) -> Report:
    """Evaluate data with metrics that share arguments.

    Parameters
    ----------
    data, metrics, task, **options
        As in `evaluate`.
    arguments : mapping of str to object
        Values of parameters, by name or alias. Each is passed to every metric of the task that
        declares the parameter, unless the metric's own table sets it.

    Examples
    --------
    >>> from valor_core import metric
    >>> from valor_core.schemas.text import Text
    >>> @metric("mylab.Long", task="text", higher_is_better=None)
    ... def is_long(item, *, least: int = 5) -> float:
    ...     return len(item.response) >= least
    >>> documented_call([Text("a", response="no")], is_long, "text", {"least": 2})["Long"].value
    1.0
    """
    registry = options.get("registry") or Registry()
    choices = [metrics] if isinstance(metrics, (str, Mapping, MetricSpec)) else metrics
    passed = [_with_arguments(choice, arguments, task, registry) for choice in choices]
    return evaluate(data, passed, task=task, **options)


def _with_arguments(
    choice: MetricChoice, arguments: Mapping[str, Any], task: str, registry: Registry
) -> MetricChoice:
    values: dict[str, Any] = dict(choice) if isinstance(choice, Mapping) else {"name": choice}
    spec = _spec(values.get("name"), task, registry)
    if spec is None:
        return choice
    for parameter in parameters_of(spec.parameter_class):
        names = {parameter.name, *parameter.aliases}
        if not names & values.keys():
            values.update((name, value) for name, value in arguments.items() if name in names)
    return values


def _spec(name: Any, task: str, registry: Registry) -> MetricSpec | None:
    """Return the metric of the task with a name, or None for other names."""
    if isinstance(name, MetricSpec):
        return name
    if not isinstance(name, str):
        return None
    wanted = folded_name(name.partition("@")[0].removeprefix(f"{task}."))
    specs = registry.manifest(task).of(MetricSpec)
    return next(
        (spec for spec in specs if wanted in map(folded_name, (spec.short_name, *spec.aliases))),
        None,
    )
