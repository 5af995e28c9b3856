"""Unnamed data: tables and two sides in memory for which nobody has named a reader."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from valor_core.errors import ConfigError, SchemaError, did_you_mean_file, shown
from valor_core.plugins.meaning import has_all
from valor_core.plugins.registry import Registry, implementation
from valor_core.plugins.spec import ReaderSpec, TaskSpec
from valor_core.readers.known import known_by, takes_tables, unknown_columns
from valor_core.readers.recognized import first_rows
from valor_core.readers.tables import TableInMemory, TableSource
from valor_core.schemas import Batch


def of_table(
    data: Any, registry: Registry, task: str | None, metrics: Sequence[Any]
) -> tuple[Any, str] | None:
    """What `reader_of` takes for a table or a file, and its task; None for other data.

    Raises
    ------
    ConfigError
        If no reader recognizes it, or several tasks may be meant.
    """
    table = _source(data, "data")
    if table is None:
        return None
    told = _recognized([table], registry, task, metrics)
    if told is None:
        raise _unknown([table], registry, task)
    return told


_IN_LISTS = "A string is the name of a file. Pass texts and labels in lists."
_CONFIGS = (".yaml", ".yml", ".toml")


def _source(data: Any, place: str) -> TableSource | None:
    """A table in memory or the path of a file, which is there; None for other data."""
    if not isinstance(data, (str, os.PathLike)):
        return TableInMemory.of(data, place)
    path = Path(data)
    try:
        is_there = path.exists()
    except (OSError, ValueError):  # no path at all
        is_there = False
    if not is_there:
        raise ConfigError(
            f"{place}: no such file: {str(path)!r}", did_you_mean_file(path) or _IN_LISTS
        )
    return path


def _recognized(
    sources: Sequence[TableSource], registry: Registry, task: str | None, metrics: Sequence[Any]
) -> tuple[Any, str] | None:
    known = known_by(sources, registry, task=task, metrics=metrics)
    if not known:
        return None
    _check_one_task({one.task for one in known})
    return known[0].section, known[0].task


def _unknown(sources: Sequence[TableSource], registry: Registry, task: str | None) -> ConfigError:
    """The error of tables or files that no reader recognizes."""
    tables = [table for source in sources if (table := first_rows(source)) is not None]
    remedy = _reader_to_name(registry, task)
    if len(tables) < len(sources):
        names = " and ".join(map(str, sources))
        if any(isinstance(one, Path) and one.suffix.casefold() in _CONFIGS for one in sources):
            remedy = f"Run a config on the command line: valor run {names}"
        return ConfigError(f"data: no reader recognizes {names}", remedy)
    if len(tables) == 1:
        return unknown_columns("data", tables[0], remedy)
    names = " and ".join(shown(list(table.names)) for table in tables)
    return ConfigError(f"data: no reader knows two tables of these columns: {names}", remedy)


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
        _source(side, f"data.{name}")
        for name, side in (("groundtruths", groundtruths), ("predictions", predictions))
    ]
    both = [table for table in tables if table is not None]
    if len(both) == 2 and (told := _recognized(both, registry, task, metrics)) is not None:
        return told
    if len(both) == 2 and any(isinstance(table, Path) for table in both):
        raise _unknown(both, registry, task)
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


def _readers(
    registry: Registry, task: str | None, made: Mapping[str, Batch]
) -> Iterator[ReaderSpec]:
    """All readers; those of the plugin called like the task, and core's, before others.

    The manifests of other plugins are imported only where these make nothing.
    """
    if task is not None and task in registry.namespaces:
        for namespace in (task, "core"):
            yield from registry.manifest(namespace).of(ReaderSpec)
    if not made:
        yield from registry.all(ReaderSpec)


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
    for spec in _readers(registry, task, made):
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
    if not isinstance(side, (list, tuple, dict)):
        return type(side).__name__
    kinds = ", ".join(sorted({type(cell).__name__ for cell in side})[:3])
    return f"{type(side).__name__} of {len(side):,}" + (f" ({kinds})" if kinds else "")
