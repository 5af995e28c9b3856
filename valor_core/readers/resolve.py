"""Convert the `data` argument to a task and a reader.

A reader in the data is used as specified. For tables in memory, the columns determine the reader;
for two sides (ground truths and predictions), the readers that accept a pair of sides.
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
    RegistryError,
    SchemaError,
    did_you_mean,
    error_at,
    short_repr,
)
from valor_core.packages import OWNERS, SHARED_READERS, ways
from valor_core.parameters.declaration import parameters_from, relocate
from valor_core.parameters.kinds import built_in
from valor_core.readers.partition import Partition
from valor_core.readers.reader import InMemory, Reader
from valor_core.schemas import Batch
from valor_core.specs.extensions import FRAMES, extension
from valor_core.specs.lookup import check_metric_names, has_all, named_task, only_task
from valor_core.specs.registry import Registry
from valor_core.specs.spec import ReaderSpec, TaskSpec

_SEE_READERS = "See them with: valor list --readers"


@frozen(eq=False, repr=False)
class ResolvedData:
    """Data and its task, if it can be determined.

    Parameters
    ----------
    data : object
        Argument for `reader_of`.
    task : str, optional
        Task of the data.
    """

    data: Any
    task: str | None


def resolve_data(
    data: Any,
    predictions: Any,
    registry: Registry,
    task: str | None = None,
    metrics: Sequence[Any] = (),
    *,
    infer_reader: bool = True,
) -> ResolvedData:
    """Determine the task and the reader of data.

    Parameters
    ----------
    data : object
        Data of both sides, or the ground truths.
    predictions : object
        Predictions; None if `data` has both sides.
    registry : Registry
        Registry used to search readers.
    task : str, optional
        Task of the data, if specified by the user.
    metrics : sequence
        Requested metrics, which can determine the task.
    infer_reader : bool, default True
        Whether to infer the reader of a mapping whose reader is only a format, such as ``csv``.
        Its paths must be relative to the working directory.

    Raises
    ------
    ConfigError
        If no reader accepts the columns of a table, or several tasks are possible.
    SchemaError
        If no reader accepts the two sides.
    """
    names_reader = isinstance(data, Mapping) and "reader" in data
    data = built_in(data, "data") if names_reader and type(data) is not dict else data
    data_task = _declared_task(data)
    if predictions is None and data_task:
        return ResolvedData(data, task or data_task)
    task = task or named_task(metrics, registry)
    sides = [data] if predictions is None else [data, predictions]
    if predictions is None and (names_reader or isinstance(data, Reader)):
        of_reader = task or _task_of_reader(data, registry, metrics)
        sides = _files_of_format(data, registry, of_reader) if infer_reader else []
        if not sides:
            return ResolvedData(data, of_reader)
    elif predictions is None and _are_paths(data):
        sides = list(data)
    if any(map(_may_be_table, sides)):
        recognize = _recognizer(sides)
        found = recognize(sides, registry, task, metrics) if recognize else None
        if found is not None:
            return ResolvedData(*found)
    if predictions is None:
        return ResolvedData(data, task)
    return ResolvedData(*of_two_sides(data, predictions, registry, task, metrics))


def _are_paths(data: Any) -> bool:
    """Return whether data is a list of names, one of them of an existing file or folder."""
    return (
        isinstance(data, (list, tuple))
        and all(isinstance(one, (str, os.PathLike)) for one in data)
        and any(map(os.path.exists, data))
    )


def _files_of_format(data: Any, registry: Registry, task: str | None) -> list[Any]:
    """Return the files of a section whose reader names only their format, such as ``csv``.

    It is empty if the section has other parameters, or the reader serves the task.
    """
    if not isinstance(data, Mapping) or not {*data} <= {"reader", "path", "predictions"}:
        return []
    try:
        spec = registry.find(ReaderSpec, data["reader"])
    except (RegistryError, TypeError, AttributeError):  # raised again by `reader_of`
        return []
    if spec.task or (task is not None and spec.serves(registry.find(TaskSpec, task))):
        return []
    listed = data.get("path")
    paths = [*listed] if isinstance(listed, (list, tuple)) else [listed]
    paths += [data["predictions"]] if "predictions" in data else []
    return paths if all(isinstance(one, (str, os.PathLike)) for one in paths) else []


_OF_TABLES = ("columns", "column_names", "get_columns", "schema")


def _may_be_table(side: Any) -> bool:
    """Return whether a side may be a path or a table in memory; batches and arrays are not."""
    if isinstance(side, (str, os.PathLike, Mapping, Partition)):
        return True
    if isinstance(side, (list, tuple)):
        return len(side) > 0 and isinstance(side[0], Mapping)
    # of the class: such properties of a lazy frame may compute
    return any(hasattr(type(side), name) for name in _OF_TABLES)


def _recognizer(sides: Sequence[Any]) -> Any:
    """Return the function that finds readers of tables, or None if the data consists of lists.

    Raises
    ------
    MissingPluginError
        If a path or a data frame needs the function and it is not installed.
    """
    found = extension(FRAMES, "tables")
    if found is not None:
        return found.load()
    if len(sides) == 1 or not all(isinstance(side, (list, tuple)) for side in sides):
        owner = OWNERS[SHARED_READERS]
        raise MissingPluginError(
            f"data: reading {short_repr(sides[0])} needs {owner}, which is not installed",
            f"Install it with: {ways(owner)}",
        )
    return None


def _task_of_reader(data: Any, registry: Registry, metrics: Sequence[Any]) -> str | None:
    """Return the task of the reader in the data, or the only task that has the metrics."""
    name = data.get("reader") if isinstance(data, Mapping) else None
    try:
        task = registry.find(ReaderSpec, name).task if isinstance(name, str) else None
    except RegistryError:  # a bare name of several readers, or raised again by `reader_of`
        task = None
    return task or only_task(metrics, registry)


def _declared_task(data: Any) -> str | None:
    """Return the task of a batch or of items, or None."""
    if isinstance(data, (list, tuple)) and data:
        data = data[0]
    task = getattr(type(data), "task", None)
    return task if isinstance(task, str) else None


def reader_of(
    data: Any, task: str, registry: Registry, folder: Path | None = None, place: str = ""
) -> Reader:
    """Return the reader of data.

    Parameters
    ----------
    data : object
        As in `evaluate`.
    task : str
        Task of the batches.
    registry : Registry
        Registry used to resolve the reader's name.
    folder : Path, optional
        Base folder of relative paths in a mapping. Defaults to the working directory.
    place : str
        Location of the mapping, for errors.

    Raises
    ------
    SchemaError
        If the data is neither items nor batches; the remedy says how to make a batch.
    ConfigError, ParameterError, RegistryError
        If a mapping has an unsupported reader or invalid parameters.
    """
    if isinstance(data, Batch):
        return InMemory((data,))
    if isinstance(data, Reader):
        return data
    if not isinstance(data, Mapping):
        return InMemory.of(data, registry.batch_maker(task), registry.arrays_remedy(task))
    values = dict(data)
    if "reader" not in values:
        similar = next((key for key in values if did_you_mean("reader", [str(key)])), None)
        raise ConfigError(
            f"{place}data.reader: expected the name of a reader, the key is missing",
            f"Rename {similar} to reader." if similar else _SEE_READERS,
        )
    name = values.pop("reader")
    if not isinstance(name, str):
        raise ConfigError(
            f"{place}data.reader: expected the name of a reader, got {short_repr(name)}",
            _SEE_READERS,
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
    parameters: Any = parameters_from(spec.parameter_class, values, f"{place}data.")
    if folder is not None:
        parameters = relocate(parameters, lambda path: folder / path)
    try:
        reader: Reader = code(parameters, task if spec.task else declared_task)
    except ParameterError as error:
        raise error.at(f"{place}data.") from None
    return _read_now(reader) if _has_tables(parameters) else reader


def _name_one(task: str, registry: Registry) -> str:
    """Return the remedy for a reader of another task: the readers of this task."""
    specs = [spec for spec in registry.all(ReaderSpec) if spec.task == task]
    names = [one.short_name if one.namespace == task else one.name for one in specs]
    return f"Choose one of: {', '.join(names)}." if names else _SEE_READERS


def _has_tables(parameters: Any) -> bool:
    """Return whether the parameters of a reader contain a table in memory."""
    values = attrs.asdict(parameters, recurse=False).values()
    listed = (value if isinstance(value, tuple) else (value,) for value in values)
    return any(isinstance(one, Partition) for parts in listed for one in parts)


def _read_now(reader: Reader) -> InMemory:
    """Read tables in memory now, since workers cannot access them."""
    batches = (batch for part in reader.partitions() for batch in reader.read(part))
    return InMemory.of([*map(_unnamed, batches)], Batch.of)


def _unnamed(batch: Batch) -> Batch:
    """Treat row numbers as missing uids."""
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
    """Return the batch and the task of two sides.

    Raises
    ------
    SchemaError
        If no reader accepts the two sides.
    ConfigError
        If several tasks are possible.
    """
    batches = _batches(groundtruths, predictions, registry, task, metrics)
    if not batches and task is None:  # the names of the metrics may be misspelled
        batches = _batches(groundtruths, predictions, registry, task, ())
        if len(batches) > 1:
            check_metric_names(metrics, sorted(batches), registry)
    check_one_task(batches)
    for batch_task, batch in batches.items():
        return batch, batch_task
    raise SchemaError(
        f"data: expected two sides of {task or 'one task'}, got {_form(groundtruths)} and "
        f"{_form(predictions)}",
        _pair_remedy(groundtruths, predictions, registry, task or only_task(metrics, registry)),
    )


def _pair_remedy(
    groundtruths: Any, predictions: Any, registry: Registry, task: str | None
) -> str | None:
    """Return the remedy for two sides that no task accepts."""
    try:
        swapped = bool(_batches(predictions, groundtruths, registry, task, ()))
    except SchemaError:  # accepted as two sides with another problem
        swapped = True
    if swapped:
        return "Put the ground truths first: evaluate(y_true, y_score, metrics)"
    if task is not None:
        return registry.arrays_remedy(task) or _items_remedy(task, registry)
    return "Specify the task: evaluate(y_true, y_score, metrics, task='classification')"


def _items_remedy(task: str, registry: Registry) -> str:
    """Return the remedy for data of a task without a constructor of batches from arrays."""
    item = registry.find(TaskSpec, task).item
    return f"Pass a list of items: evaluate([{item.rpartition(':')[2]}(…), …], metrics)"


def _pair_specs(
    registry: Registry, task: str | None, batches: Mapping[str, Batch]
) -> Iterator[ReaderSpec | TaskSpec]:
    """Yield specs that may declare `pairs`, beginning with the task's own plugin and core.

    Manifests of other plugins are imported only if these accept no pair.
    """
    if task is not None and task in registry.namespaces:
        for namespace in (task, "core"):
            manifest = registry.manifest(namespace)
            yield from manifest.of(ReaderSpec)
            yield from manifest.of(TaskSpec)
    if not batches:
        yield from registry.all(ReaderSpec)
        yield from registry.all(TaskSpec)


def _batches(
    groundtruths: Any,
    predictions: Any,
    registry: Registry,
    task: str | None,
    metrics: Sequence[Any],
) -> dict[str, Batch]:
    """Return batches of two sides by task, from all readers whose task has the metrics."""

    def serves(one: str | None) -> bool:
        return one is None or (task in (None, one) and has_all(registry, one, metrics))

    batches: dict[str, Batch] = {}
    for spec in _pair_specs(registry, task, batches):
        served = spec.short_name if isinstance(spec, TaskSpec) else spec.task
        if spec.pairs is None or not serves(served):
            continue
        batch = spec.load(spec.pairs)(groundtruths, predictions)
        if batch is not None and serves(batch.task):
            batches.setdefault(batch.task, batch)
    return batches


def check_one_task(tasks: Collection[str]) -> None:
    """Raise a `ConfigError` if several tasks are possible."""
    if len(tasks) > 1:
        listed = sorted(tasks)
        raise ConfigError(
            f"data: the task is ambiguous, {' or '.join(listed)}",
            f"Specify one: task={listed[0]!r}",
        )


def _form(side: Any) -> str:
    """Describe a side by class and shape or length."""
    shape = getattr(side, "shape", None)
    if isinstance(shape, tuple):
        return f"{type(side).__name__} of shape {shape}"
    if not isinstance(side, (list, tuple, dict)):
        return type(side).__name__
    kinds = ", ".join(sorted({type(cell).__name__ for cell in side})[:3])
    return f"{type(side).__name__} of {len(side):,}" + (f" ({kinds})" if kinds else "")
