"""Tasks of metrics that a host has data for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from valor_core.errors import ConfigError
from valor_core.specs import MetricSpec, Registry
from valor_core.specs.lookup import meaning_of


def check_tasks(metrics: Any, tasks: Sequence[str], host: str) -> None:
    """Raise a `ConfigError` for a metric of a task whose data a host does not have.

    Parameters
    ----------
    metrics : metric, or sequence of metrics
        Names, tables or specs. Bare names are checked for a single task only.
    tasks : sequence of str
        Tasks of the host's data.
    host : str
        Name of the adapter, for the message.

    Raises
    ------
    ConfigError
        If a metric is of another task.
    RegistryError
        If a metric is unknown.

    Examples
    --------
    >>> check_tasks("F1", ["classification"], "scorer")
    >>> check_tasks("detection.AP", ["classification"], "scorer")
    Traceback (most recent call last):
        ...
    valor_core.errors.ConfigError: scorer: expected a metric of classification, detection.AP is one
    of detection
    Call evaluate(data, ['detection.AP']) for it. Others: valor list --task classification
    """
    registry = Registry()
    for choice in metrics if isinstance(metrics, (list, tuple)) else [metrics]:
        name = choice.get("name") if isinstance(choice, Mapping) else choice
        if isinstance(name, str) and ("." in name or len(tasks) == 1):
            name = meaning_of(name, registry, None if "." in name else tasks[0]).spec
        if isinstance(name, MetricSpec) and set(tasks).isdisjoint(name.tasks):
            listed = f"valor list --task {tasks[0]}"
            raise ConfigError(
                f"{host}: expected a metric of {' or '.join(tasks)}, {name.name} is one of "
                f"{name.task}",
                f"Call evaluate(data, [{name.name!r}]) for it. Others: {listed}",
            )
