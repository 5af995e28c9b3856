"""Unnamed data: tables and two sides in memory for which nobody has named a reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from valor_core.errors import ConfigError, SchemaError
from valor_core.plugins.meaning import has_all
from valor_core.plugins.registry import Registry, implementation
from valor_core.plugins.spec import ReaderSpec, TaskSpec
from valor_core.readers.known import known_by, takes_tables, unknown_columns
from valor_core.readers.tables import TableInMemory
from valor_core.schemas import Batch


def of_table(
    data: Any, registry: Registry, task: str | None, metrics: Sequence[Any]
) -> tuple[Any, str] | None:
    """What `reader_of` takes for a table in memory, and its task; None for what is no table.

    Raises
    ------
    ConfigError
        If no reader knows its columns, or several tasks may be meant.
    """
    table = TableInMemory.of(data)
    if table is None:
        return None
    told = _tables([table], registry, task, metrics)
    if told is None:
        raise _unknown(table, registry, task)
    return told


def _tables(
    tables: Sequence[TableInMemory], registry: Registry, task: str | None, metrics: Sequence[Any]
) -> tuple[Any, str] | None:
    known = known_by(tables, registry, task=task, metrics=metrics)
    if not known:
        return None
    _check_one_task({one.task for one in known})
    return known[0].section, known[0].task


def _unknown(table: TableInMemory, registry: Registry, task: str | None) -> ConfigError:
    """What to raise of a table whose columns no reader knows."""
    return unknown_columns("data", table.table, _reader_to_name(registry, task))


def _reader_to_name(registry: Registry, task: str | None) -> str:
    """The remedy for a table that tells nothing: the readers of tables, or what else there is."""
    own = None if task is None else registry.find(TaskSpec, task)
    readers = [
        spec
        for spec in registry.all(ReaderSpec)
        if takes_tables(spec)
        and (task in (None, spec.task) or (spec.task is None and own is not None and own.rows))
    ]
    if not readers:
        return (own and own.arrays) or "See the readers with: valor list --readers"
    readers.sort(key=lambda spec: spec.task is None)  # the task's own first
    names = [spec.short_name if task else spec.name for spec in readers]
    listed = f"Readers of tables are: {', '.join(names)}"
    if any(spec.short_name == "predicted" for spec in readers):
        return (
            "Name a reader and its columns: {'reader': 'predicted', 'path': data, 'label': COLUMN, "
            f"'prediction': COLUMN}}\n{listed}"
        )
    return (
        f"Name a reader and its parameters: {{'reader': '{names[0]}', …}}. {listed}\n"
        f"See its parameters with: valor show {readers[0].name}"
    )


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
    tables = [
        TableInMemory.of(side, f"data.{name}")
        for name, side in (("groundtruths", groundtruths), ("predictions", predictions))
    ]
    both = [table for table in tables if table is not None]
    if len(both) == 2 and (told := _tables(both, registry, task, metrics)) is not None:
        return told
    made = _made(groundtruths, predictions, registry, task, metrics)
    if not made and task is None:  # metrics that no task has, or that are misspelled, tell nothing
        made = _made(groundtruths, predictions, registry, task, ())
    _check_one_task(made)
    for told_task, batch in made.items():
        return batch, told_task
    raise SchemaError(
        f"data: expected two sides of {task or 'one task'}, got {_form(groundtruths)} and "
        f"{_form(predictions)}",
        _what_to_do(groundtruths, predictions, registry, task or _task_of(metrics, registry)),
    )


def _task_of(metrics: Sequence[Any], registry: Registry) -> str | None:
    """The one task that has all of some metrics."""
    names = [spec.short_name for spec in registry.all(TaskSpec)] if metrics else []
    tasks = [name for name in names if has_all(registry, name, metrics)]
    return tasks[0] if len(tasks) == 1 else None


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
        return registry.find(TaskSpec, task).arrays
    return "Say what they are: evaluate(y_true, y_score, metrics, task='classification')"


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
    for spec in registry.all(ReaderSpec):
        if spec.pairs is None or not serves(spec.task):
            continue
        batch = implementation(spec, spec.pairs)(groundtruths, predictions)
        if batch is not None and serves(batch.task):
            made.setdefault(batch.task, batch)
    return made


def _check_one_task(tasks: Any) -> None:
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
    length = f" of {len(side):,}" if isinstance(side, (list, tuple, dict)) else ""
    return f"{type(side).__name__}{length}"
