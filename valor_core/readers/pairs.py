"""Ground truths and predictions in memory for which no reader is named."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from valor_core.errors import ConfigError, SchemaError
from valor_core.schemas import Batch
from valor_core.specs.meaning import has_all, only_task
from valor_core.specs.registry import Registry, implementation
from valor_core.specs.spec import ReaderSpec, TaskSpec


def of_two_sides(
    groundtruths: Any,
    predictions: Any,
    registry: Registry,
    task: str | None,
    metrics: Sequence[Any],
) -> tuple[Any, str]:
    """What `reader_of` takes for two sides, and their task.

    Raises
    ------
    SchemaError
        If nothing is known of which these are two sides.
    ConfigError
        If several tasks may be meant.
    """
    made = _made(groundtruths, predictions, registry, task, metrics)
    if not made and task is None:  # metrics that no task has, or that are misspelled, tell nothing
        made = _made(groundtruths, predictions, registry, task, ())
    check_one_task(made)
    for told_task, batch in made.items():
        return batch, told_task
    raise SchemaError(
        f"data: expected two sides of {task or 'one task'}, got {_form(groundtruths)} and "
        f"{_form(predictions)}",
        _what_to_do(groundtruths, predictions, registry, task or only_task(metrics, registry)),
    )


def _what_to_do(
    groundtruths: Any, predictions: Any, registry: Registry, task: str | None
) -> str | None:
    """The remedy for two sides that no task has."""
    try:
        swapped = bool(_made(predictions, groundtruths, registry, task, ()))
    except SchemaError:  # taken for two sides, though something else is wrong
        swapped = True
    if swapped:
        return "Put the ground truths first: evaluate(y_true, y_score, metrics)"
    if task is not None:
        return registry.arrays_remedy(task)
    return "Say what they are: evaluate(y_true, y_score, metrics, task='classification')"


def _pairing(
    registry: Registry, task: str | None, made: Mapping[str, Batch]
) -> Iterator[ReaderSpec | TaskSpec]:
    """Specs that may declare `pairs`, first those of the plugin with the task's name and of core.

    The manifests of other plugins are imported only if these make no batch.
    """
    if task is not None and task in registry.namespaces:
        for namespace in (task, "core"):
            manifest = registry.manifest(namespace)
            yield from manifest.of(ReaderSpec)
            yield from manifest.of(TaskSpec)
    if not made:
        yield from registry.all(ReaderSpec)
        yield from registry.all(TaskSpec)


def _made(
    groundtruths: Any,
    predictions: Any,
    registry: Registry,
    task: str | None,
    metrics: Sequence[Any],
) -> dict[str, Batch]:
    """The batches that readers of tasks which have the metrics make of two sides, by task."""

    def serves(one: str | None) -> bool:
        return one is None or (task in (None, one) and has_all(registry, one, metrics))

    made: dict[str, Batch] = {}
    for spec in _pairing(registry, task, made):
        served = spec.short_name if isinstance(spec, TaskSpec) else spec.task
        if spec.pairs is None or not serves(served):
            continue
        batch = implementation(spec, spec.pairs)(groundtruths, predictions)
        if batch is not None and serves(batch.task):
            made.setdefault(batch.task, batch)
    return made


def check_one_task(tasks: Collection[str]) -> None:
    """Raise a `ConfigError` if data may be of several tasks."""
    if len(tasks) > 1:
        listed = sorted(tasks)
        raise ConfigError(
            f"data: may be of the task {' or '.join(listed)}",
            f"Say which: task={listed[0]!r}",
        )


def _form(side: Any) -> str:
    """A side in few words: its class, and shape or length."""
    shape = getattr(side, "shape", None)
    if isinstance(shape, tuple):
        return f"{type(side).__name__} of shape {shape}"
    if not isinstance(side, (list, tuple, dict)):
        return type(side).__name__
    kinds = ", ".join(sorted({type(cell).__name__ for cell in side})[:3])
    return f"{type(side).__name__} of {len(side):,}" + (f" ({kinds})" if kinds else "")
