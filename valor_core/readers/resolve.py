"""Given data: what they are told to be, and the reader that they stand for.

Whoever names a reader is taken at their word. Tables in memory are told by their columns, and two
sides, ground truths and predictions, by the readers that make a batch of two sides in memory.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from attrs import frozen

from valor_core.errors import (
    ConfigError,
    MissingPluginError,
    ParameterError,
    SchemaError,
    error_at,
    shown,
)
from valor_core.packages import OWNERS, SHARED_READERS, ways
from valor_core.parameters.declaration import build, relocate
from valor_core.readers.partition import Partition
from valor_core.readers.reader import InMemory, Reader
from valor_core.schemas import Batch
from valor_core.specs.extensions import FRAMES, extension
from valor_core.specs.meaning import has_all, only_task
from valor_core.specs.registry import Registry
from valor_core.specs.spec import ReaderSpec, TaskSpec

_SEE_READERS = "See them with: valor list --readers"


@frozen(eq=False, repr=False)
class ResolvedData:
    """Data, and the task that they are of where that can be told.

    Parameters
    ----------
    data : object
        What `reader_of` takes.
    task : str, optional
        Their task.
    """

    data: Any
    task: str | None


def resolve_data(
    data: Any,
    predictions: Any,
    registry: Registry,
    task: str | None = None,
    metrics: Sequence[Any] = (),
) -> ResolvedData:
    """What some data are.

    Parameters
    ----------
    data : object
        Data of both sides, or the ground truths.
    predictions : object
        The other side, None where `data` has both.
    registry : Registry
        What is installed.
    task : str, optional
        Their task, where somebody says so.
    metrics : sequence
        What is to be computed, which can tell the task.

    Raises
    ------
    ConfigError
        If no reader knows the columns of a table, or several tasks may be meant.
    SchemaError
        If nothing is known of which these are two sides.
    """
    own = _told_task(data)
    names_reader = isinstance(data, Mapping) and "reader" in data
    if predictions is None and (own or names_reader or isinstance(data, Reader)):
        return ResolvedData(data, task or own)
    sides = [data] if predictions is None else [data, predictions]
    if any(map(_may_be_table, sides)):
        recognize = _recognizer(sides)
        found = recognize(sides, registry, task, metrics) if recognize else None
        if found is not None:
            return ResolvedData(*found)
    if predictions is None:
        return ResolvedData(data, task)
    from valor_core.readers.resolve import of_two_sides

    return ResolvedData(*of_two_sides(data, predictions, registry, task, metrics))


def _may_be_table(side: Any) -> bool:
    """Whether a side may be a path or a table in memory; batches and arrays are neither."""
    if isinstance(side, (str, os.PathLike, Mapping, Partition)):
        return True
    if isinstance(side, (list, tuple)):
        return len(side) > 0 and isinstance(side[0], Mapping)
    return any(hasattr(side, name) for name in ("columns", "column_names", "get_columns"))


def _recognizer(sides: Sequence[Any]) -> Any:
    """The function that finds a reader for tables, or None if arrays are all there is to read.

    Raises
    ------
    MissingPluginError
        If a path or a data frame needs it and it is not installed.
    """
    found = extension(FRAMES, "tables")
    if found is not None:
        return found.load()
    if len(sides) == 1 or not all(isinstance(side, (list, tuple)) for side in sides):
        owner = OWNERS[SHARED_READERS]
        raise MissingPluginError(
            f"data: reading {shown(sides[0])} needs {owner}, which is not installed",
            f"Install it with: {ways(owner)}",
        )
    return None


def _told_task(data: Any) -> str | None:
    """The task that a batch or an item says it is of."""
    if isinstance(data, (list, tuple)) and data:
        data = data[0]
    task = getattr(type(data), "task", None)
    return task if isinstance(task, str) else None


def reader_of(
    data: Any, task: str, registry: Registry, folder: Path | None = None, place: str = ""
) -> Reader:
    """The reader that some data stand for.

    Parameters
    ----------
    data : object
        As in `evaluate`.
    task : str
        Task of the batches.
    registry : Registry
        Where a reader's name is looked up.
    folder : Path, optional
        What relative paths of a mapping are relative to.
    place : str
        Where the mapping stands, for errors.

    Raises
    ------
    SchemaError
        If the data are neither items nor batches, with what makes a batch of them.
    ConfigError, ParameterError, RegistryError
        If a mapping names no reader of the task, or parameters that it refuses.
    """
    if isinstance(data, Batch):
        return InMemory((data,))
    if isinstance(data, Reader):
        return data
    if not isinstance(data, Mapping):
        return InMemory.of(data, registry.batch_maker(task), registry.arrays_remedy(task))
    values = dict(data)
    if "reader" not in values:
        raise ConfigError(
            f"{place}data.reader: expected the name of a reader, the key is missing", _SEE_READERS
        )
    name = values.pop("reader")
    if not isinstance(name, str):
        raise ConfigError(
            f"{place}data.reader: expected the name of a reader, got {shown(name)}", _SEE_READERS
        )
    with error_at(f"{place}data.reader: "):
        spec = registry.find(ReaderSpec, name, task)
        code = spec.load()
    declared_task = registry.find(TaskSpec, task)
    if not spec.serves(declared_task):
        raise ConfigError(
            f"{place}data.reader: expected a reader for {task}, got {spec.name!r}",
            _name_one(task, registry),
        )
    parameters: Any = build(spec.parameter_class, values, f"{place}data.")
    if folder is not None:
        parameters = relocate(parameters, lambda path: folder / path)
    try:
        reader: Reader = code(parameters, task if spec.task else declared_task)
    except ParameterError as error:
        raise error.at(f"{place}data.") from None
    return _read_now(reader) if _has_tables(parameters) else reader


def _name_one(task: str, registry: Registry) -> str:
    """The remedy for a reader of something else: the task's own."""
    own = [spec for spec in registry.all(ReaderSpec) if spec.task == task]
    names = [one.short_name if one.namespace == task else one.name for one in own]
    return f"Name one of: {', '.join(names)}." if names else _SEE_READERS


def _has_tables(parameters: Any) -> bool:
    """Whether a table in memory is among what a reader reads."""
    values = attrs.asdict(parameters, recurse=False).values()
    listed = (value if isinstance(value, tuple) else (value,) for value in values)
    return any(isinstance(one, Partition) for own in listed for one in own)


def _read_now(reader: Reader) -> InMemory:
    """The batches of tables in memory, which no worker can read elsewhere."""
    batches = (batch for part in reader.partitions() for batch in reader.read(part))
    return InMemory.of([*map(_unnamed, batches)], Batch.of)


def _unnamed(batch: Batch) -> Batch:
    """A batch whose items are called by their rows as one of items without names."""
    uids = batch.datums.uids
    by_row = uids.dtype.kind == "i" and np.array_equal(uids, np.arange(len(uids)))
    return batch.renumber(0) if by_row else batch


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
        batch = spec.load(spec.pairs)(groundtruths, predictions)
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
